import { defineEffect, type Effect } from '../platform/commands/effects.ts'
import { tenantOf } from '../values/caller.ts'
import type { FailureCode } from '../values/failure-codes.ts'
import { findTransition } from '../values/transition.ts'
import { emitEvent } from '../webhooks/emit.ts'
import { viewPayment } from './payment.ts'
import { type PaymentTrigger, transitions } from './states.ts'
import * as store from './store.ts'

/** A trigger of a payment's transition, with its facts. */
export type Trigger = {
  trigger: PaymentTrigger
  /** Of a payment that failed; absent: none. */
  failure_code?: FailureCode | null
  /** Francs of `amount` that are now refunded; absent: none. */
  refunded?: number
}

const updatePayment = defineEffect('payment', store.updatePayments)

/**
 * One move of a locked payment along the table of states: the payment as it then stands, and what that changes (the row, its trace, the
 * merchant's event). Null: the table does not allow it from where the payment stands. Pure.
 */
export function transitionPayment(
  payment: store.LockedPayment,
  { trigger, failure_code = null, refunded = 0 }: Trigger,
  now: Date,
): { payment: store.LockedPayment; effects: Effect[] } | null {
  const transition = findTransition(transitions, payment.status, trigger)
  if (transition === null) return null
  const { from, to, event } = transition
  const moved: store.LockedPayment = {
    ...payment,
    status: to,
    transition_count: payment.transition_count + 1,
    failure_code,
    amount_refunded: payment.amount_refunded + refunded,
    succeeded_at: to === 'succeeded' ? now : payment.succeeded_at,
    failed_at: to === 'failed' ? now : payment.failed_at,
  }
  return {
    payment: moved,
    effects: [
      updatePayment({ ...moved, from_status: from, cause: trigger }),
      emitEvent({ ...tenantOf(moved), type: event, subject_id: moved.id, data: viewPayment(moved) }),
    ],
  }
}
