import { Gauge, type Registry as Metrics } from 'prom-client'
import type { Config } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { analyzeGrown } from '../platform/postgres/analyze-grown.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { ATTEMPTS_MAX, dropSpentJobs } from '../platform/queue/jobs.ts'
import { type Repeated, repeat } from '../platform/repeat.ts'
import { dropWhatIsPast, keepLogDays } from './cut-to-age.ts'
import type { Work } from './work.ts'

const SECOND = 1_000
const HOUR = 3_600_000

type Dependencies = {
  sql: Sql
  /** A connection that stays the same from one statement to the next, for a while. */
  withSession: (work: (session: Sql) => Promise<void>) => Promise<void>
  work: Work
  config: Config
  log: Log
  metrics: Metrics
}

/**
 * What the worker does by itself, without a job: sweeps that find what jobs forgot, logs and what else only grows cut to their
 * age, figures of what waits. Several workers may do it at once.
 */
export function startUpkeep({ sql, withSession, work, config, log, metrics }: Dependencies): Repeated {
  const lag = new Gauge({
    name: 'oldest_due_seconds',
    help: 'How long the oldest thing of its kind has been due. Grows when the worker does not keep up.',
    labelNames: ['kind'],
    registers: [metrics],
  })
  const wait = new Gauge({
    name: 'waiting_for_people_seconds',
    help: 'How long the oldest thing that only a person can move on has waited; 0 when there is none.',
    labelNames: ['kind'],
    registers: [metrics],
  })
  const sweeps = [
    repeat('sweep of instructions', SECOND, log, async () => {
      while ((await work.sweepInstructions()) >= 500) log.info('many instructions are due')
    }),
    repeat('sweep of deliveries', 2 * SECOND, log, work.sweepDeliveries),
    repeat('expiry of checkout sessions', SECOND, log, work.expireSessions),
    repeat('expiry of payout requests', 10 * SECOND, log, work.expireRequests),
    repeat('days of the logs', HOUR, log, () => withSession((session) => keepLogDays(session, config, log))),
    repeat('what is past', 6 * HOUR, log, (stopping) => dropWhatIsPast(sql, config, log, { stopping })),
    repeat('statistics of what has grown', 2 * SECOND, log, () => analyzeGrown(sql)),
    repeat('upkeep of the queue', HOUR, log, async () => {
      for (const { kind, failed } of await dropSpentJobs(sql)) {
        log.error({ job: kind, failed }, 'jobs failed too often and were given up')
      }
    }),
    repeat('figures', 15 * SECOND, log, async () => {
      const [row] = await sql<{ instructions: number; deliveries: number; jobs: number }[]>`
        select coalesce(extract(epoch from clock_now() - least(
                 (select min(look_at) from waiting_collections),
                 (select min(next_check_at) from instructions where next_check_at is not null))), 0)::float8 as instructions,
               coalesce(extract(epoch from clock_now() - (
                 select min(next_attempt_at) from deliveries where status = 'pending')), 0)::float8 as deliveries,
               coalesce(extract(epoch from now() - (
                 select min(run_at) from jobs where locked_by is null and attempts < ${ATTEMPTS_MAX})), 0)::float8 as jobs`
      for (const [kind, seconds] of Object.entries(row!)) lag.set({ kind }, Math.max(0, seconds))
    }),
    repeat('figures of the desk', 15 * SECOND, log, async () => {
      const [row] = await sql<Record<'anomalies' | 'refunds' | 'settlements' | 'requests' | 'batches', number>[]>`
        select coalesce(extract(epoch from clock_now() - (
                 select min(opened_at) from anomalies where closed_at is null)), 0)::float8 as anomalies,
               coalesce(extract(epoch from clock_now() - (
                 select min(created_at) from refunds where status = 'manual')), 0)::float8 as refunds,
               coalesce(extract(epoch from clock_now() - (
                 select min(created_at) from settlements where status in ('pending_validation', 'validated'))), 0)::float8
                 as settlements,
               coalesce(extract(epoch from clock_now() - (
                 select created_at from payout_requests
                  where status = 'pending_approval' order by id limit 1)), 0)::float8 as requests,
               coalesce(extract(epoch from clock_now() - (
                 select created_at from payout_batches
                  where status = 'en_attente_validation' order by id limit 1)), 0)::float8 as batches`
      for (const [kind, seconds] of Object.entries(row!)) wait.set({ kind }, Math.max(0, seconds))
    }),
  ]
  return {
    async stop() {
      await Promise.all(sweeps.map((sweep) => sweep.stop()))
    },
  }
}
