import { lockAccounts, post } from '../ledger/post.ts'
import { payoutFailed, payoutSucceeded } from '../ledger/postings.ts'
import type { Instruction } from '../operators/instruction.ts'
import type { Concluded } from '../operators/record-answer.ts'
import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { type Trigger, transitionPayouts } from './move-payout.ts'
import type { PayoutRow } from './payout.ts'
import * as store from './store.ts'

/** Told of payouts that moved, in the transaction that moved them: batches follow their lines by it. */
export type OnPayoutsMoved = (tx: Tx, payouts: readonly PayoutRow[]) => Promise<void>

/** Payouts whose sending begins are processing, in the transaction that commits us to it. */
export function markPayoutSending(clock: Clock, onMoved: OnPayoutsMoved) {
  return async (tx: Tx, instructions: readonly Instruction[]): Promise<void> => {
    const moved = await transitionPayouts(
      tx,
      instructions.map(({ merchant_id, livemode, subject_id }) => {
        return { merchant_id, livemode, payout_id: subject_id, trigger: 'sending_began', failure_code: null }
      }),
      clock,
    )
    await onMoved(tx, moved)
  }
}

/**
 * Moves the payouts of answered instructions, in the transaction that records the answers: the state, the ledger and the
 * merchant's event, all or nothing. Only a definite refusal gives the money back; silence of the operator makes the payout
 * indeterminate and leaves the money where it is.
 */
export function concludePayouts(clock: Clock, onMoved: OnPayoutsMoved) {
  return async (tx: Tx, concluded: readonly Concluded[]): Promise<void> => {
    const moved = await transitionPayouts(tx, concluded.map(triggerOf), clock)
    await onMoved(tx, moved)
    const ended = moved.filter(({ status }) => status === 'succeeded' || status === 'failed')
    if (ended.length === 0) return
    const transactions = ended.map((payout) => {
      const succeeded = payout.status === 'succeeded'
      return {
        merchant_id: payout.merchant_id,
        livemode: payout.livemode,
        subject_id: payout.id,
        operation: succeeded ? ('payout_succeeded' as const) : ('payout_failed' as const),
        legs: succeeded ? payoutSucceeded(payout) : payoutFailed(payout),
      }
    })
    // The transfer account is locked even where nothing returns to it: usage is only written under it.
    await lockAccounts(
      tx,
      [
        ...transactions.map(({ merchant_id, livemode, legs }) => {
          return { merchant_id, livemode, accounts: ['transfer', ...legs.map(({ account }) => account)] }
        }),
        ...concluded.map(({ merchant_id, livemode, accounts_too = [] }) => {
          return { merchant_id, livemode, accounts: accounts_too }
        }),
      ].flatMap(({ merchant_id, livemode, accounts }) =>
        accounts.map((account) => ({ merchant_id, livemode, account })),
      ),
    )
    const failed = ended.filter(({ status }) => status === 'failed')
    await Promise.all([post(tx, transactions), failed.length > 0 ? store.releaseUsage(tx, failed.map(usageOf)) : null])
  }
}

/** The usage that a failed payout gives back; a line of a batch gives back to that of its batch. */
function usageOf({ merchant_id, livemode, id, batch_id, amount }: PayoutRow): store.Usage {
  return { merchant_id, livemode, subject_id: batch_id ?? id, amount }
}

function triggerOf({ merchant_id, livemode, subject_id, conclusion }: Concluded): Trigger {
  const about = { merchant_id, livemode, payout_id: subject_id }
  switch (conclusion.kind) {
    case 'succeeded':
      return { ...about, trigger: 'proof_received', failure_code: null }
    case 'failed':
      return { ...about, trigger: 'refusal_established', failure_code: conclusion.failure_code }
    case 'silent':
      return { ...about, trigger: 'operator_silent', failure_code: null }
  }
}
