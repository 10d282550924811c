import type { InstructionKey } from '../operators/instruction.ts'
import type { Collection, MarkSending } from '../operators/sending/begin-sending.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects, type Effect } from '../platform/commands/effects.ts'
import { tenantOf } from '../values/caller.ts'
import { type EndAttempt, endPayment } from './conclude-payment.ts'
import { transitionPayment } from './move-payment.ts'
import type { PaymentRow } from './payment.ts'
import * as store from './store.ts'

/**
 * Moves payments to `pending` in the transaction that commits us to sending them, because from then on the payer's
 * phone may ring.
 * - A payment that no connector can carry fails, without having been pending.
 * - A payment that is already pending is left as it is, and is in neither list of the result.
 * - A payment that was cancelled while it waited is not sent.
 */
export function markPaymentSending(clock: Clock, endAttempt: EndAttempt): MarkSending['collect'] {
  return async (tx, keys, begin) => {
    const now = clock.now()
    const payments = await store.lockPayments(
      tx,
      keys.map((key) => ({ ...tenantOf(key), payment_id: key.subject_id })),
    )
    const effects: Effect[] = []
    const sending: InstructionKey[] = []
    const ended: InstructionKey[] = []
    for (const payment of payments) {
      const collection = collectionOf(payment)
      const moved = transitionPayment(payment, { trigger: 'sending_began' }, now)
      if (moved === null) {
        if (payment.status !== 'pending') ended.push(collection)
        continue
      }
      const { failure_code } = begin(collection)
      if (failure_code === null) {
        sending.push(collection)
        effects.push(...moved.effects)
      } else {
        ended.push(collection)
        effects.push(...endPayment(payment, { trigger: 'not_routable', failure_code }, now, endAttempt))
      }
    }
    await applyEffects(tx, effects, now)
    return { sending, ended }
  }
}

function collectionOf(payment: PaymentRow): Collection {
  const { id: subject_id, operator, amount_collected: amount, currency, msisdn, created_at } = payment
  return { ...tenantOf(payment), subject_id, operator, amount, currency, msisdn, created_at }
}
