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

/** Takes orders that are all new, as nearly always they are. A reference that is held already fails the transaction: none is taken */
export function insertOrders(tx: Tx, orders: readonly TakenOrder[]): void {
  insertRows(tx, 'simulator_orders', orders)
}

/**
 * Takes an order if its reference is new. One that is held it only counts: it is carried out once, however often it comes.
 * `other`: the reference is that of another order.
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

/** The orders that the simulator remembers of these references. */
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

/** Keeps what the payer says of an order, the first time. False: there is none, or they have said something already. */
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
