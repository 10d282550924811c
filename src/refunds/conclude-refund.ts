import type { MarkSending } from '../operators/begin-sending.ts'
import type { Concluded } from '../operators/record-answer.ts'
import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { type Trigger, transitionRefunds } from './move-refund.ts'

/** Refunds whose sending begins are processing, in the transaction that commits us to it. */
export function markRefundSending(clock: Clock): MarkSending['refund'] {
  return async (tx, keys) => {
    await transitionRefunds(
      tx,
      keys.map(({ merchant_id, livemode, subject_id }) => {
        return { merchant_id, livemode, refund_id: subject_id, trigger: 'sending_began' }
      }),
      clock,
    )
  }
}

/**
 * Moves the refunds of answered instructions, in the transaction that records the answers. Proof refunds the payment, a
 * definite refusal gives the money back to the merchant, and an uncertain answer changes nothing.
 */
export function concludeRefunds(clock: Clock) {
  return async (tx: Tx, concluded: readonly Concluded[]): Promise<void> => {
    await transitionRefunds(tx, concluded.flatMap(triggerOf), clock)
  }
}

function triggerOf({ merchant_id, livemode, subject_id, conclusion }: Concluded): Trigger[] {
  const about = { merchant_id, livemode, refund_id: subject_id }
  switch (conclusion.kind) {
    case 'succeeded':
      return [{ ...about, trigger: 'proof_received' }]
    case 'failed':
      return [{ ...about, trigger: 'refusal_established', failure_code: conclusion.failure_code }]
    // Said of payouts only: a refund that the operator does not conclude stays processing.
    case 'silent':
      return []
  }
}
