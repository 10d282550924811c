import type { CheckRecipient } from '../operators/recipients/check-recipient.ts'
import { partitionOf } from '../operators/sending/jobs.ts'
import type { Checker } from '../payouts/check-recipient.ts'
import { chunksOf } from '../platform/chunks.ts'
import type { Clock } from '../platform/clock.ts'
import type { Limits } from '../platform/limits/windows.ts'
import type { Db, Sql } from '../platform/postgres/database.ts'
import { defineJob, enqueue, type NewJob } from '../platform/queue/jobs.ts'
import { tenantKey, tenantOf } from '../values/caller.ts'
import { Msisdn } from '../values/msisdn.ts'
import { isDraft } from './batch.ts'
import * as store from './check-store.ts'
import { type BatchKey, lockBatches, readBatch } from './store.ts'

/** The most lines in one job, all of one operator, and the most that a job asks about at once. */
const JOB_LINES = 16
const TOGETHER = 8
/** Milliseconds after which the job of a line without a result counts as lost. */
const FORGOTTEN_MS = 600_000

type LinesToCheck = BatchKey & { ranks: number[] }

/** Checks lines of one batch. It is not in the queue of money, and each operator has its own partition: a slow operator delays only its own checks. */
export const checkLinesJob = defineJob<LinesToCheck>('check-batch-lines', 'upkeep')

export type CheckBatchResult =
  | { kind: 'checking' }
  | {
      kind: 'refused'
      code: 'resource_not_found' | 'merchant_inactive' | 'batch_not_executable' | 'too_many_attempts'
    }

export type CheckBatch = (caller: Checker, batch_id: string) => Promise<CheckBatchResult>

type Dependencies = {
  sql: Sql
  clock: Clock
  limits: Pick<Limits, 'hit'>
  /** The most checks in a minute for one merchant in one mode. The check of a batch counts as one. */
  per_merchant: number
}

/**
 * Enqueues jobs that check the lines of a draft: whether each name is that of its number's holder. A line keeps a result other than
 * `unknown`. The check moves no money, and an execution neither waits for it nor depends on it. Refusals, in order of precedence: an
 * unknown batch, an inactive merchant, a batch that was executed or cancelled, too many checks in this minute.
 */
export function createCheckBatch({ sql, clock, limits, per_merchant }: Dependencies): CheckBatch {
  return async (caller, batch_id) => {
    const key = { ...tenantOf(caller), batch_id }
    const batch = await readBatch(sql, key)
    if (batch === null) return { kind: 'refused', code: 'resource_not_found' }
    if (!caller.merchant_active) return { kind: 'refused', code: 'merchant_inactive' }
    if (!isDraft(batch)) return { kind: 'refused', code: 'batch_not_executable' }
    const { passed } = await limits.hit('recipient_check', tenantKey(caller), per_merchant)
    if (!passed) return { kind: 'refused', code: 'too_many_attempts' }
    return sql.begin(async (tx): Promise<CheckBatchResult> => {
      const [locked] = await lockBatches(tx, [key])
      // Another call executed or cancelled it meanwhile.
      if (!isDraft(locked!)) return { kind: 'refused', code: 'batch_not_executable' }
      const now = clock.now()
      const forgotten = new Date(now.getTime() - FORGOTTEN_MS)
      enqueue(tx, checkLinesJob, jobsFor(key, await store.markLinesAsked(tx, key, { now, forgotten })))
      return { kind: 'checking' }
    })
  }
}

/** Makes the jobs for lines of a batch. Each operator has its own partition. */
function jobsFor(key: BatchKey, lines: readonly { rank: number; operator: string | null }[]): NewJob<LinesToCheck>[] {
  return [...Map.groupBy(lines, ({ operator }) => operator)].flatMap(([operator, ofOne]) => {
    const ranks = ofOne.map(({ rank }) => rank).toSorted((one, other) => one - other)
    return Array.from(chunksOf(ranks, JOB_LINES), (some) => ({
      payload: { ...key, ranks: [...some] },
      partition_key: partitionOf({ operator, livemode: key.livemode }),
      owner: String(key.merchant_id),
      weight: some.length,
    }))
  })
}

/**
 * Creates the job that checks lines. It writes each result as it comes, so that after a crash another worker asks only about the remaining
 * lines. A line whose number was checked too often is `unknown`.
 */
export function createCheckLines({
  sql,
  clock,
  checkRecipient,
}: {
  sql: Db
  clock: Clock
  checkRecipient: CheckRecipient
}) {
  return async ({ ranks, ...key }: LinesToCheck): Promise<void> => {
    for (const some of chunksOf(ranks, TOGETHER)) {
      const lines = await store.readAskedLines(sql, key, some)
      await Promise.all(
        lines.map(async (line) => {
          const { msisdn, operator, name } = line
          const word = await checkRecipient(tenantOf(key), { msisdn: Msisdn.stored(msisdn), operator, name })
          const result = word === 'too_often' ? 'unknown' : word
          await store.writeLineCheck(sql, key, line, { result, now: clock.now() })
        }),
      )
    }
  }
}
