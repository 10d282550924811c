import { postTransaction } from '../ledger/post.ts'
import { payoutFailed, payoutSucceeded } from '../ledger/postings.ts'
import { defineEffect, defineReaction, type Effect } from '../platform/commands/effects.ts'
import { defineTransition } from '../platform/commands/transitions.ts'
import { tenantOf } from '../values/caller.ts'
import type { FailureCode } from '../values/failure-codes.ts'
import { emitEvent } from '../webhooks/emit.ts'
import { type PayoutRow, viewPayout } from './payout.ts'
import { type PayoutTrigger, transitions } from './states.ts'
import * as store from './store.ts'

/** A trigger of a payout's transition; the code is of one that failed. */
export type Trigger = { trigger: PayoutTrigger; failure_code?: FailureCode | null }

/** One move of a locked payout: `defineTransition` says how. */
export const transitionPayout = defineTransition({
  rank: 'payout',
  transitions,
  write: store.updatePayouts,
  change: (_: store.LockedPayout, __, { failure_code = null }: Omit<Trigger, 'trigger'>) => ({ failure_code }),
  tell: (payout, type) => emitEvent({ ...tenantOf(payout), type, subject_id: payout.id, data: viewPayout(payout) }),
})

/** The effect of a payout's move on the line of its batch. Passed in, because batches stand above payouts. */
export type FollowPayout = (payout: PayoutRow) => Effect

/** Gives back what a payout, a request or a batch counted towards the 24 hours. The transaction has locked the account `transfer`. */
export const releaseUsage = defineEffect('payout cap usage', store.releaseUsage)

/**
 * Moves payouts with all that follows: the state, the merchant's event, the line of its batch, the ledger and the usage, all or nothing.
 * A payout that the table does not let move from where it stands is left alone.
 */
export function createMovePayout(follow: FollowPayout) {
  return defineReaction<Trigger & store.PayoutKey>('payout', async (tx, triggers, now) => {
    const wanted = new Map(triggers.map((one) => [one.payout_id, one]))
    const payouts = await store.lockPayouts(tx, [...wanted.values()])
    return payouts.flatMap((payout) => movePayout(payout, wanted.get(payout.id)!, now, follow))
  })
}

/**
 * The effects of a trigger on a locked payout; none when it does not move. Only a definite refusal gives the money back, or an end
 * before anything was sent. Pure.
 */
export function movePayout(payout: store.LockedPayout, trigger: Trigger, now: Date, follow: FollowPayout): Effect[] {
  const moved = transitionPayout(payout, trigger, now)
  if (moved === null) return []
  const { id: subject_id, status, batch_id, amount } = moved.row
  const about = { ...tenantOf(payout), subject_id }
  const effects = [...moved.effects, ...(batch_id === null || status === 'processing' ? [] : [follow(moved.row)])]
  if (status === 'succeeded') {
    effects.push(postTransaction({ ...about, operation: 'payout_succeeded', legs: payoutSucceeded(moved.row) }))
  }
  if (status === 'failed') {
    effects.push(
      postTransaction({ ...about, operation: 'payout_failed', legs: payoutFailed(moved.row) }),
      // A line of a batch gives back to the usage of its batch.
      releaseUsage({ ...about, subject_id: batch_id ?? subject_id, amount }),
    )
  }
  return effects
}
