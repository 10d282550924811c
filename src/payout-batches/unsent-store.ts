import type { Db } from '../platform/postgres/database.ts'
import { given } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import { firstIdAt } from '../values/ids.ts'

/** A payout to compare. The caller chooses `id` to recognise the answer. */
export type WantedLine = { id: string; msisdn: string; amount: number }

/** The most unsent batches whose lines are compared. */
const BATCHES_MAX = 50

/**
 * Reads for each of these payouts the newest batch since a moment that has sent nothing yet and has a line of the same number and amount.
 * @param without the batch of the caller itself; empty: none
 */
export async function readUnsentAlike(
  db: Db,
  { merchant_id, livemode }: Tenant,
  wanted: readonly WantedLine[],
  { since, without }: { since: Date; without: string },
): Promise<{ id: string; batch_id: string; created_at: Date }[]> {
  return db<{ id: string; batch_id: string; created_at: Date }[]>`
    with unsent as materialized (
      select b.id, b.created_at
        from payout_batches b
       where b.merchant_id = ${merchant_id} and b.livemode = ${livemode} and b.id >= ${firstIdAt('pob', since.getTime())}
         and b.status in ('brouillon', 'en_attente_validation') and b.id <> ${without}
       order by b.id desc
       limit ${BATCHES_MAX})
    select distinct on (w.id) w.id, u.id as batch_id, u.created_at
      from unsent u
      join payout_batch_lines l
        on l.merchant_id = ${merchant_id} and l.livemode = ${livemode} and l.batch_id = u.id
      join ${given(db, 'payout_batch_lines w', wanted, ['id', 'msisdn', 'amount'])} on w.msisdn = l.msisdn and w.amount = l.amount
     order by w.id, u.id desc`
}
