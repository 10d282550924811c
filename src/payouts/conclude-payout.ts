import type { MarkSending } from '../operators/begin-sending.ts'
import type { Conclude, Concluded } from '../operators/record-answer.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import { tenantOf } from '../values/caller.ts'
import { createMovePayout, type FollowPayout, type Trigger } from './move-payout.ts'

/** Payouts whose sending begins are processing, in the transaction that commits us to it. */
export function markPayoutSending(clock: Clock, follow: FollowPayout): MarkSending['payout'] {
  const move = createMovePayout(follow)
  return (tx, keys) =>
    applyEffects(
      tx,
      keys.map((one) => move({ ...tenantOf(one), payout_id: one.subject_id, trigger: 'sending_began' })),
      clock.now(),
    )
}

/**
 * The effects of an instruction's end on its payout. Only a definite refusal gives the money back; silence of the operator makes the
 * payout indeterminate and leaves the money where it is.
 */
export function createConcludePayout(follow: FollowPayout): Conclude {
  const move = createMovePayout(follow)
  return (concluded) => [move({ ...tenantOf(concluded), payout_id: concluded.subject_id, ...triggerOf(concluded) })]
}

/** The trigger that an instruction's conclusion is for its payout. */
export function triggerOf({ conclusion }: Pick<Concluded, 'conclusion'>): Trigger {
  switch (conclusion.kind) {
    case 'succeeded':
      return { trigger: 'proof_received' }
    case 'failed':
      return { trigger: 'refusal_established', failure_code: conclusion.failure_code }
    case 'silent':
      return { trigger: 'operator_silent' }
  }
}
