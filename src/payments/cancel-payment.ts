import { accepted, type Command, refused } from '../platform/commands/command.ts'
import type { Engine, Run } from '../platform/commands/engine.ts'
import type { CallFrom } from '../platform/http/call.ts'
import { rowKey, type Tenant, tenantOf } from '../values/caller.ts'
import type { EndAttempt } from './conclude-payment.ts'
import { transitionPayment } from './move-payment.ts'
import { viewPayment } from './payment.ts'
import * as store from './store.ts'

type RefusalCode =
  | 'resource_not_found'
  /** The payment was already sent to its operator, or has ended. */
  | 'payment_not_cancellable'

/** The locked payments of these calls, by `rowKey`. */
type Loaded = Map<string, store.LockedPayment>

export type CancelPaymentCall = CallFrom<Tenant, null> & { payment_id: string }

export type CancelPayment = Run<CancelPaymentCall, RefusalCode>

/**
 * Cancels a payment that has not been sent yet. The payment stays in its group of waiting collections, and the sending
 * skips it: cancelling and sending both lock the payment first, so exactly one of them moves it. The call takes no
 * `Idempotency-Key`: a repeated call answers `payment_not_cancellable`.
 */
export function cancelPaymentCommand(endAttempt: EndAttempt): Command<CancelPaymentCall, Loaded, RefusalCode> {
  return {
    async load(tx, calls) {
      const payments = await store.lockPayments(
        tx,
        calls.map(({ caller, payment_id }) => ({ ...tenantOf(caller), payment_id })),
      )
      return new Map(payments.map((payment) => [rowKey(payment, payment.id), payment]))
    },
    decide({ caller, payment_id }, payments, now) {
      const key = rowKey(caller, payment_id)
      const payment = payments.get(key)
      if (payment === undefined) return refused('resource_not_found')
      const cancelled = transitionPayment(payment, { trigger: 'cancelled', failure_code: 'cancelled' }, now)
      if (cancelled === null) return refused('payment_not_cancellable')
      payments.set(key, cancelled.row)
      const ofSession = payment.checkout_session_id === null ? [] : [endAttempt(cancelled.row)]
      return accepted({ status: 200, body: viewPayment(cancelled.row) }, [...cancelled.effects, ...ofSession])
    },
  }
}

/** Runs `cancelPaymentCommand` on the engine. */
export function createCancelPayment({ engine, endAttempt }: { engine: Engine; endAttempt: EndAttempt }): CancelPayment {
  return engine.run(cancelPaymentCommand(endAttempt))
}
