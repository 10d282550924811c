import type { InstructionKey } from '../operators/instruction.ts'
import type { Collection, MarkCollections, ToCollect } from '../operators/sending/begin/mark-sending.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import type { Transitioned } from '../platform/commands/transitions.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { tenantOf } from '../values/caller.ts'
import { type EndAttempt, endPayment } from './conclude-payment.ts'
import { transitionPayment } from './move-payment.ts'
import type { PaymentRow } from './payment.ts'
import * as store from './store.ts'

/** A locked payment that is still to be sent, with its way to `pending`. */
type ToSend = ToCollect & {
  readonly payment: store.LockedPayment
  readonly pending: Transitioned<store.LockedPayment>
}

/**
 * Moves payments to `pending` in the transaction that commits us to sending them, because from then on the payer's
 * phone may ring. A payment that no connector can carry fails, without having been pending.
 */
export function markPaymentSending(clock: Clock, endAttempt: EndAttempt): MarkCollections<ToSend> {
  return {
    lock: (tx, keys) => lockToSend(tx, keys, clock.now()),
    async mark(tx, begun) {
      const now = clock.now()
      const effects = begun.flatMap(({ of: { payment, pending }, failure_code }) =>
        failure_code === null
          ? pending.effects
          : endPayment(payment, { trigger: 'not_routable', failure_code }, now, endAttempt),
      )
      await applyEffects(tx, effects, now)
    },
  }
}

/** Locks payments. One that was cancelled while it waited is not sent. One that is `pending` already is in neither list. */
async function lockToSend(tx: Tx, keys: readonly InstructionKey[], now: Date) {
  const payments = await store.lockPayments(
    tx,
    keys.map((key) => ({ ...tenantOf(key), payment_id: key.subject_id })),
  )
  const waiting: ToSend[] = []
  const ended: InstructionKey[] = []
  for (const payment of payments) {
    const collection = collectionOf(payment)
    const pending = transitionPayment(payment, { trigger: 'sending_began' }, now)
    if (pending !== null) waiting.push({ collection, payment, pending })
    else if (payment.status !== 'pending') ended.push(collection)
  }
  return { waiting, ended }
}

function collectionOf(payment: PaymentRow): Collection {
  const { id: subject_id, operator, amount_collected: amount, currency, msisdn, created_at } = payment
  return { ...tenantOf(payment), subject_id, operator, amount, currency, msisdn, created_at }
}
