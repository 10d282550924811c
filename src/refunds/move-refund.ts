import { postTransaction } from '../ledger/post.ts'
import { refundFailed } from '../ledger/postings.ts'
import { notePaymentRefunded } from '../payments/refund-payment.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects, type Effect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { findTransition } from '../values/transition.ts'
import type { RefundRow } from './refund.ts'
import { type RefundTrigger, transitions } from './states.ts'
import * as store from './store.ts'

/** Something that happened to a refund; the last fields are of those that a person closes. */
export type Trigger = store.RefundKey & { trigger: RefundTrigger } & Partial<
    Pick<store.Move, 'failure_code' | 'closed_by' | 'hand_reference' | 'closing_reason'>
  >

/**
 * Moves refunds along the table of states, with all that follows, in the caller's transaction: one that succeeded is noted
 * on its payment, whose merchant is told; one that failed gives back what it had taken, and changes nothing of the payment.
 * Returns the refunds that moved, as they now stand; what the table does not allow from where a refund stands is left alone.
 */
export async function transitionRefunds(tx: Tx, triggers: readonly Trigger[], clock: Clock): Promise<RefundRow[]> {
  if (triggers.length === 0) return []
  const byId = new Map(triggers.map((one) => [one.refund_id, one]))
  const refunds = await store.lockRefunds(tx, [...byId.values()])
  const moves = refunds.flatMap((refund): store.Move[] => {
    const wanted = byId.get(refund.id)!
    const transition = findTransition(transitions, refund.status, wanted.trigger)
    if (transition === null) return []
    const { merchant_id, livemode, id } = refund
    const { failure_code = null, closed_by = null, hand_reference = null, closing_reason = null } = wanted
    const about = { merchant_id, livemode, refund_id: id, failure_code, closed_by, hand_reference, closing_reason }
    return [{ ...about, from_status: transition.from, to_status: transition.to, cause: wanted.trigger }]
  })
  if (moves.length === 0) return []
  const moved = await store.moveRefunds(tx, moves)
  await applyEffects(tx, moved.flatMap(consequencesOf), clock.now())
  return moved
}

/** The effects of a refund's new status. */
function consequencesOf(refund: RefundRow): Effect[] {
  const { merchant_id, livemode, id: subject_id, status } = refund
  if (status === 'succeeded') return [notePaymentRefunded(refund)]
  if (status !== 'failed') return []
  return [
    postTransaction({ merchant_id, livemode, subject_id, operation: 'refund_failed', legs: refundFailed(refund) }),
  ]
}
