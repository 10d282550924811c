import { defineReaction } from '../platform/commands/effects.ts'
import type { Transitioned } from '../platform/commands/transitions.ts'
import { transitionPayment } from './move-payment.ts'
import * as store from './store.ts'

/** A refund that has succeeded: so much of a payment's `amount` is back with the payer. */
export type Refunded = store.PaymentKey & { amount: number }

/**
 * Notes on a payment what was refunded of it, and tells its merchant: once for each refund, also when several of one payment ended
 * together, because each is an event of its own.
 * @throws when the payment does not move: what is refunded was decided under its lock, so that is a defect
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
 * One refund of a locked payment: the payment as it then stands, and what that changes. Pure.
 * @throws as `notePaymentRefunded`
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
  if (moved === null) throw new Error('A payment that was refunded did not move.')
  return moved
}
