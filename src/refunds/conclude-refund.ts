import type { Begun } from '../operators/sending/begin/mark-sending.ts'
import type { Conclude, Concluded } from '../operators/sending/record/received-answer.ts'
import type { Effect } from '../platform/commands/effects.ts'
import { tenantOf } from '../values/caller.ts'
import { moveRefund, type Trigger } from './move-refund.ts'

/**
 * Moves a refund to `processing` in the transaction that commits us to send its order. A refund that no connector can carry fails.
 */
export function markRefundSending({ subject_id: refund_id, failure_code, ...of }: Begun): Effect {
  const trigger = failure_code === null ? 'sending_began' : 'not_routable'
  return moveRefund({ ...tenantOf(of), refund_id, trigger, failure_code })
}

/**
 * The effects of an instruction's end on its refund. Proof completes the refund. A definite refusal returns the amount to the
 * merchant. An uncertain answer changes nothing.
 */
export const concludeRefund: Conclude = (concluded) => {
  const trigger = triggerOf(concluded)
  return trigger === null ? [] : [moveRefund({ ...tenantOf(concluded), refund_id: concluded.subject_id, ...trigger })]
}

/** The trigger that an instruction's conclusion gives its refund. Null when there is none. */
export function triggerOf({ conclusion }: Pick<Concluded, 'conclusion'>): Trigger | null {
  switch (conclusion.kind) {
    case 'succeeded':
      return { trigger: 'proof_received' }
    case 'failed':
      return { trigger: 'refusal_established', failure_code: conclusion.failure_code }
    // Only payouts become indeterminate: a refund that the operator does not conclude stays `processing`.
    case 'silent':
      return null
  }
}
