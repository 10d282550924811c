import type { Db, Tx } from '../platform/postgres/database.ts'
import { firstIdAt } from '../values/ids.ts'
import type { Stop } from './store.ts'

// The merchants that a stop of payouts concerns, and whether they were told.

/** Notes that the merchants are told of a stop in force. False: they are already, or it is lifted. */
export async function markTold(tx: Tx, { scope, value }: Stop): Promise<boolean> {
  const { count } = await tx`
    update payout_stops
       set told_at = clock_now()
     where scope = ${scope} and value = ${value} and lifted_at is null and told_at is null`
  return count > 0
}

/**
 * Whether a merchant sent money since a moment, in milliseconds, through an operator; null: through any. The ids begin with their time, so the
 * primary key finds the first one. One question about all merchants would read every payout of the time.
 */
export async function hasSentSince(
  db: Db,
  { merchant_id, since, operator }: { merchant_id: number; since: number; operator: string | null },
): Promise<boolean> {
  const inMode = (livemode: boolean) => db`
    exists (select
              from payouts
             where merchant_id = ${merchant_id} and livemode = ${livemode} and id >= ${firstIdAt('txn', since)}
               ${operator === null ? db`` : db`and operator = ${operator}`})`
  const [row] = await db<{ sent: boolean }[]>`select ${inMode(true)} or ${inMode(false)} as sent`
  return row!.sent
}
