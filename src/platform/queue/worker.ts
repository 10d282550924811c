import { EventEmitter } from 'node:events'
import { Logger, type Runner, run, runMigrations, type TaskList, type WorkerEvents } from 'graphile-worker'
import pg from 'pg'
import type { Log } from '../log.ts'
import type { JobKind, Lane } from './jobs.ts'
import { keepAlive } from './liveness.ts'

/** A kind of job with what carries it out. An exception puts the job back, to be tried again later. */
export type BoundJob = { kind: JobKind<never>; handle: (payload: never) => Promise<void> }

/** Binds a handler to its kind of job, with the types of both checked against one another. */
export function bindJob<Payload>(kind: JobKind<Payload>, handle: (payload: Payload) => Promise<void>): BoundJob {
  return { kind, handle } as unknown as BoundJob
}

export type Worker = { stop(): Promise<void> }

/** Jobs of one lane run at once, and how many are fetched ahead. */
const lanes: Record<Lane, { concurrency: number; ahead: number }> = {
  money: { concurrency: 16, ahead: 64 },
  webhooks: { concurrency: 64, ahead: 128 },
  upkeep: { concurrency: 2, ahead: 0 },
}

/** Brings the queue's own schema to its newest version. Safe when several processes start at once. */
export async function migrateQueue(url: string): Promise<void> {
  await runMigrations({ connectionString: url, logger: quiet })
}

/**
 * Runs jobs until stopped. Each lane has its own runner, so that none waits for another. A runner that loses the
 * database is started again. `stop` lets running jobs end and gives back those only fetched.
 */
export async function startWorker(options: { url: string; jobs: readonly BoundJob[]; log: Log }): Promise<Worker> {
  const { url, jobs, log } = options
  const pool = new pg.Pool({ connectionString: url, max: 8, application_name: 'bandama queue' })
  const noteLost = (error: Error) => log.warn({ error }, 'a queue connection was lost')
  pool.on('error', noteLost)
  pool.on('connect', (client) => client.on('error', noteLost))
  const liveness = keepAlive({ url, log })
  const runners = new Map<Lane, Runner>()
  let stopping = false

  async function startLane(lane: Lane): Promise<void> {
    const tasks = jobs.filter(({ kind }) => kind.lane === lane)
    if (tasks.length === 0) return
    const events: WorkerEvents = new EventEmitter()
    let worker_id: string | null = null
    events.on('pool:create', ({ workerPool }) => {
      worker_id = workerPool.id
      liveness.join(workerPool.id)
    })
    const { concurrency, ahead } = lanes[lane]
    const runner = await run({
      pgPool: pool,
      taskList: taskList(tasks, log),
      concurrency,
      noHandleSignals: true,
      logger: quiet,
      events,
      preset: {
        worker: {
          // A job that is due later is only found by looking: this is how late it may be.
          pollInterval: 250,
          ...(ahead > 0 ? { localQueue: { size: concurrency + ahead }, completeJobBatchDelay: 5 } : {}),
        },
      },
    })
    runners.set(lane, runner)
    runner.promise
      .catch((error) => log.error({ error, lane }, 'a lane of the queue stopped'))
      .finally(() => {
        runners.delete(lane)
        if (worker_id !== null) liveness.leave(worker_id)
        if (!stopping) setTimeout(() => void keepStarting(lane), 500)
      })
  }

  async function keepStarting(lane: Lane): Promise<void> {
    if (stopping) return
    await startLane(lane).catch((error) => {
      log.warn({ error, lane }, 'a lane of the queue cannot start yet')
      setTimeout(() => void keepStarting(lane), 1_000)
    })
  }

  for (const lane of Object.keys(lanes) as Lane[]) await startLane(lane)
  await liveness.beat()

  return {
    async stop() {
      stopping = true
      await Promise.allSettled([...runners.values()].map((runner) => runner.stop()))
      await liveness.stop()
      await pool.end()
    },
  }
}

function taskList(jobs: readonly BoundJob[], log: Log): TaskList {
  return Object.fromEntries(
    jobs.map(({ kind, handle }) => [
      kind.name,
      async (payload: unknown) => {
        try {
          await handle(payload as never)
        } catch (error) {
          log.error({ error, job: kind.name }, 'a job failed and will be tried again')
          throw error
        }
      },
    ]),
  )
}

/** The queue's own chatter is left out: what matters is logged by the handlers. */
const quiet = new Logger(() => () => {})
