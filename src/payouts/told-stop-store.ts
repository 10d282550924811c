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

/** The most merchants that are told of one stop. */
const SENDERS_MAX = 10_000

/** The merchants that sent money since a moment, in milliseconds, through an operator; null: through any. The ids begin with their time. */
export async function readSenders(
  db: Db,
  { since, operator }: { since: number; operator: string | null },
): Promise<number[]> {
  const rows = await db<{ merchant_id: number }[]>`
    select distinct merchant_id
      from payouts
     where id >= ${firstIdAt('txn', since)}
       ${operator === null ? db`` : db`and operator = ${operator}`}
     limit ${SENDERS_MAX}`
  return rows.map(({ merchant_id }) => merchant_id)
}
