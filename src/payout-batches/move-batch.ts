import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { findTransition } from '../values/transition.ts'
import { emitEvents } from '../webhooks/emit.ts'
import { type BatchRow, viewBatch } from './batch.ts'
import { type BatchTrigger, transitions } from './states.ts'
import * as store from './store.ts'

/**
 * Moves a batch that the caller's transaction has locked along the table of states, and tells the merchant where the
 * table says so. Null: the table does not allow it from where the batch stands, and nothing was written.
 */
export async function transitionBatch(
  tx: Tx,
  batch: BatchRow,
  trigger: BatchTrigger,
  clock: Clock,
  changes: Omit<store.BatchMove, 'to_status'> = {},
): Promise<BatchRow | null> {
  const transition = findTransition(transitions, batch.status, trigger)
  if (transition === null) return null
  const { merchant_id, livemode, id } = batch
  const key = { merchant_id, livemode, batch_id: id }
  const moved = await store.moveBatch(tx, key, { ...changes, to_status: transition.to })
  if (transition.event !== null) {
    const data = viewBatch(moved, await store.readLines(tx, key))
    await emitEvents(tx, [{ merchant_id, livemode, type: transition.event, subject_id: id, data }], clock.now())
  }
  return moved
}
