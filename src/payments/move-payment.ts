import { defineTransition } from '../platform/commands/transitions.ts'
import { tenantOf } from '../values/caller.ts'
import type { FailureCode } from '../values/failure-codes.ts'
import { emitEvent } from '../webhooks/emit.ts'
import { viewPayment } from './payment.ts'
import { type PaymentTrigger, transitions } from './states.ts'
import * as store from './store.ts'

/** A trigger of a payment's transition, with the values that the transition writes. */
export type Trigger = {
  trigger: PaymentTrigger
  /** Set when the payment fails. */
  failure_code?: FailureCode | null
  /** Francs of `amount` refunded by this transition. */
  refunded?: number
}

/** Moves a locked payment along its table of transitions; see `defineTransition`. */
export const transitionPayment = defineTransition({
  rank: 'payment',
  transitions,
  write: store.updatePayments,
  change: (
    payment: store.LockedPayment,
    { to },
    { failure_code = null, refunded = 0 }: Omit<Trigger, 'trigger'>,
    now,
  ) => ({
    failure_code,
    amount_refunded: payment.amount_refunded + refunded,
    succeeded_at: to === 'succeeded' ? now : payment.succeeded_at,
    failed_at: to === 'failed' ? now : payment.failed_at,
  }),
  tell: (payment, type) =>
    emitEvent({ ...tenantOf(payment), type, subject_id: payment.id, data: viewPayment(payment) }),
})
