import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { MovementRow } from './movement.ts'

/**
 * Reads the entries of `available` from one sequence number to another, both included, in order. So every page has the same cost. The
 * subject of a collection is its payment; a refund has its payment in a column. Entries
 * have no copy of the joined columns of payments and refunds, because these never change.
 * @throws when one of them is missing: the figures came from the primary, and a replica that is behind answers now. A statement without
 * movements that its figures count would be wrong, and nobody would see it
 */
export async function readMovements(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { first, last }: { first: number; last: number },
): Promise<MovementRow[]> {
  const rows = await db<MovementRow[]>`
    select e.sequence, e.subject_id, e.operation, e.amount, e.balance_after, p.id as payment_id, p.merchant_reference,
           e.created_at
      from account_entries e
      left join lateral (
             select payment_id
               from refunded_payments
              where e.operation in ('refund_started', 'refund_failed')
                and merchant_id = ${merchant_id} and livemode = ${livemode} and refund_id = e.subject_id
              limit 1) r on true
      left join shown_payments p
        on (p.merchant_id, p.livemode, p.id) = (e.merchant_id, e.livemode, coalesce(r.payment_id, e.subject_id))
     where e.merchant_id = ${merchant_id} and e.livemode = ${livemode} and e.account = 'available'
       and e.sequence between ${first} and ${last}
     order by e.sequence`
  const missing = last - first + 1 - rows.length
  if (missing !== 0) throw new Error(`${missing} movements are missing on this server. Read the statement again.`)
  return rows
}

/** The facts by which a person recognises a payment. */
export type PaymentFacts = {
  id: string
  /** The last four digits of the payer's number. Null: it is not known. */
  last4: string | null
  description: string | null
  /** The francs that the payer paid, before the fee. Null: none yet. */
  amount_collected: number | null
}

/** Reads these facts of the payments of a page of movements, in one statement. */
export async function readPaymentFacts(
  db: Db,
  { merchant_id, livemode }: Tenant,
  ids: readonly string[],
): Promise<PaymentFacts[]> {
  return db<PaymentFacts[]>`
    select p.id, l.last4, l.description, p.amount_collected
      from shown_payments p
      join payment_listing l on (l.merchant_id, l.livemode, l.id) = (p.merchant_id, p.livemode, p.id)
     where p.merchant_id = ${merchant_id} and p.livemode = ${livemode} and p.id = any(${ids})`
}
