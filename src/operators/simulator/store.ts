import type { Db, Sql, Tx } from '../../platform/postgres/database.ts'
import { insertRows, matching } from '../../platform/postgres/rows.ts'
import type { PayerWord } from './scenarios.ts'

/** An order that the simulator is given. */
export type TakenOrder = {
  merchant_id: number
  livemode: boolean
  reference: string
  direction: string
  amount: number
  msisdn_end: string
}

/** Inserts orders that are all new, as they nearly always are. A reference that exists fails the transaction, and inserts none. */
export function insertOrders(tx: Tx, orders: readonly TakenOrder[]): void {
  insertRows(tx, 'simulator_orders', orders)
}

/**
 * Inserts an order if its reference is new. Otherwise only counts it, so that an order is executed once, however often it is
 * sent. `other`: the reference belongs to a different order.
 */
export async function takeOrder(db: Db, order: TakenOrder): Promise<'taken' | 'held' | 'other'> {
  const { merchant_id, livemode, reference, direction, amount, msisdn_end } = order
  const rows = await db<{ times_received: number; same: boolean }[]>`
    insert into simulator_orders as o (merchant_id, livemode, reference, direction, amount, msisdn_end)
    values (${merchant_id}, ${livemode}, ${reference}, ${direction}, ${amount}, ${msisdn_end})
    on conflict (reference, merchant_id, livemode) do update
       set times_received = o.times_received + 1
    returning times_received, (direction, amount, msisdn_end) = (${direction}, ${amount}, ${msisdn_end}) as same`
  const { times_received, same } = rows[0]!
  if (times_received === 1) return 'taken'
  return same ? 'held' : 'other'
}

export type RememberedOrder = {
  reference: string
  amount: number
  msisdn_end: string
  age_ms: number
  payer_says: PayerWord | null
}

/** The simulator's orders with these references. */
export async function readOrders(
  sql: Sql,
  wanted: readonly { merchant_id: number; livemode: boolean; reference: string }[],
): Promise<RememberedOrder[]> {
  return sql<RememberedOrder[]>`
    select o.reference, o.amount, o.msisdn_end, o.payer_says,
           (extract(epoch from clock_now() - o.taken_at) * 1000)::double precision as age_ms
      from ${matching(sql, 'simulator_orders o', wanted, 'reference')}`
}

type OrderKey = { merchant_id: number; livemode: boolean; reference: string }

/** Records the payer's first answer to an order. False if the order is unknown or already has an answer. */
export async function keepWord(
  db: Db,
  { merchant_id, livemode, reference }: OrderKey,
  word: PayerWord,
): Promise<boolean> {
  const rows = await db`
    update simulator_orders
       set payer_says = ${word}
     where merchant_id = ${merchant_id} and livemode = ${livemode} and reference = ${reference} and payer_says is null
    returning reference`
  return rows.length > 0
}
