import type { MarkSending } from '../operators/begin-sending.ts'
import type { Conclude, Concluded } from '../operators/record-answer.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import { tenantOf } from '../values/caller.ts'
import { moveRefund, type Trigger } from './move-refund.ts'

/** Refunds whose sending begins are processing, in the transaction that commits us to it. */
export function markRefundSending(clock: Clock): MarkSending['refund'] {
  return (tx, keys) =>
    applyEffects(
      tx,
      keys.map((one) => moveRefund({ ...tenantOf(one), refund_id: one.subject_id, trigger: 'sending_began' })),
      clock.now(),
    )
}

/**
 * The effects of an instruction's end on its refund. Proof refunds the payment, a definite refusal gives the money back to the
 * merchant, and an uncertain answer changes nothing.
 */
export const concludeRefund: Conclude = (concluded) => {
  const trigger = triggerOf(concluded)
  return trigger === null ? [] : [moveRefund({ ...tenantOf(concluded), refund_id: concluded.subject_id, ...trigger })]
}

/** The trigger that an instruction's conclusion is for its refund; null: none. */
export function triggerOf({ conclusion }: Pick<Concluded, 'conclusion'>): Trigger | null {
  switch (conclusion.kind) {
    case 'succeeded':
      return { trigger: 'proof_received' }
    case 'failed':
      return { trigger: 'refusal_established', failure_code: conclusion.failure_code }
    // Said of payouts only: a refund that the operator does not conclude stays processing.
    case 'silent':
      return null
  }
}
