import type { MarkSending } from '../operators/begin-sending.ts'
import type { Concluded } from '../operators/record-answer.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
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
 * Moves the refunds of answered instructions, in the transaction that records the answers. Proof refunds the payment, a
 * definite refusal gives the money back to the merchant, and an uncertain answer changes nothing.
 */
export function concludeRefunds(clock: Clock) {
  return (tx: Tx, concluded: readonly Concluded[]): Promise<void> =>
    applyEffects(
      tx,
      concluded.flatMap((one) => {
        const trigger = triggerOf(one)
        return trigger === null ? [] : [moveRefund({ ...tenantOf(one), refund_id: one.subject_id, ...trigger })]
      }),
      clock.now(),
    )
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
