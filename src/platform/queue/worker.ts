import { EventEmitter } from 'node:events'
import { Logger, type Runner, run, runMigrations, type TaskList, type WorkerEvents } from 'graphile-worker'
import pg from 'pg'
import type { Log } from '../log.ts'
import type { Sql } from '../postgres/database.ts'
import type { JobKind, Lane } from './jobs.ts'

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

/** A worker says that it lives this often. */
const BEAT_MS = 10_000
/** One that was silent for this long is dead, and its jobs are given to the others. */
const SILENT_SECONDS = 45

/** Brings the queue's own schema to its newest version. Safe when several processes start at once. */
export async function migrateQueue(url: string): Promise<void> {
  await runMigrations({ connectionString: url, logger: quiet })
}

/**
 * Runs jobs until stopped. Each lane has its own runner, so that none waits for another. A runner that loses the
 * database is started again. `stop` lets running jobs end and gives back those only fetched.
 */
export async function startWorker(options: {
  url: string
  sql: Sql
  jobs: readonly BoundJob[]
  log: Log
}): Promise<Worker> {
  const { url, sql, jobs, log } = options
  const pool = new pg.Pool({ connectionString: url, max: 8, application_name: 'bandama queue' })
  const noteLost = (error: Error) => log.warn({ error }, 'a queue connection was lost')
  pool.on('error', noteLost)
  pool.on('connect', (client) => client.on('error', noteLost))
  const alive = new Set<string>()
  const runners = new Map<Lane, Runner>()
  let stopping = false

  const beat = async () => {
    if (alive.size === 0) return
    await sql`
      insert into workers (worker_id, beat_at)
      select unnest(${[...alive]}::text[]), now()
      on conflict (worker_id) do update set beat_at = excluded.beat_at`
    const released = await releaseSilentWorkers(sql)
    if (released.length > 0) log.warn({ released }, 'workers went silent and their jobs are free again')
  }
  const beating = setInterval(() => void beat().catch((error) => log.warn({ error }, 'no beat')), BEAT_MS)

  async function startLane(lane: Lane): Promise<void> {
    const tasks = jobs.filter(({ kind }) => kind.lane === lane)
    if (tasks.length === 0) return
    const events: WorkerEvents = new EventEmitter()
    events.on('pool:create', ({ workerPool }) => alive.add(workerPool.id))
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
          pollInterval: 1_000,
          ...(ahead > 0 ? { localQueue: { size: concurrency + ahead }, completeJobBatchDelay: 5 } : {}),
        },
      },
    })
    runners.set(lane, runner)
    runner.promise
      .catch((error) => log.error({ error, lane }, 'a lane of the queue stopped'))
      .finally(() => {
        runners.delete(lane)
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
  await beat()

  return {
    async stop() {
      stopping = true
      clearInterval(beating)
      await Promise.allSettled([...runners.values()].map((runner) => runner.stop()))
      await sql`delete from workers where worker_id = any(${[...alive]}::text[])`.catch(() => {})
      await pool.end()
    },
  }
}

/**
 * Frees the jobs of workers that have been silent. Each job may then run a second time while a frozen worker wakes: jobs
 * are written to bear it. A worker that holds jobs but never said that it lives is given the same time from when it took
 * them. Returns whom it found.
 */
async function releaseSilentWorkers(sql: Sql): Promise<string[]> {
  const rows = await sql<{ worker_id: string }[]>`
    with silent as (
      delete from workers
       where beat_at < now() - make_interval(secs => ${SILENT_SECONDS})
      returning worker_id
    ), unknown as (
      select distinct j.locked_by as worker_id
        from graphile_worker.jobs j
       where j.locked_at < now() - make_interval(secs => ${SILENT_SECONDS})
         and not exists (select from workers w where w.worker_id = j.locked_by)
    ), found as (
      select worker_id from silent union select worker_id from unknown
    )
    select f.worker_id
      from (select array_agg(worker_id) as ids from found having count(*) > 0) a,
           lateral graphile_worker.force_unlock_workers(a.ids),
           lateral unnest(a.ids) as f(worker_id)`
  return rows.map(({ worker_id }) => worker_id)
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
