import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Sql } from '../postgres/database.ts'
import { type JobKind, type Lane, laneNames, onJobs } from './jobs.ts'
import { type RunningLane, runLane } from './lane.ts'
import { freeJobsOf } from './lane-store.ts'
import { keepLeases } from './leases.ts'

/** A kind of job with what carries it out. An exception puts the job back, to be tried again later. */
export type BoundJob = { kind: JobKind<never>; handle: (payload: never) => Promise<void> }

/** Binds a handler to its kind of job, with the types of both checked against one another. */
export function bindJob<Payload>(kind: JobKind<Payload>, handle: (payload: Payload) => Promise<void>): BoundJob {
  return { kind, handle } as unknown as BoundJob
}

export type Worker = { stop(): Promise<void> }

/**
 * Jobs of one line run at once, and how many are taken ahead. A job of money mostly waits for its operator's answer, which can take
 * seconds, and may be of one payment: fewer at once would be fewer payments a second than arrive.
 */
const lanes: Record<Lane, { concurrency: number; ahead: number }> = {
  money: { concurrency: 256, ahead: 64 },
  webhooks: { concurrency: 64, ahead: 128 },
  upkeep: { concurrency: 2, ahead: 0 },
}

/** Milliseconds that jobs under way get to end when the worker stops; then they are left to another. */
const STOP_MS = 25_000

/**
 * Runs jobs until stopped. Each lane has its own runner and name, so that none waits for another. `stop` lets running
 * jobs end and gives back those only taken.
 * @param sql a pool for the queue alone, so that taking a job never waits behind one
 */
export async function startWorker(options: { sql: Sql; jobs: readonly BoundJob[]; log: Log }): Promise<Worker> {
  const { sql, jobs, log } = options
  const running = new Map<Lane, RunningLane>()
  const worker_ids: string[] = []
  const forgets: (() => void)[] = []
  for (const lane of laneNames) {
    const { concurrency, ahead } = lanes[lane]
    const ours = jobs.filter(({ kind }) => kind.lane === lane)
    if (ours.length === 0) continue
    const handlers = new Map(ours.map(({ kind, handle }) => [kind.name, handle as (payload: unknown) => Promise<void>]))
    // The number of the process is for people who look at the table; what is behind it keeps processes of two machines apart.
    const worker_id = `${lane}-${process.pid}-${randomBytes(9).toString('hex')}`
    worker_ids.push(worker_id)
    const queue = runLane({ sql, lane, worker_id, handlers, concurrency, ahead, log })
    running.set(lane, queue)
    forgets.push(onJobs(lane, queue.wake))
  }
  const leases = keepLeases({ sql, worker_ids, log })

  return {
    async stop() {
      const ended = Promise.all(Array.from(running.values(), (lane) => lane.stop())).then(() => true)
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
