import type { Db, Tx } from '../platform/postgres/database.ts'
import { type RowsWanted, readNewestPage } from '../platform/postgres/newest-page.ts'
import { createTransitionWriter } from '../platform/postgres/record-transitions.ts'
import { given, insertRows, matching, sameRow } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import { comparableReference } from '../values/comparable.ts'
import { Msisdn } from '../values/msisdn.ts'
import type { Page, PageWanted } from '../values/page.ts'
import type { ReferenceRange } from '../values/short-reference.ts'
import type { PaymentRow, PaymentStatus } from './payment.ts'

export type NewPayment = PaymentRow & {
  /** `merchant_reference` as it is compared, where that differs from how it was written. */
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

function byReference(one: NewPayment, other: NewPayment): number {
  return (
    one.merchant_id - other.merchant_id ||
    Number(one.livemode) - Number(other.livemode) ||
    compareTexts(comparedIn(one) ?? '', comparedIn(other) ?? '')
  )
}

function comparedIn({ reference_key, merchant_reference }: NewPayment): string | null {
  return reference_key ?? merchant_reference
}

/** By their code units, which is the same in every process. */
function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Refuses a reference that is taken. */
export const REFERENCE_KEY = 'payments_reference_key'

/**
 * Writes payments, on their way with what follows, at the latest with the commit; it fails on a reference that is taken. In
 * the order of the references, so that two batches that share some never wait crosswise.
 */
export function insertPayments(tx: Tx, payments: readonly NewPayment[]): void {
  insertRows(tx, 'payments', payments.toSorted(byReference))
}

/** A reference as it is compared (`comparableReference`). */
export type ReferenceKey = Tenant & { reference_key: string }

/** The ones of these references that are taken. */
export async function findReferences(tx: Tx, wanted: readonly ReferenceKey[]): Promise<ReferenceKey[]> {
  if (wanted.length === 0) return []
  return tx<ReferenceKey[]>`
    select w.merchant_id, w.livemode, w.reference_key
      from ${given(tx, 'payments w', wanted, ['merchant_id', 'livemode', 'reference_key'])}
      join payments p
        on ${sameRow(tx, 'p', 'w', wanted)} and coalesce(p.reference_key, p.merchant_reference) = w.reference_key`
}

/** One payment as its GET shows it, with what the payer must do next; null when it is not this caller's. */
export async function readPayment(db: Db, key: PaymentKey): Promise<PaymentRow | null> {
  const [row] = await db<PaymentRow[]>`
    select ${db(columns.map((column) => `p.${column}`))}, i.next_action
      from payments p
      left join instruction_progress i
        on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)
     where p.merchant_id = ${key.merchant_id} and p.livemode = ${key.livemode} and p.id = ${key.payment_id}`
  return row ?? null
}

/** The merchant's own words about a payment, as it sent them. */
export type OwnWords = { description: string | null; metadata: Readonly<Record<string, unknown>> | null }

/** These payments with what their merchant wrote, the newest first; those that are not this caller's are left out. */
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

/** The payment with this id, for the team, which knows no merchant yet. Null when there is none. */
export async function findPayment(db: Db, payment_id: string): Promise<PaymentKey | null> {
  const [row] = await db<PaymentKey[]>`
    select merchant_id, livemode, id as payment_id
      from payments
     where id = ${payment_id}
     limit 1`
  return row ?? null
}

/** A payment as the team's lists show it. */
export type ListedPayment = PaymentRow

/** Payments, the newest first. */
export function readPaymentsPage(db: Db, wanted: RowsWanted & PageWanted): Promise<Page<ListedPayment>> {
  return readNewestPage<ListedPayment>(db, { table: 'payments', columns, prefix: 'txn' }, wanted)
}

/** The fields of one payment that only the team sees. */
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
 * Payments with this reference: at most one of each merchant in each mode, found by the key that keeps references apart. Of all merchants
 * it is looked up merchant by merchant, for which no index on the reference alone is needed.
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

/** The number that an attempt of this session asked; null: it is no attempt of this session's. */
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

/** A payment found by its reference, as the team sees it. */
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

/** Payments from one identifier to before another that end so: a short stretch of the primary key, which begins with the time. */
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
  /** How often it has moved. */
  transition_count: number
}

/** Locked in one order for the rest of the transaction, so that a move is decided on the state as it stands. */
export async function lockPayments(tx: Tx, keys: readonly PaymentKey[]): Promise<LockedPayment[]> {
  if (keys.length === 0) return []
  return tx<LockedPayment[]>`
    select ${tx(columns.map((column) => `p.${column}`))}, p.transition_count
      from ${matching(tx, 'payments p', keys, { id: 'payment_id' })}
     order by p.merchant_id, p.livemode, p.id
       for no key update of p`
}

/** Writes payments that the transaction has locked as their moves left them, and the trace of each move. */
export const updatePayments = createTransitionWriter(
  { table: 'payments', log: 'payment_transitions_log', subject: 'payment_id' },
  ['failure_code', 'amount_refunded', 'succeeded_at', 'failed_at'],
)
