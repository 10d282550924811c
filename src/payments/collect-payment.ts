import type { MarkSending } from '../operators/begin-sending.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import { tenantOf } from '../values/caller.ts'
import { transitionPayment } from './move-payment.ts'
import * as store from './store.ts'

/**
 * Moves the payments whose sending begins, in the transaction that commits us to it: they are pending from here on, because the
 * payer's telephone may ring. One that is pending already (a send that never left us, tried again) stays as it is, and is in neither
 * list of the answer. One that was cancelled while it waited is not sent.
 */
export function markPaymentSending(clock: Clock): MarkSending['collect'] {
  return async (tx, keys) => {
    const now = clock.now()
    const payments = await store.lockPayments(
      tx,
      keys.map((key) => ({ ...tenantOf(key), payment_id: key.subject_id })),
    )
    const begun = payments.flatMap((payment) => transitionPayment(payment, { trigger: 'sending_began' }, now) ?? [])
    await applyEffects(
      tx,
      begun.flatMap(({ effects }) => effects),
      now,
    )
    const collections = begun.map(({ row: payment }) => {
      const { id: subject_id, operator, amount_collected: amount, currency, msisdn, created_at } = payment
      return { ...tenantOf(payment), subject_id, operator, amount, currency, msisdn, created_at }
    })
    const ended = payments.filter(({ status }) => status !== 'created' && status !== 'pending')
    return { collections, ended: ended.map((payment) => ({ ...tenantOf(payment), subject_id: payment.id })) }
  }
}
