import { recordAct } from '../audit-log/record-act.ts'
import { lockTransfer } from '../payouts/spending-limits.ts'
import { releaseUsage } from '../payouts/store.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Caller } from '../values/caller.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import { type BatchRow, type PayoutBatch, viewBatch } from './batch.ts'
import { transitionBatch } from './move-batch.ts'
import * as store from './store.ts'

type Dependencies = { sql: Sql; clock: Clock }

export type CancelBatchResult =
  | { kind: 'cancelled'; batch: PayoutBatch }
  /** Unknown, somebody else's, or past cancelling: one answer for all (interface). */
  | { kind: 'refused'; code: 'batch_not_cancellable' }

/** Cancels a batch that has sent nothing. Of a cancellation and an execution at once one wins. */
export async function cancelBatch(deps: Dependencies, caller: Caller, batch_id: string): Promise<CancelBatchResult> {
  const { merchant_id, livemode } = caller
  const key = { merchant_id, livemode, batch_id }
  return deps.sql.begin(async (tx): Promise<CancelBatchResult> => {
    const batch = await store.lockBatch(tx, key)
    const cancelled = batch === null ? null : await annul(tx, batch, 'cancelled', deps)
    if (cancelled === null) return { kind: 'refused', code: 'batch_not_cancellable' }
    return { kind: 'cancelled', batch: viewBatch(cancelled, await store.readLines(tx, key)) }
  })
}

export type DecideBatchResult =
  | { kind: 'decided'; status: BatchRow['status'] }
  | { kind: 'refused'; code: 'resource_not_found' | 'already_decided' | 'same_person' }

/** Lets a batch above the cap be executed. A person decides, and never whoever made it. */
export function approveBatch(deps: Dependencies, batch_id: string, decided_by: string): Promise<DecideBatchResult> {
  return decide(deps, batch_id, decided_by, 'payout_batch.approve', (tx, batch) =>
    transitionBatch(tx, batch, 'approved', deps.clock, { decided_by, approved: true }),
  )
}

/** Refuses a batch above the cap. */
export function refuseBatch(deps: Dependencies, batch_id: string, decided_by: string): Promise<DecideBatchResult> {
  return decide(deps, batch_id, decided_by, 'payout_batch.reject', (tx, batch) =>
    annul(tx, batch, 'refused', deps, decided_by),
  )
}

async function decide(
  { sql }: Dependencies,
  batch_id: string,
  decided_by: string,
  act: `payout_batch.${string}`,
  move: (tx: Tx, batch: BatchRow) => Promise<BatchRow | null>,
): Promise<DecideBatchResult> {
  const key = await store.findBatch(sql, batch_id)
  if (key === null) return { kind: 'refused', code: 'resource_not_found' }
  return sql.begin(async (tx): Promise<DecideBatchResult> => {
    const batch = (await store.lockBatch(tx, key))!
    const waits = batch.status === 'en_attente_validation'
    if (waits && !isIndependentApprover(batch.made_by, decided_by)) return { kind: 'refused', code: 'same_person' }
    const moved = await move(tx, batch)
    if (moved === null) return { kind: 'refused', code: 'already_decided' }
    const change = { before: { status: batch.status }, after: { status: moved.status, amount: batch.total_amount } }
    recordAct(tx, key, { actor: decided_by, act, subject: batch_id, ...change })
    return { kind: 'decided', status: moved.status }
  })
}

/** Ends a batch that has sent nothing: its lines are cancelled and it no longer counts towards the 24 hours. */
async function annul(
  tx: Tx,
  batch: BatchRow,
  trigger: 'cancelled' | 'refused',
  { clock }: Dependencies,
  decided_by?: string,
): Promise<BatchRow | null> {
  const moved = await transitionBatch(tx, batch, trigger, clock, decided_by === undefined ? {} : { decided_by })
  if (moved === null) return null
  const { merchant_id, livemode, id } = moved
  await lockTransfer(tx, { merchant_id, livemode })
  await store.cancelLines(tx, { merchant_id, livemode, batch_id: id })
  await releaseUsage(tx, [{ merchant_id, livemode, subject_id: id, amount: moved.total_amount }])
  return moved
}
