import type { Log } from '../log.ts'
import type { Sql } from '../postgres/database.ts'
import { type PeriodicTask, runEvery } from '../run-every.ts'
import * as store from './queue-store.ts'

/** Milliseconds between two turns. A lease is extended once a third of it has passed, so every ten to fifteen seconds. */
const TURN_MS = 5_000

export type LeaseOptions = {
  sql: Sql
  /** The workers of this process. */
  worker_ids: readonly string[]
  log: Log
}

/**
 * Extends the leases of the jobs that the workers of this process hold, and frees jobs whose lease has run out: their process was killed,
 * hangs, or lost the database. A process that wakes from a hang cannot change a freed job (`dropJobs`, `putBackJobs`). A wrong takeover
 * costs only time, because every job is safe to repeat.
 */
export function keepLeases({ sql, worker_ids, log }: LeaseOptions): PeriodicTask {
  let extendedAt = Number.NEGATIVE_INFINITY
  return runEvery('leases of jobs', TURN_MS, log, async () => {
    await store.extendLeases(sql, worker_ids)
    // While the database was away nobody extended a lease. The first process to return must give the others a turn to do so.
    const wasHeard = performance.now() - extendedAt < 2 * TURN_MS
    extendedAt = performance.now()
    if (!wasHeard) return
    const freed = await store.freeExpiredJobs(sql)
    if (freed.length > 0) log.warn({ workers: freed }, 'queue: leases expired, their jobs are released')
  })
}
