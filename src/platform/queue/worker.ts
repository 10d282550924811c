import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Sql } from '../postgres/database.ts'
import { type JobKind, onJobs, type Queue, queueNames } from './jobs.ts'
import { keepLeases } from './leases.ts'
import { type RunningQueue, runQueue } from './queue.ts'
import { freeJobsOf } from './queue-store.ts'

/** A kind of job with what carries it out. An exception puts the job back, to be tried again later. */
export type BoundJob = { kind: JobKind<never>; handle: (payload: never) => Promise<void> }

/** Binds a handler to its kind of job, with the types of both checked against one another. */
export function bindJob<Payload>(kind: JobKind<Payload>, handle: (payload: Payload) => Promise<void>): BoundJob {
  return { kind, handle } as unknown as BoundJob
}

export type Worker = { stop(): Promise<void> }

/**
 * Jobs of one partition run at once, and how many are taken ahead. A job of money mostly waits for its operator's answer, which can take
 * seconds, and may be of one payment: fewer at once would be fewer payments a second than arrive.
 */
const queues: Record<Queue, { concurrency: number; ahead: number }> = {
  money: { concurrency: 256, ahead: 64 },
  webhooks: { concurrency: 64, ahead: 128 },
  upkeep: { concurrency: 2, ahead: 0 },
}

/** Milliseconds that jobs under way get to end when the worker stops; then they are left to another. */
const STOP_MS = 25_000

/**
 * Runs jobs until stopped. Each queue has its own runner and name, so that none waits for another. `stop` lets running
 * jobs end and gives back those only taken.
 * @param sql a pool for the queue alone, so that taking a job never waits behind one
 */
export async function startWorker(options: { sql: Sql; jobs: readonly BoundJob[]; log: Log }): Promise<Worker> {
  const { sql, jobs, log } = options
  const running = new Map<Queue, RunningQueue>()
  const worker_ids: string[] = []
  const forgets: (() => void)[] = []
  for (const queue of queueNames) {
    const { concurrency, ahead } = queues[queue]
    const ours = jobs.filter(({ kind }) => kind.queue === queue)
    if (ours.length === 0) continue
    const handlers = new Map(ours.map(({ kind, handle }) => [kind.name, handle as (payload: unknown) => Promise<void>]))
    // The number of the process is for people who look at the table; what is behind it keeps processes of two machines apart.
    const worker_id = `${queue}-${process.pid}-${randomBytes(9).toString('hex')}`
    worker_ids.push(worker_id)
    const runner = runQueue({ sql, queue, worker_id, handlers, concurrency, ahead, log })
    running.set(queue, runner)
    forgets.push(onJobs(queue, runner.wake))
  }
  const leases = keepLeases({ sql, worker_ids, log })

  return {
    async stop() {
      const ended = Promise.all(Array.from(running.values(), (runner) => runner.stop())).then(() => true)
      const inTime = await Promise.race([ended, sleep(STOP_MS, false, { ref: false })])
      if (!inTime) log.warn('jobs that do not end are left to another worker')
      for (const forget of forgets) forget()
      await leases.stop()
      await freeJobsOf(sql, worker_ids).catch((error) =>
        log.warn({ error }, 'queue: jobs in hand are left until their lease runs out'),
      )
    },
  }
}
