import type { Begun } from '../operators/sending/begin-sending.ts'
import type { Conclude, Concluded } from '../operators/sending/record-answer.ts'
import type { Effect } from '../platform/commands/effects.ts'
import { tenantOf } from '../values/caller.ts'
import { createMovePayout, type FollowPayout, type Trigger } from './move-payout.ts'

/** A payout whose sending begins is processing, in the transaction that commits us to it; one that can be given to nobody fails. */
export function markPayoutSending(follow: FollowPayout): (begun: Begun) => Effect {
  const move = createMovePayout(follow)
  return ({ subject_id: payout_id, failure_code, ...of }) => {
    const trigger = failure_code === null ? 'sending_began' : 'not_routable'
    return move({ ...tenantOf(of), payout_id, trigger, failure_code })
  }
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
