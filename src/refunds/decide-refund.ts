import type { PaymentStatus } from '../payments/payment.ts'
import { type Divided, divideRefund, type Given, type RefundParts } from './divide-refund.ts'

export type RefundDecision =
  | { kind: 'made'; parts: RefundParts }
  /** `left`: the francs of the payment's amount that are neither refunded nor on their way. */
  | { kind: 'refused'; code: 'payment_not_succeeded' | 'already_refunded' | 'amount_corrected' }
  | { kind: 'refused'; code: 'amount_above_remaining'; left: number }
  /** `needed`: the francs that the refund would take from the available balance, which has fewer. */
  | { kind: 'refused'; code: 'insufficient_funds'; needed: number }

/**
 * Decides whether an amount of a payment can be refunded, and divides it between the merchant and the fees. Pure. Refusals, in order of
 * precedence: the payment's state, a corrected amount, too little left, too little available.
 * @param corrected the payer paid another amount than the payment says, and an adjustment corrected it. The payment's amount is then no
 *   bound for a refund, and people return the money by hand
 * @param asked the requested francs of the payment's amount. Null: all that is left
 * @param available the merchant's available balance, in francs
 */
export function decideRefund(
  payment: Divided & { status: PaymentStatus },
  given: Given & { corrected: boolean },
  asked: number | null,
  available: number,
): RefundDecision {
  if (payment.status === 'refunded') return { kind: 'refused', code: 'already_refunded' }
  if (payment.status !== 'succeeded' && payment.status !== 'partially_refunded') {
    return { kind: 'refused', code: 'payment_not_succeeded' }
  }
  if (given.corrected) return { kind: 'refused', code: 'amount_corrected' }
  const left = payment.amount - given.amount
  if (left === 0) return { kind: 'refused', code: 'already_refunded' }
  if (asked !== null && asked > left) return { kind: 'refused', code: 'amount_above_remaining', left }
  const parts = divideRefund(payment, given, asked ?? left)
  if (parts.net_amount > available) return { kind: 'refused', code: 'insufficient_funds', needed: parts.net_amount }
  return { kind: 'made', parts }
}
