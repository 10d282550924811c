import type { Instruction } from '../operators/instruction.ts'
import { findInstruction, readInstruction } from '../operators/store.ts'
import type { Db, Sql } from '../platform/postgres/database.ts'
import type { RowsWanted } from '../platform/postgres/newest-page.ts'
import { readTransitions, type TransitionRead } from '../platform/postgres/record-transitions.ts'
import type { Tenant } from '../values/caller.ts'
import { Msisdn } from '../values/msisdn.ts'
import type { Page, PageWanted } from '../values/page.ts'
import { type Payment, type PaymentStatus, viewPayment } from './payment.ts'
import * as store from './store.ts'

// Payments as the service's team sees them: with their merchant, and the last four digits of the payer's number.

/** Payments with one reference that are shown at most. */
const SAME_REFERENCE_MAX = 200

export type PaymentForTeam = Payment & { merchant_id: number; payer: string | null }

/** Payments, the newest first: of one merchant in one mode or of all, in one state or in any. */
export async function listPayments(
  db: Db,
  wanted: RowsWanted & PageWanted & { status: PaymentStatus | null },
): Promise<Page<PaymentForTeam>> {
  const { rows, after } = await store.readPaymentsPage(db, wanted)
  return { rows: rows.map(viewForTeam), after }
}

/** Payments that a merchant knows by this reference, however its letters were composed; of all merchants, 200 at most. */
export async function findPaymentsByReference(
  db: Db,
  reference: string,
  tenant: Tenant | null,
): Promise<PaymentForTeam[]> {
  const rows = await store.readPaymentsByReference(db, { reference, tenant, limit: SAME_REFERENCE_MAX })
  return rows.map(viewForTeam)
}

export type PaymentFile = {
  payment: PaymentForTeam
  description: string | null
  moves: TransitionRead[]
  /** Its order to the operator, with the answers; null while it is not written. */
  instruction: Instruction | null
}

/** One payment with how it came to where it is; null when there is none of this id. */
export async function readPaymentFile(sql: Sql, payment_id: string): Promise<PaymentFile | null> {
  const key = await store.findPayment(sql, payment_id)
  if (key === null) return null
  const [row, payer, moves, instruction] = await Promise.all([
    store.readPayment(sql, key),
    store.readPayerOf(sql, key),
    readTransitions(sql, 'payment_transitions_log', 'payment_id', { ...key, id: payment_id }),
    findInstruction(sql, payment_id),
  ])
  const { msisdn, description } = payer!
  return { payment: viewForTeam({ ...row!, msisdn }), description, moves, instruction }
}

/** One payment as its merchant reads its story. Of the payer's number the last four digits. */
export type OwnPayment = Omit<PaymentFile, 'payment' | 'description'> & {
  payment: Payment & { payer: string | null }
  own: store.OwnWords
}

/** One payment of a merchant with how it came to where it is; null when it is not this caller's. */
export async function readOwnPayment(db: Db, { payment_id, ...tenant }: store.PaymentKey): Promise<OwnPayment | null> {
  const [[row], moves, instruction] = await Promise.all([
    store.readPaymentsOf(db, tenant, [payment_id]),
    readTransitions(db, 'payment_transitions_log', 'payment_id', { ...tenant, id: payment_id }),
    readInstruction(db, { ...tenant, subject_id: payment_id }),
  ])
  if (row === undefined) return null
  const { description, metadata } = row
  const { merchant_id: _, ...payment } = viewForTeam(row)
  return { payment, own: { description, metadata }, moves, instruction }
}

function viewForTeam(row: store.ListedPayment): PaymentForTeam {
  return {
    ...viewPayment(row),
    merchant_id: row.merchant_id,
    payer: row.msisdn === null ? null : Msisdn.stored(row.msisdn).masked,
  }
}
