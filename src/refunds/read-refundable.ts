import { readBalances } from '../ledger/balances.ts'
import type { Instruction } from '../operators/instruction.ts'
import { type PaymentForStaff, readPaymentFile } from '../payments/find-payments.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { decideRefund, type RefundDecision } from './decide-refund.ts'
import type { Given } from './divide-refund.ts'
import type { RefundRow } from './refund.ts'
import * as store from './store.ts'

/** The most refunds shown of a payment: its oldest. */
const REFUNDS_SHOWN = 50

/** A payment for the person who considers a refund. Amounts in francs. */
export type Refundable = {
  readonly payment: PaymentForStaff
  /** The part of the payment's amount that is refunded or on its way. */
  readonly given: Given & { readonly corrected: boolean }
  /** The part of the payment's amount that is neither refunded nor on its way. */
  readonly left: number
  /** The merchant's available balance, from which a refund is taken. */
  readonly available: number
  readonly refunds: readonly RefundRow[]
  /** Whether the operator that collected refunds any part, only the whole at once, or nothing: then a person makes the refund. */
  readonly operator_refunds: 'any' | 'whole' | 'none'
}

/** Reads how much of a payment can be refunded now. Null when there is no such payment in this mode. */
export async function readRefundable(
  { sql, canRefund }: { sql: Sql; canRefund: (collected: Instruction, whole: boolean) => boolean },
  { payment_id, livemode }: { payment_id: string; livemode: boolean },
): Promise<Refundable | null> {
  const file = await readPaymentFile(sql, payment_id)
  if (file === null || file.payment.livemode !== livemode) return null
  const { payment, instruction } = file
  const key = { merchant_id: payment.merchant_id, livemode, payment_id }
  const [{ amount, fee_amount, corrected }, balances, refunds] = await Promise.all([
    store.readGiven(sql, key, payment_id),
    readBalances(sql, key),
    store.readRefundsOf(sql, key, REFUNDS_SHOWN),
  ])
  const gives = (whole: boolean) => instruction !== null && canRefund(instruction, whole)
  return {
    payment,
    given: { amount, fee_amount, corrected },
    left: payment.amount - amount,
    available: balances?.available ?? 0,
    refunds,
    operator_refunds: gives(false) ? 'any' : gives(true) ? 'whole' : 'none',
  }
}

/** Decides a refund as `createRefund` will under its locks. Pure. @param asked in francs; null: all that is left */
export function decideRefundOf({ payment, given, available }: Refundable, asked: number | null): RefundDecision {
  return decideRefund(payment, given, asked, available)
}

/** Whether a person makes this refund by hand, because the operator cannot. Pure. */
export function isByHand({ payment, operator_refunds }: Refundable, amount: number): boolean {
  return operator_refunds === 'none' || (operator_refunds === 'whole' && amount !== payment.amount)
}
