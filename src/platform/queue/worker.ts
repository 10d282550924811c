import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Sql } from '../postgres/database.ts'
import { type JobKind, onJobs, type Queue, queueNames } from './jobs.ts'
import { keepLeases } from './leases.ts'
import { type RunningQueue, runQueue } from './queue.ts'
import { freeJobsOf } from './queue-store.ts'

/** A kind of job with its handler. An exception puts the job back for a later try. */
export type BoundJob = { kind: JobKind<never>; handle: (payload: never) => Promise<void> }

/** Binds a handler to its kind of job; the compiler checks that the types agree. */
export function bindJob<Payload>(kind: JobKind<Payload>, handle: (payload: Payload) => Promise<void>): BoundJob {
  return { kind, handle } as unknown as BoundJob
}

export type Worker = { stop(): Promise<void> }

/**
 * The size of a partition in each queue. A job of money mostly waits for its operator's answer, which can take seconds, and may carry a
 * single payment. With fewer at once, payments would arrive faster than they are sent.
 */
const queues: Record<Queue, { concurrency: number; ahead: number }> = {
  money: { concurrency: 256, ahead: 64 },
  webhooks: { concurrency: 64, ahead: 128 },
  upkeep: { concurrency: 2, ahead: 0 },
}

/** Milliseconds for running jobs to end when the worker stops. After that another worker takes them over. */
const STOP_MS = 25_000

/**
 * Runs jobs until stopped. Each queue has its own runner and name, so that none waits for another. `stop` lets running
 * jobs end and releases those that have not begun.
 * @param sql a pool for the queue alone, so that a claim never waits for a running job
 */
export async function startWorker(options: {
  sql: Sql
  jobs: readonly BoundJob[]
  /** Whether this process may claim jobs of a queue now; asked before each claim. Absent: always. */
  mayRun?: (queue: Queue) => boolean
  log: Log
}): Promise<Worker> {
  const { sql, jobs, mayRun = () => true, log } = options
  const running = new Map<Queue, RunningQueue>()
  const worker_ids: string[] = []
  const forgets: (() => void)[] = []
  for (const queue of queueNames) {
    const { concurrency, ahead } = queues[queue]
    const ours = jobs.filter(({ kind }) => kind.queue === queue)
    if (ours.length === 0) continue
    const handlers = new Map(ours.map(({ kind, handle }) => [kind.name, handle as (payload: unknown) => Promise<void>]))
    // The process id helps people who read the table; the random part distinguishes the processes of two machines.
    const worker_id = `${queue}-${process.pid}-${randomBytes(9).toString('hex')}`
    worker_ids.push(worker_id)
    const runner = runQueue({ sql, queue, worker_id, handlers, concurrency, ahead, mayClaim: () => mayRun(queue), log })
    running.set(queue, runner)
    forgets.push(onJobs(queue, runner.wake))
  }
  const leases = keepLeases({ sql, worker_ids, log })

  return {
    async stop() {
      const ended = Promise.all(Array.from(running.values(), (runner) => runner.stop())).then(() => true)
      const inTime = await Promise.race([ended, sleep(STOP_MS, false, { ref: false })])
      if (!inTime) log.warn('queue: jobs did not end in time, left to another worker')
      for (const forget of forgets) forget()
      await leases.stop()
      await freeJobsOf(sql, worker_ids).catch((error) =>
        log.warn({ error }, 'queue: claimed jobs not released, they wait until their leases expire'),
      )
    },
  }
}
