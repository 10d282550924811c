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

/** A trigger of a payout's transition. `failure_code` is set when the payout fails, and `wallet`, the external account that paid, when it succeeds. */
export type Trigger = { trigger: PayoutTrigger; failure_code?: FailureCode | null; wallet?: string | null }

/** Moves a locked payout along its table of transitions; see `defineTransition`. */
export const transitionPayout = defineTransition({
  rank: 'payout',
  transitions,
  write: store.updatePayouts,
  change: (_: store.LockedPayout, __, { failure_code = null }: Omit<Trigger, 'trigger'>) => ({ failure_code }),
  tell: (payout, type) => emitEvent({ ...tenantOf(payout), type, subject_id: payout.id, data: viewPayout(payout) }),
})

/**
 * Updates the batch line of a payout that changed state. Passed in, because `payout-batches` is a layer above
 * `payouts`.
 */
export type FollowPayout = (payout: PayoutRow) => Effect

/**
 * Gives back the usage of a payout, a request or a batch under the day's cap. The transaction has locked the account
 * `transfer`.
 */
export const releaseUsage = defineEffect('payout cap usage', store.releaseUsage)

/**
 * Moves payouts with everything that follows: the state, the merchant's event, the batch line, the ledger and the
 * usage. All of it happens or none. A payout that the table of transitions does not let move is left unchanged.
 */
export function createMovePayout(follow: FollowPayout) {
  return defineReaction<Trigger & store.PayoutKey>('payout', async (tx, triggers, now) => {
    const wanted = new Map(triggers.map((one) => [one.payout_id, one]))
    const payouts = await store.lockPayouts(tx, [...wanted.values()])
    return payouts.flatMap((payout) => movePayout(payout, wanted.get(payout.id)!, now, follow))
  })
}

/**
 * The effects of a trigger on a locked payout. Empty when the payout does not change state. The money goes back only
 * after a definite refusal, or when the payout ends before it was sent. Pure.
 */
export function movePayout(payout: store.LockedPayout, trigger: Trigger, now: Date, follow: FollowPayout): Effect[] {
  const moved = transitionPayout(payout, trigger, now)
  if (moved === null) return []
  const { id: subject_id, status, batch_id, amount } = moved.row
  const about = { ...tenantOf(payout), subject_id }
  const effects = [...moved.effects, ...(batch_id === null || status === 'processing' ? [] : [follow(moved.row)])]
  if (status === 'succeeded') {
    const { wallet = null } = trigger
    if (wallet === null) throw new Error(`${subject_id} succeeded, and no wallet paid it.`)
    effects.push(postTransaction({ ...about, operation: 'payout_succeeded', legs: payoutSucceeded(moved.row, wallet) }))
  }
  if (status === 'failed') {
    effects.push(
      postTransaction({ ...about, operation: 'payout_failed', legs: payoutFailed(moved.row) }),
      // A payout of a batch gives back the usage of its batch.
      releaseUsage({ ...about, subject_id: batch_id ?? subject_id, amount }),
    )
  }
  return effects
}
