import type { PayoutRow } from '../payouts/payout.ts'
import { defineEffect, defineReaction, type Effect } from '../platform/commands/effects.ts'
import { tenantOf } from '../values/caller.ts'
import { countLines, transitionBatch } from './move-batch.ts'
import * as store from './store.ts'

/** A change of a batch's counts: `lines` fewer are open, `bad` more have failed or are indeterminate. */
type Ended = store.BatchKey & { lines: number; bad: number }

export const updateLine = defineEffect('batch line', store.updateLines)

/** Moves lines with their payouts, in the same transaction. The last line to end also ends its batch. */
export const followPayout = defineReaction<PayoutRow>('batch line', async (tx, payouts) => {
  const outcomes = new Map(payouts.map((payout) => [`${payout.batch_id}/${payout.rank}`, outcomeOf(payout)]))
  const lines = await store.lockLines(tx, [...outcomes.values()])
  return lines.flatMap((line) => followLine(line, outcomes.get(`${line.batch_id}/${line.rank}`)!))
})

/** The effects of an outcome on a locked line. The line is open until its first outcome. An indeterminate line that succeeds no longer counts as bad. Pure. */
export function followLine(line: store.LockedLine, outcome: store.LineOutcome): Effect[] {
  const { batch_id } = line
  const lines = line.status === 'processing' ? 1 : 0
  const wasBad = line.status === 'indeterminate'
  const isGood = outcome.status === 'succeeded'
  const bad = (lines === 1 && !isGood ? 1 : 0) - (wasBad && isGood ? 1 : 0)
  return [updateLine(outcome), endLines({ ...tenantOf(line), batch_id, lines, bad })]
}

const endLines = defineReaction<Ended>('batch', async (tx, ended, now) => {
  const batches = await store.lockBatches(tx, ended)
  return batches.flatMap((batch) =>
    endLinesOf(
      batch,
      ended.filter(({ batch_id }) => batch_id === batch.id),
      now,
    ),
  )
})

/**
 * The effects on a locked batch when lines of it end. An indeterminate line counts as an error: the batch ends without waiting for it, and
 * the service keeps asking about its payout. Pure.
 */
export function endLinesOf(
  batch: store.LockedBatch,
  ended: readonly Pick<Ended, 'lines' | 'bad'>[],
  now: Date,
): Effect[] {
  const open_lines = ended.reduce((open, { lines }) => open - lines, batch.open_lines)
  const bad_lines = ended.reduce((bad, one) => bad + one.bad, batch.bad_lines)
  const trigger = bad_lines > 0 ? 'ended_with_errors' : 'all_lines_succeeded'
  const moved = open_lines > 0 ? null : transitionBatch(batch, { trigger, bad_lines }, now)
  return moved?.effects ?? [countLines({ ...batch, open_lines, bad_lines })]
}

function outcomeOf({ batch_id, rank, status, failure_code, ...of }: PayoutRow): store.LineOutcome {
  // Only payouts with an outcome reach a line, so the status is one of a line.
  return {
    ...tenantOf(of),
    batch_id: batch_id!,
    rank: rank!,
    status: status as store.LineOutcome['status'],
    failure_code,
  }
}
