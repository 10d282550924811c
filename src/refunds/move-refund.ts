import { postTransaction } from '../ledger/post.ts'
import { refundFailed } from '../ledger/postings.ts'
import { notePaymentRefunded } from '../payments/refund-payment.ts'
import { defineReaction, type Effect } from '../platform/commands/effects.ts'
import { defineTransition, type Transitioned } from '../platform/commands/transitions.ts'
import { tenantOf } from '../values/caller.ts'
import { type RefundTrigger, transitions } from './states.ts'
import * as store from './store.ts'

/** The facts of a refund's move; all but the first are of one that a person closes. */
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
 * One move of a locked refund, with all that follows: one that succeeded is noted on its payment, whose merchant is told; one that failed
 * gives back what it had taken, and changes nothing of the payment. Null: the table does not allow it. Pure.
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
  const { id: subject_id, status } = refund
  if (status === 'succeeded') return [notePaymentRefunded(refund)]
  if (status !== 'failed') return []
  return [postTransaction({ ...tenantOf(refund), subject_id, operation: 'refund_failed', legs: refundFailed(refund) })]
}

/** Moves refunds that are not locked yet; one that the table does not let move is left alone. */
export const moveRefund = defineReaction<Trigger & store.RefundKey>('refund', async (tx, triggers, now) => {
  const wanted = new Map(triggers.map((one) => [one.refund_id, one]))
  const refunds = await store.lockRefunds(tx, [...wanted.values()])
  return refunds.flatMap((refund) => transitionRefund(refund, wanted.get(refund.id)!, now)?.effects ?? [])
})
