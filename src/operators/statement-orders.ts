import { SIMULATOR } from '../external-accounts/wallet-of.ts'
import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { firstIdAt } from '../values/ids.ts'
import type { InstructionState } from './instruction-states.ts'
import type { Order } from './port.ts'

const DAY_MS = 86_400_000

/** Our side of an order: what we asked an operator to move, and what we know that it moved. Money in francs. */
export type OurSide = Tenant & {
  readonly subject_id: string
  readonly direction: Order['direction']
  readonly amount: number
  /** `confirmed`: booked as moved. */
  readonly state: InstructionState
  readonly connector: string | null
  readonly msisdn: string | null
  readonly created_at: Date
  readonly sent_at: Date | null
  readonly moved_at: Date | null
  /** The operator's charge that we booked, corrections included. */
  readonly charge: number
  /** The reference that we sent with the order, and that of the collection which a refund gives back. */
  readonly reference: string
  readonly collection: string | null
  /** The operator's own number of the order. Null: it told none yet. */
  readonly number: string | null
}

const sideOf = (db: Db) => db`
  i.merchant_id, i.livemode, i.subject_id, i.direction, i.amount, i.state, i.connector, i.msisdn, i.created_at, i.sent_at,
  m.moved_at, coalesce(m.charge, 0)::bigint as charge, i.reference::text as reference, i.refund_of->>'reference' as collection,
  i.operator_reference as number`

const booked = (db: Db) => db`
  left join lateral (
       select min(c.moved_at) as moved_at, sum(c.charge) as charge
         from connector_movements c
        where (c.subject_id, c.merchant_id, c.livemode) = (i.subject_id, i.merchant_id, i.livemode)) m on true`

/**
 * Finds the orders of these references or ids, whatever their connector. A collection comes with all its refunds, and a refund with its collection and the
 * others: an operator may list a refund under the reference of its collection. Walks keys that sending already has.
 */
export async function findOrders(
  db: Db,
  livemode: boolean,
  {
    references = [],
    subjects = [],
  }: { readonly references?: readonly string[]; readonly subjects?: readonly string[] },
): Promise<OurSide[]> {
  if (references.length === 0 && subjects.length === 0) return []
  return db<OurSide[]>`
    with named as materialized (
      select r.merchant_id, r.livemode, r.subject_id
        from operator_references r
       where r.reference = any(${[...references]}::text[]) and r.livemode = ${livemode}
       union
      select i.merchant_id, i.livemode, i.subject_id
        from instructions i
       where i.subject_id = any(${[...subjects]}::text[]) and i.livemode = ${livemode}),
    roots as materialized (
      select merchant_id, livemode, subject_id from named
       union
      select p.merchant_id, p.livemode, p.payment_id
        from named n
        join refunded_payments p
          on (p.merchant_id, p.livemode, p.refund_id) = (n.merchant_id, n.livemode, n.subject_id)
       where n.subject_id like 'rfd%'),
    wanted as materialized (
      select merchant_id, livemode, subject_id from roots
       union
      select p.merchant_id, p.livemode, p.refund_id
        from roots n
        join refunded_payments p
          on (p.merchant_id, p.livemode, p.payment_id) = (n.merchant_id, n.livemode, n.subject_id)
       where n.subject_id like 'txn%')
    select ${sideOf(db)}
      from wanted w
      join instructions i
        on (i.subject_id, i.merchant_id, i.livemode) = (w.subject_id, w.merchant_id, w.livemode)
           ${booked(db)}`
}

/** A refund ends within so many days of its booking, if a comparison may look for its line. */
const REFUNDED_WITHIN_DAYS = 14

/** The days on which refunds at a connector were booked that ended on one of these days. There is no index on the end: the refunds of two weeks are walked. */
export async function readRefundsConcluded(
  db: Db,
  livemode: boolean,
  connector: string,
  days: readonly string[],
): Promise<string[]> {
  const sorted = [...days].sort()
  const [first, last] = [`${sorted[0]}T00:00:00Z`, `${sorted.at(-1)}T00:00:00Z`]
  const from = firstIdAt('rfd', Date.parse(first) - REFUNDED_WITHIN_DAYS * DAY_MS)
  const before = firstIdAt('rfd', Date.parse(last) + DAY_MS)
  const rows = await db<{ day: string }[]>`
    select distinct (created_at at time zone 'UTC')::date::text as day
      from instructions
     where subject_id >= ${from} and subject_id < ${before} and livemode = ${livemode}
       and coalesce(connector, ${SIMULATOR}) = ${connector} and state = 'confirmed'
       and (concluded_at at time zone 'UTC')::date = any(${sorted}::date[])`
  return rows.map(({ day }) => day)
}

/**
 * Finds the orders to which an operator gave these numbers, among those that were asked for in a range of time. There is no index on the numbers,
 * because each payment would pay for it: the range is walked.
 * @param ranges of identifiers, one for each kind of order
 */
export async function findOrdersByNumber(
  db: Db,
  {
    connectors,
    numbers,
    ranges,
  }: {
    readonly connectors: readonly string[]
    readonly numbers: readonly string[]
    readonly ranges: readonly { readonly from: string; readonly before: string }[]
  },
): Promise<OurSide[]> {
  const found: OurSide[] = []
  for (const { from, before } of ranges) {
    const rows = await db<OurSide[]>`
      select ${sideOf(db)}
        from instructions i
             ${booked(db)}
       where i.subject_id >= ${from} and i.subject_id < ${before}
         and i.connector = any(${[...connectors]}::text[])
         and i.operator_reference = any(${[...numbers]}::text[])`
    found.push(...rows)
  }
  return found
}
