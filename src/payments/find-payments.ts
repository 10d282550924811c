import type { Instruction } from '../operators/instruction.ts'
import { findInstruction, readInstruction } from '../operators/store.ts'
import type { Db, Sql } from '../platform/postgres/database.ts'
import { readTransitions, type TransitionRead } from '../platform/postgres/record-transitions.ts'
import type { RowsWanted } from '../platform/postgres/row-pages.ts'
import type { Tenant } from '../values/caller.ts'
import { Msisdn } from '../values/msisdn.ts'
import type { Page, PageWanted } from '../values/page.ts'
import { type Payment, type PaymentStatus, viewPayment } from './payment.ts'
import * as store from './store.ts'

// Payments as the service's staff see them: with the merchant, and only the last four digits of the payer's number.

/** Most payments shown for one reference. */
const SAME_REFERENCE_MAX = 200

export type PaymentForStaff = Payment & { merchant_id: number; payer: string | null }

/** Payments, newest first. Filters: one merchant in one mode, or all; one status, or any. */
export async function listPayments(
  db: Db,
  wanted: RowsWanted & PageWanted & { status: PaymentStatus | null },
): Promise<Page<PaymentForStaff>> {
  const { rows, after } = await store.readPaymentsPage(db, wanted)
  return { rows: rows.map(viewForStaff), after }
}

/**
 * Payments with this merchant reference, compared in its normalized form (`comparableReference`). Without a `tenant` it
 * searches all merchants. At most 200.
 */
export async function findPaymentsByReference(
  db: Db,
  reference: string,
  tenant: Tenant | null,
): Promise<PaymentForStaff[]> {
  const rows = await store.readPaymentsByReference(db, { reference, tenant, limit: SAME_REFERENCE_MAX })
  return rows.map(viewForStaff)
}

export type PaymentFile = {
  payment: PaymentForStaff
  description: string | null
  moves: TransitionRead[]
  /** The instruction to the operator, with the operator's answers. Null until it is written. */
  instruction: Instruction | null
}

/** One payment with its history, for staff. Null when no payment has this id. */
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
  return { payment: viewForStaff({ ...row!, msisdn }), description, moves, instruction }
}

/** One payment with its history, as its merchant sees it. Shows only the last four digits of the payer's number. */
export type OwnPayment = Omit<PaymentFile, 'payment' | 'description'> & {
  payment: Payment & { payer: string | null }
  own: store.OwnWords
}

/** One payment with its history. Null when the payment is not the caller's. */
export async function readOwnPayment(db: Db, { payment_id, ...tenant }: store.PaymentKey): Promise<OwnPayment | null> {
  const [[row], moves, instruction] = await Promise.all([
    store.readPaymentsOf(db, tenant, [payment_id]),
    readTransitions(db, 'payment_transitions_log', 'payment_id', { ...tenant, id: payment_id }),
    readInstruction(db, { ...tenant, subject_id: payment_id }),
  ])
  if (row === undefined) return null
  const { description, metadata } = row
  const { merchant_id: _, ...payment } = viewForStaff(row)
  return { payment, own: { description, metadata }, moves, instruction }
}

function viewForStaff(row: store.ListedPayment): PaymentForStaff {
  return {
    ...viewPayment(row),
    merchant_id: row.merchant_id,
    payer: row.msisdn === null ? null : Msisdn.stored(row.msisdn).masked,
  }
}
