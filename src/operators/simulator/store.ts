import { type Db, records, type Sql } from '../../platform/postgres/database.ts'
import { onOneMachine } from '../../platform/postgres/on-one-machine.ts'
import type { PayerWord } from './scenarios.ts'

/** One time the simulator took an order. */
export type TakenOrder = {
  merchant_id: number
  livemode: boolean
  reference: string
  direction: string
  amount: number
  msisdn_end: string
}

const orderColumns = {
  merchant_id: 'bigint',
  livemode: 'boolean',
  reference: 'uuid',
  direction: 'text',
  amount: 'bigint',
  msisdn_end: 'text',
} as const

/** No unique key, as an operator without protection would have it: a second row is money moved twice, for tests to see. */
export async function insertOrders(db: Db, orders: readonly TakenOrder[]): Promise<void> {
  await db.copy('simulator_orders', orderColumns, orders)
}

export type RememberedOrder = {
  reference: string
  amount: number
  msisdn_end: string
  age_ms: number
  payer_says: PayerWord | null
}

/** What the simulator remembers of these references, the first time it took each. */
export async function readOrders(
  sql: Sql,
  wanted: readonly { merchant_id: number; livemode: boolean; reference: string }[],
): Promise<RememberedOrder[]> {
  return sql<RememberedOrder[]>`
    select distinct on (o.reference) o.reference, o.amount, o.msisdn_end, o.payer_says,
           (extract(epoch from clock_now() - o.taken_at) * 1000)::double precision as age_ms
      from simulator_orders o
      join json_to_recordset(${records(sql, wanted)})
        as w(merchant_id bigint, livemode boolean, reference uuid)
        on (o.merchant_id, o.livemode, o.reference) = (w.merchant_id, w.livemode, w.reference)
           ${onOneMachine(sql, 'o', wanted)}
     order by o.reference, o.taken_at`
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
