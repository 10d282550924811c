import type { MarkSending } from '../operators/begin-sending.ts'
import type { Concluded } from '../operators/record-answer.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
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
 * Moves the payouts of answered instructions, in the transaction that records the answers. Only a definite refusal gives the money back;
 * silence of the operator makes the payout indeterminate and leaves the money where it is.
 */
export function concludePayouts(clock: Clock, follow: FollowPayout) {
  const move = createMovePayout(follow)
  return (tx: Tx, concluded: readonly Concluded[]): Promise<void> =>
    applyEffects(
      tx,
      concluded.map((one) => move({ ...tenantOf(one), payout_id: one.subject_id, ...triggerOf(one) })),
      clock.now(),
    )
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
