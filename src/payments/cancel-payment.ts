import { accepted, type Command, refused } from '../platform/commands/command.ts'
import type { Engine, Run } from '../platform/commands/engine.ts'
import { type Tenant, tenantKey, tenantOf } from '../values/caller.ts'
import type { EndAttempt } from './conclude-payment.ts'
import { transitionPayment } from './move-payment.ts'
import { viewPayment } from './payment.ts'
import * as store from './store.ts'

type RefusalCode =
  | 'resource_not_found'
  /** It was sent to its operator, or has ended. */
  | 'payment_not_cancellable'

/** The payments that these calls name, locked, by `nameOf`. */
type Loaded = Map<string, store.LockedPayment>

export type CancelPayment = Run<store.PaymentKey, RefusalCode>

/**
 * Ends a payment that waits to be sent. It stays in its group of collections, and the sending leaves it out: that locks the
 * payment first, as this does, so that of a cancellation and a sending at once exactly one moves it. It takes no `Idempotency-Key`:
 * asked again, it answers that the payment has ended.
 */
export function cancelPaymentCommand(endAttempt: EndAttempt): Command<store.PaymentKey, Loaded, RefusalCode> {
  return {
    tenant: (call) => call,
    idempotency: () => null,
    async load(tx, calls) {
      const payments = await store.lockPayments(tx, calls)
      return new Map(payments.map((payment) => [nameOf(payment, payment.id), payment]))
    },
    decide(call, payments, now) {
      const name = nameOf(call, call.payment_id)
      const payment = payments.get(name)
      if (payment === undefined) return refused('resource_not_found')
      const cancelled = transitionPayment(payment, { trigger: 'cancelled', failure_code: 'cancelled' }, now)
      if (cancelled === null) return refused('payment_not_cancellable')
      payments.set(name, cancelled.row)
      const ofSession = payment.checkout_session_id === null ? [] : [endAttempt(cancelled.row)]
      return accepted({ status: 200, body: viewPayment(cancelled.row) }, [...cancelled.effects, ...ofSession])
    },
  }
}

/** `cancelPaymentCommand`, carried out. */
export function createCancelPayment({ engine, endAttempt }: { engine: Engine; endAttempt: EndAttempt }): CancelPayment {
  return engine.run(cancelPaymentCommand(endAttempt))
}

/** Names a payment among those of all merchants: calls of several are decided together, and each sees only its own. */
function nameOf(tenant: Tenant, payment_id: string): string {
  return `${tenantKey(tenantOf(tenant))}/${payment_id}`
}
