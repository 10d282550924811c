import type { Log } from '../log.ts'
import type { Sql } from '../postgres/database.ts'
import { type PeriodicTask, runEvery } from '../run-every.ts'
import * as store from './queue-store.ts'

/** Milliseconds between two turns. A job's lease is extended while a third of it has passed, so ten to fifteen seconds apart. */
const TURN_MS = 5_000

export type LeaseOptions = {
  sql: Sql
  /** The workers of this process. */
  worker_ids: readonly string[]
  log: Log
}

/**
 * Extends the leases of the jobs that the workers of this process have in hand, and frees jobs whose lease has run out: their process
 * was killed, hangs, or lost the database. A process that hung and goes on changes nothing of a job that was freed
 * (`dropJobs`, `putBackJobs`). A job taken over wrongly costs only time, because whatever a job does is safe to repeat.
 */
export function keepLeases({ sql, worker_ids, log }: LeaseOptions): PeriodicTask {
  let extendedAt = Number.NEGATIVE_INFINITY
  return runEvery('leases of jobs', TURN_MS, log, async () => {
    await store.extendLeases(sql, worker_ids)
    // When the database was away no lease was extended: the first process to come back must leave the others a turn for it.
    const wasHeard = performance.now() - extendedAt < 2 * TURN_MS
    extendedAt = performance.now()
    if (!wasHeard) return
    const freed = await store.freeExpiredJobs(sql)
    if (freed.length > 0) log.warn({ workers: freed }, 'queue: leases ran out, their jobs are free again')
  })
}
