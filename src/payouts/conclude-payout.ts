import type { Begun } from '../operators/sending/begin/mark-sending.ts'
import type { Conclude, Concluded } from '../operators/sending/record/received-answer.ts'
import type { Effect } from '../platform/commands/effects.ts'
import { tenantOf } from '../values/caller.ts'
import { createMovePayout, type FollowPayout, type Trigger } from './move-payout.ts'

/**
 * Moves payouts to `processing` in the transaction that commits us to sending them. A payout that no connector can
 * carry fails.
 */
export function markPayoutSending(follow: FollowPayout): (begun: Begun) => Effect {
  const move = createMovePayout(follow)
  return ({ subject_id: payout_id, failure_code, ...of }) => {
    const trigger = failure_code === null ? 'sending_began' : 'not_routable'
    return move({ ...tenantOf(of), payout_id, trigger, failure_code })
  }
}

/**
 * Decides what the end of an instruction changes on its payout. The money goes back only after a definite refusal. When
 * the operator is silent the payout becomes `indeterminate` and the money stays in flight.
 */
export function createConcludePayout(follow: FollowPayout): Conclude {
  const move = createMovePayout(follow)
  return (concluded) => [move({ ...tenantOf(concluded), payout_id: concluded.subject_id, ...triggerOf(concluded) })]
}

/** Maps an instruction's conclusion to the trigger of its payout. */
export function triggerOf({ conclusion, wallet }: Pick<Concluded, 'conclusion' | 'wallet'>): Trigger {
  switch (conclusion.kind) {
    case 'succeeded':
      return { trigger: 'proof_received', wallet }
    case 'failed':
      return { trigger: 'refusal_established', failure_code: conclusion.failure_code }
    case 'silent':
      return { trigger: 'operator_silent' }
  }
}
