import type { OnPayoutsMoved } from '../payouts/conclude-payout.ts'
import type { Clock } from '../platform/clock.ts'
import { transitionBatch } from './move-batch.ts'
import * as store from './store.ts'

/**
 * Lines follow their payouts, in the transaction that moved them, and the last line that ends ends its batch. A line
 * that is not confirmed then counts as an error: the caller looks at the ranks, and the payout goes on being cleared up.
 */
export function followBatchLines(clock: Clock): OnPayoutsMoved {
  return async (tx, payouts) => {
    const outcomes = payouts.flatMap(({ merchant_id, livemode, batch_id, rank, status, failure_code }) => {
      if (batch_id === null || rank === null || status === 'created' || status === 'processing') return []
      return [{ merchant_id, livemode, batch_id, rank, status, failure_code }]
    })
    if (outcomes.length === 0) return
    for (const batch of await store.followLines(tx, outcomes)) {
      if (batch.open_lines > 0) continue
      const trigger = batch.bad_lines > 0 ? 'ended_with_errors' : 'all_lines_succeeded'
      await transitionBatch(tx, batch, trigger, clock, { bad_lines: batch.bad_lines })
    }
  }
}
