import { type LockedMeans, lockMeans, tenantKey, type UsualCaps } from '../payouts/means.ts'
import { startPayouts } from '../payouts/start-payout.ts'
import { isUseCounted, releaseUses, renewUse, writeWindows } from '../payouts/store.ts'
import type { Clock } from '../platform/clock.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { createBatcher, ofOneMerchant, type Pace } from '../platform/postgres/batcher.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Caller } from '../words/caller.ts'
import { newId } from '../words/ids.ts'
import type { BatchRow } from './batch.ts'
import { moveBatchOn } from './move-batch.ts'
import * as store from './store.ts'

export type ExecuteBatchDeps = {
  sql: Sql
  clock: Clock
  caps: UsualCaps
}

export type ExecuteBatchResult =
  | { kind: 'executed' }
  | {
      kind: 'refused'
      code: 'resource_not_found' | 'merchant_inactive' | 'batch_pending_approval' | 'batch_not_executable'
    }

/**
 * Executes a draft: funds are taken line by line in the order of the ranks, the lines they cover are sent, and a line
 * they do not cover fails alone. Of many executions at once one wins; the state under the lock is the idempotency. The
 * lines have their outcomes later (`createFollowBatches`).
 */
export async function executeBatch(
  deps: ExecuteBatchDeps,
  caller: Caller,
  batch_id: string,
): Promise<ExecuteBatchResult> {
  const { merchant_id, livemode } = caller
  const key = { merchant_id, livemode, batch_id }
  const refused = await deps.sql.begin((tx) => start(tx, caller, key, deps))
  if (refused !== null) return { kind: 'refused', code: refused }
  crashPoint('after_commit_before_ack')
  return { kind: 'executed' }
}

/** Looks of all callers at once: every 50 milliseconds while batches run, however many are waited for. */
const LOOKS: Pace = { ms: 50, enough: Number.POSITIVE_INFINITY }

/** Resolves when no line of a batch is without an outcome, or after `wait_seconds`. */
export type UntilBatchEnded = (key: store.BatchKey, wait_seconds: number) => Promise<void>

/** Follows batches that were executed, until they have ended. */
export function createFollowBatches({ sql }: { sql: Sql }): UntilBatchEnded {
  const hasEnded = createBatcher<store.BatchKey, boolean>({
    ...ofOneMerchant(sql, (key) => key),
    pace: LOOKS,
    async run(keys) {
      const running = new Set(await store.findRunning(sql, keys))
      return keys.map(({ batch_id }) => !running.has(batch_id))
    },
  })
  return async (key, wait_seconds) => {
    const deadline = performance.now() + wait_seconds * 1_000
    while (!(await hasEnded(key)) && performance.now() < deadline) {
      // The next look is due when the pace of looks says so.
    }
  }
}

type Refusal = Extract<ExecuteBatchResult, { kind: 'refused' }>['code']

async function start(
  tx: Tx,
  { merchant_active }: Caller,
  key: store.BatchKey,
  { clock, caps }: ExecuteBatchDeps,
): Promise<Refusal | null> {
  const batch = await store.lockBatch(tx, key)
  if (batch === null) return 'resource_not_found'
  if (!merchant_active) return 'merchant_inactive'
  if (batch.status === 'en_attente_validation') return 'batch_pending_approval'
  if (batch.status !== 'brouillon') return 'batch_not_executable'
  const locked = await lockMeans(tx, [key], caps)
  const means = locked.means.get(tenantKey(key))!
  if (!(await fitsCap(tx, key, batch, means))) {
    await moveBatchOn(tx, batch, 'cap_exceeded_since', clock)
    return 'batch_pending_approval'
  }

  const lines = await store.readLines(tx, key)
  const starts = lines.map((line) => {
    const total_debited = line.amount + line.fee_amount
    const covered = total_debited <= means.transfer
    if (covered) means.transfer -= total_debited
    const payout_id = covered ? newId('txn', clock.milliseconds()) : null
    return { line, payout_id, total_debited }
  })
  const covered = starts.filter(({ payout_id }) => payout_id !== null)
  const uncovered = starts.filter(({ payout_id }) => payout_id === null)
  const { merchant_id, livemode, batch_id } = key
  await startPayouts(
    tx,
    covered.map(({ line, payout_id, total_debited }) => {
      const { status: _, payout_id: __, failure_code: ___, ...kept } = line
      const made = { id: payout_id!, total_debited, currency: batch.currency, batch_id, created_at: clock.now() }
      return { merchant_id, livemode, ...kept, ...made }
    }),
    locked,
  )
  crashPoint('mid_batch_line')
  await store.startLines(
    tx,
    key,
    starts.map(({ line: { rank }, payout_id }) => ({
      rank,
      status: payout_id === null ? 'failed' : 'processing',
      payout_id,
      failure_code: payout_id === null ? 'insufficient_funds' : null,
    })),
  )
  if (uncovered.length > 0) {
    await releaseUses(
      tx,
      uncovered.map(({ line: { amount } }) => ({ merchant_id, livemode, subject_id: batch_id, amount })),
    )
  }
  const counts = { open_lines: covered.length, bad_lines: uncovered.length }
  const running = (await moveBatchOn(tx, batch, 'executed', clock, counts))!
  if (covered.length === 0) await moveBatchOn(tx, running, 'ended_with_errors', clock, counts)
  return null
}

/**
 * A draft counted towards the 24 hours when it was made; its payouts count from now. When more than a day has passed in
 * between, it must fit again, unless a person has approved it.
 */
async function fitsCap(tx: Tx, key: store.BatchKey, batch: BatchRow, means: LockedMeans): Promise<boolean> {
  const { merchant_id, livemode, batch_id } = key
  const use = { merchant_id, livemode, subject_id: batch_id }
  if (!(await isUseCounted(tx, use))) {
    if (batch.approved_at === null && means.used + batch.total_amount > means.caps.day) return false
    means.used += batch.total_amount
  }
  await renewUse(tx, use)
  writeWindows(tx, [{ merchant_id, livemode, used: means.used }])
  return true
}
