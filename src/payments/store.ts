import type { Db, Tx } from '../platform/postgres/database.ts'
import { createTransitionWriter } from '../platform/postgres/record-transitions.ts'
import { type RowsWanted, readNewestPage } from '../platform/postgres/row-pages.ts'
import { findKeyById, given, insertRows, matching, sameRow } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import { comparableReference } from '../values/comparable.ts'
import { Msisdn } from '../values/msisdn.ts'
import type { Page, PageWanted } from '../values/page.ts'
import type { ReferenceRange } from '../values/short-reference.ts'
import type { PaymentRow, PaymentStatus } from './payment.ts'

export type NewPayment = PaymentRow & {
  /** `merchant_reference` in its normalized form, or null when that equals the original. */
  reference_key: string | null
  description: string | null
  /** As the merchant wrote it, in JSON. */
  metadata: string | null
}

export type PaymentKey = Tenant & { payment_id: string }

const columns = [
  'merchant_id',
  'livemode',
  'id',
  'amount',
  'amount_collected',
  'fee_amount',
  'net_amount',
  'amount_refunded',
  'currency',
  'status',
  'operator',
  'msisdn',
  'merchant_reference',
  'checkout_session_id',
  'failure_code',
  'created_at',
  'succeeded_at',
  'failed_at',
]

function compareByReference(left: NewPayment, right: NewPayment): number {
  return (
    left.merchant_id - right.merchant_id ||
    Number(left.livemode) - Number(right.livemode) ||
    compareTexts(normalizedReference(left) ?? '', normalizedReference(right) ?? '')
  )
}

function normalizedReference({ reference_key, merchant_reference }: NewPayment): string | null {
  return reference_key ?? merchant_reference
}

/** Compares by code units, so that every process has the same order. */
function compareTexts(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** The unique constraint that refuses a reference in use. */
export const REFERENCE_KEY = 'payments_reference_key'

/**
 * Inserts payments. The transaction fails when a reference is in use. The rows are sorted by reference, so that two
 * batches with common references cannot deadlock.
 */
export function insertPayments(tx: Tx, payments: readonly NewPayment[]): void {
  insertRows(tx, 'payments', payments.toSorted(compareByReference))
}

/** A reference in its normalized form (`comparableReference`). */
export type ReferenceKey = Tenant & { reference_key: string }

/** Returns those of the references that are in use. */
export async function findReferences(tx: Tx, wanted: readonly ReferenceKey[]): Promise<ReferenceKey[]> {
  if (wanted.length === 0) return []
  return tx<ReferenceKey[]>`
    select w.merchant_id, w.livemode, w.reference_key
      from ${given(tx, 'payments w', wanted, ['merchant_id', 'livemode', 'reference_key'])}
      join payments p
        on ${sameRow(tx, 'p', 'w', wanted)} and coalesce(p.reference_key, p.merchant_reference) = w.reference_key`
}

/** One payment with the payer's next step. Null when the payment is not the caller's. */
export async function readPayment(db: Db, key: PaymentKey): Promise<PaymentRow | null> {
  const [row] = await db<PaymentRow[]>`
    select ${db(columns.map((column) => `p.${column}`))}, i.next_action
      from payments p
      left join instruction_progress i
        on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)
     where p.merchant_id = ${key.merchant_id} and p.livemode = ${key.livemode} and p.id = ${key.payment_id}`
  return row ?? null
}

/** The texts that the merchant sent with a payment. */
export type OwnWords = { description: string | null; metadata: Readonly<Record<string, unknown>> | null }

/** These payments with the merchant's own texts, newest first. Payments of other merchants are left out. */
export async function readPaymentsOf(
  db: Db,
  { merchant_id, livemode }: Tenant,
  ids: readonly string[],
): Promise<(PaymentRow & OwnWords)[]> {
  return db<(PaymentRow & OwnWords)[]>`
    select ${db(columns.map((column) => `p.${column}`))}, p.description, p.metadata, i.next_action
      from payments p
      left join instruction_progress i
        on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)
     where p.merchant_id = ${merchant_id} and p.livemode = ${livemode} and p.id = any(${ids})
     order by p.id desc`
}

/** Finds a payment by its id alone. Null when there is none. */
export const findPayment = (db: Db, id: string): Promise<PaymentKey | null> =>
  findKeyById(db, 'payments', 'payment_id', id)

/** A payment as lists for staff show it. */
export type ListedPayment = PaymentRow

/** A page of payments, newest first. */
export function readPaymentsPage(db: Db, wanted: RowsWanted & PageWanted): Promise<Page<ListedPayment>> {
  return readNewestPage<ListedPayment>(db, { table: 'payments', columns, prefix: 'txn' }, wanted)
}

/** The fields of a payment that only staff see. */
export async function readPayerOf(
  db: Db,
  key: PaymentKey,
): Promise<{ msisdn: string | null; description: string | null } | null> {
  const [row] = await db<{ msisdn: string | null; description: string | null }[]>`
    select msisdn, description
      from payments
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.payment_id}`
  return row ?? null
}

/**
 * Payments with this reference: at most one for each merchant and mode, read through the unique index on references.
 * Without a `tenant` it looks up every merchant and mode in turn, so it needs no index on the reference alone.
 */
export function readPaymentsByReference(
  db: Db,
  { reference, tenant, limit }: { reference: string; tenant: Tenant | null; limit: number },
): Promise<ListedPayment[]> {
  const ofMerchant =
    tenant === null
      ? db`from merchant_modes m`
      : db`from (values (${tenant.merchant_id}::bigint, ${tenant.livemode}::boolean)) as m (merchant_id, livemode)`
  return db<ListedPayment[]>`
    select ${db(columns.map((column) => `p.${column}`))}
      ${ofMerchant}
      join payments p
        on p.merchant_id = m.merchant_id and p.livemode = m.livemode
         and coalesce(p.reference_key, p.merchant_reference) = ${comparableReference(reference)}
     order by p.id desc
     limit ${limit}`
}

/** The payer's number of an attempt of this session. Null when the payment is not an attempt of this session. */
export async function readAttemptNumber(
  db: Db,
  key: Tenant & { session_id: string; payment_id: string },
): Promise<Msisdn | null> {
  const [row] = await db<{ msisdn: string | null }[]>`
    select msisdn
      from payments
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.payment_id}
       and checkout_session_id = ${key.session_id}`
  return row?.msisdn == null ? null : Msisdn.stored(row.msisdn)
}

/** A payment found by a short reference, as staff see it. */
export type FoundPayment = Tenant & {
  payment_id: string
  status: PaymentStatus
  amount_collected: number
  operator: string | null
  msisdn: string | null
  merchant_reference: string | null
  checkout_session_id: string | null
  created_at: Date
}

/**
 * Payments with an id in the range [`from`, `before`) that ends in `end`. Scans a short range of the primary key,
 * because ids begin with the time.
 */
export async function readPaymentsIn(db: Db, range: ReferenceRange, limit: number): Promise<FoundPayment[]> {
  return db<FoundPayment[]>`
    select merchant_id, livemode, id as payment_id, status, amount_collected, operator, msisdn, merchant_reference,
           checkout_session_id, created_at
      from payments
     where id >= ${range.from} and id < ${range.before} and right(id, ${range.end.length}) = ${range.end}
     order by id
     limit ${limit}`
}

/** A payment that the transaction has locked. */
export type LockedPayment = PaymentRow & {
  amount_refunded: number
  /** Number of transitions so far. */
  transition_count: number
}

/** Locks payments in key order until the transaction ends, and reads their current state. */
export async function lockPayments(tx: Tx, keys: readonly PaymentKey[]): Promise<LockedPayment[]> {
  if (keys.length === 0) return []
  return tx<LockedPayment[]>`
    select ${tx(columns.map((column) => `p.${column}`))}, p.transition_count
      from ${matching(tx, 'payments p', keys, { id: 'payment_id' })}
     order by p.merchant_id, p.livemode, p.id
       for no key update of p`
}

/** Writes the new state of locked payments, and one history row for each transition. */
export const updatePayments = createTransitionWriter(
  { table: 'payments', log: 'payment_transitions_log', subject: 'payment_id' },
  ['failure_code', 'amount_refunded', 'succeeded_at', 'failed_at'],
)
