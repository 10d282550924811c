import { postTransaction } from '../ledger/post.ts'
import { refundFailed } from '../ledger/postings.ts'
import { notePaymentRefunded } from '../payments/refund-payment.ts'
import { defineReaction, type Effect } from '../platform/commands/effects.ts'
import { defineTransition, type Transitioned } from '../platform/commands/transitions.ts'
import { tenantOf } from '../values/caller.ts'
import { type RefundTrigger, transitions } from './states.ts'
import * as store from './store.ts'

/** The facts of a transition. All but the first belong to a refund that a person closes. */
type Facts = Partial<Pick<store.LockedRefund, 'failure_code' | 'closed_by' | 'hand_reference' | 'closing_reason'>>

/** A trigger of a refund's transition, with its facts. */
export type Trigger = Facts & { trigger: RefundTrigger }

const transition = defineTransition({
  rank: 'refund',
  transitions,
  write: store.updateRefunds,
  change: (_: store.LockedRefund, { to }, facts: Facts, now) => {
    const { failure_code = null, closed_by = null, hand_reference = null, closing_reason = null } = facts
    const concluded_at = to === 'succeeded' || to === 'failed' ? now : null
    return { failure_code, closed_by, hand_reference, closing_reason, concluded_at }
  },
})

/**
 * Makes one transition of a locked refund, with its effects. A refund that succeeded is noted on its payment, and the merchant is
 * notified. A refund that failed returns to the merchant what it took, and leaves the payment as it is. Null when `states.ts` does
 * not allow the transition. Pure.
 */
export function transitionRefund(
  refund: store.LockedRefund,
  trigger: Trigger,
  now: Date,
): Transitioned<store.LockedRefund> | null {
  const moved = transition(refund, trigger, now)
  return moved && { row: moved.row, effects: [...moved.effects, ...consequencesOf(moved.row)] }
}

function consequencesOf(refund: store.LockedRefund): Effect[] {
  const { id: subject_id, status, wallet } = refund
  if (status === 'succeeded') return [notePaymentRefunded(refund)]
  if (status !== 'failed') return []
  if (wallet === null) throw new Error(`${subject_id} failed, and no wallet gave its money.`)
  return [
    postTransaction({
      ...tenantOf(refund),
      subject_id,
      operation: 'refund_failed',
      legs: refundFailed({ ...refund, wallet }),
    }),
  ]
}

/** Locks refunds and makes their transitions. It skips those that `states.ts` does not allow. */
export const moveRefund = defineReaction<Trigger & store.RefundKey>('refund', async (tx, triggers, now) => {
  const wanted = new Map(triggers.map((one) => [one.refund_id, one]))
  const refunds = await store.lockRefunds(tx, [...wanted.values()])
  return refunds.flatMap((refund) => transitionRefund(refund, wanted.get(refund.id)!, now)?.effects ?? [])
})
