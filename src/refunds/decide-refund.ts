import type { PaymentStatus } from '../payments/payment.ts'
import { type Divided, divideRefund, type Given, type RefundParts } from './divide-refund.ts'

export type RefundDecision =
  | { kind: 'made'; parts: RefundParts }
  /** `left`: francs of the payment's amount that are neither refunded nor on their way. */
  | { kind: 'refused'; code: 'payment_not_succeeded' | 'already_refunded' | 'amount_corrected' }
  | { kind: 'refused'; code: 'amount_above_remaining'; left: number }
  /** `short_of`: francs that the available balance would need. */
  | { kind: 'refused'; code: 'insufficient_funds'; short_of: number }

/**
 * Whether so much of a payment is refunded, and what of it is whose. Pure. Refusals in their order: the payment's state,
 * an amount that was corrected, what is left of it, funds.
 * @param corrected whether the payer paid another amount than the payment says and an adjustment made up for it: what the
 *   payment says is then no bound, and its money goes back by hand
 * @param asked francs of the payment's amount; null: all that is left
 * @param available the merchant's available balance in francs
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
  if (parts.net_amount > available) return { kind: 'refused', code: 'insufficient_funds', short_of: parts.net_amount }
  return { kind: 'made', parts }
}
