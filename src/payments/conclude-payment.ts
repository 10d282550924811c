import { postTransaction } from '../ledger/post.ts'
import { collectionConfirmed } from '../ledger/postings.ts'
import type { InstructionKey } from '../operators/instruction.ts'
import type { Conclusion } from '../operators/sending/decide.ts'
import type { Concluded } from '../operators/sending/record/received-answer.ts'
import { defineReaction, type Effect } from '../platform/commands/effects.ts'
import { tenantOf } from '../values/caller.ts'
import { type Trigger, transitionPayment } from './move-payment.ts'
import type { PaymentRow } from './payment.ts'
import * as store from './store.ts'

/** Tells a checkout session that its attempt has ended. Passed in, because `checkout` is a layer above `payments`. */
export type EndAttempt = (payment: PaymentRow) => Effect

/** `concludePayment` as an effect, applied in the transaction that ends the instructions. */
export function createConcludePayment(endAttempt: EndAttempt) {
  return defineReaction<Concluded>('payment', async (tx, concluded, now) => {
    const ends = new Map(concluded.map((one) => [one.subject_id, one]))
    const payments = await store.lockPayments(
      tx,
      concluded.map((one) => ({ ...tenantOf(one), payment_id: one.subject_id })),
    )
    return payments.flatMap((payment) => concludePayment(payment, ends.get(payment.id)!, now, endAttempt))
  })
}

/**
 * Decides what the end of an instruction changes: the payment's state, the ledger credit, the checkout session and the
 * merchant's event. All of them happen or none. Only a payment that changes state is credited, so a repeated proof
 * changes nothing. Pure.
 */
export function concludePayment(
  payment: store.LockedPayment,
  { conclusion, wallet }: Pick<Concluded, 'conclusion' | 'wallet'>,
  now: Date,
  endAttempt: EndAttempt,
): Effect[] {
  const trigger = triggerOf(conclusion)
  return trigger === null ? [] : endPayment(payment, trigger, now, endAttempt, wallet)
}

/**
 * The effects of ending a payment, including those on its checkout session. Empty when the payment does not change
 * state. Pure.
 * @param wallet the external account that received the money of a success
 */
export function endPayment(
  payment: store.LockedPayment,
  trigger: Trigger,
  now: Date,
  endAttempt: EndAttempt,
  wallet: string | null = null,
): Effect[] {
  const moved = transitionPayment(payment, trigger, now)
  if (moved === null) return []
  const { status, checkout_session_id, id: subject_id } = moved.row
  return [
    ...moved.effects,
    ...(checkout_session_id === null ? [] : [endAttempt(moved.row)]),
    ...(status === 'succeeded' ? [bookCollection({ ...moved.row, ...tenantOf(payment), subject_id }, wallet)] : []),
  ]
}

function bookCollection(payment: PaymentRow & InstructionKey, wallet: string | null): Effect {
  const { merchant_id, livemode, subject_id } = payment
  if (wallet === null) throw new Error(`${subject_id} succeeded, and no wallet received its money.`)
  const legs = collectionConfirmed(payment, wallet)
  return postTransaction({ merchant_id, livemode, subject_id, operation: 'collection_confirmed', legs })
}

/** A request that lapsed without a debit expires the payment; every other refusal fails it. */
function triggerOf(conclusion: Conclusion): Trigger | null {
  // Only payouts become indeterminate when the operator is silent. A payment that its operator does not conclude stays
  // pending.
  if (conclusion.kind === 'silent') return null
  if (conclusion.kind === 'succeeded') return { trigger: 'proof_received' }
  if (conclusion.failure_code === 'payer_timeout') return { trigger: 'request_lapsed' }
  return { trigger: 'refusal_established', failure_code: conclusion.failure_code }
}
