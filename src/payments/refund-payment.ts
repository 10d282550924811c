import { defineReaction } from '../platform/commands/effects.ts'
import type { Transitioned } from '../platform/commands/transitions.ts'
import { transitionPayment } from './move-payment.ts'
import * as store from './store.ts'

/** A refund that succeeded. `amount`: francs of the payment's `amount` that went back to the payer. */
export type Refunded = store.PaymentKey & { amount: number }

/**
 * Adds refunds to `amount_refunded` of their payments and tells the merchants. Each refund has its own event, also when
 * several refunds of one payment end together.
 * @throws when a payment does not change state: the refund was decided under the payment's lock, so this is a defect
 */
export const notePaymentRefunded = defineReaction<Refunded>('payment', async (tx, refunds, now) => {
  const payments = new Map((await store.lockPayments(tx, refunds)).map((payment) => [payment.id, payment]))
  return refunds.flatMap((refund) => {
    const { row, effects } = refundPayment(payments.get(refund.payment_id), refund.amount, now)
    payments.set(row.id, row)
    return effects
  })
})

/**
 * Applies one refund to a locked payment. Returns the changed row and its effects. Pure.
 * @throws like `notePaymentRefunded`
 */
export function refundPayment(
  payment: store.LockedPayment | undefined,
  amount: number,
  now: Date,
): Transitioned<store.LockedPayment> {
  const inFull = payment !== undefined && payment.amount_refunded + amount === payment.amount
  const moved =
    payment === undefined
      ? null
      : transitionPayment(payment, { trigger: inFull ? 'refunded_in_full' : 'refunded_in_part', refunded: amount }, now)
  if (moved === null) throw new Error('The payment cannot move to the state that its refund requires.')
  return moved
}
