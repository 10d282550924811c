import { Gauge, type Registry as Metrics } from 'prom-client'
import { readChainHeads, writeHead } from '../audit-log/chain-heads.ts'
import { chainLines } from '../audit-log/chain-lines.ts'
import { readAnomalyWait } from '../operators/doubts/anomaly-store.ts'
import { measureFloats } from '../operators/float/float-metrics.ts'
import { readInstructionLag } from '../operators/sending/due-store.ts'
import { createReadWeather } from '../operators/weather/follow-weather.ts'
import { createWeatherMetrics } from '../operators/weather/weather-metrics.ts'
import { readBatchWait } from '../payout-batches/store.ts'
import { readRequestWait } from '../payouts/request-store.ts'
import type { Config } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { analyzeGrown } from '../platform/postgres/upkeep/analyze-grown.ts'
import { watchCleanup } from '../platform/postgres/upkeep/held-cleanup.ts'
import { dropSpentJobs, readJobLag } from '../platform/queue/jobs.ts'
import { type PeriodicTask, runEvery } from '../platform/run-every.ts'
import { readRefundRequestWait } from '../refunds/refund-request.ts'
import { readRefundWait } from '../refunds/store.ts'
import { readSettlementWait } from '../settlements/store.ts'
import { watchFeed } from '../webhooks/feed/feed-held.ts'
import { readDeliveryLag } from '../webhooks/store.ts'
import { scheduleBackups } from './backups/scheduled-backups.ts'
import { followCollation } from './database-collation.ts'
import { applyRetention, keepLogDays } from './retention.ts'
import { measureForRules } from './rules/measure-for-rules.ts'
import { watchRules } from './rules/watch-rules.ts'
import type { Work } from './work.ts'

const SECOND = 1_000
const HOUR = 3_600_000

type Dependencies = {
  sql: Sql
  work: Work
  config: Config
  log: Log
  metrics: Metrics
}

/** Functions that read, for each kind, the seconds for which the oldest thing has waited. */
type Measured = Readonly<Record<string, (sql: Sql) => Promise<number>>>

/** Due work that the worker has not started yet. */
export const lags: Measured = { instructions: readInstructionLag, deliveries: readDeliveryLag, jobs: readJobLag }

/** Work that only a person can move on. */
export const waits: Measured = {
  anomalies: readAnomalyWait,
  refunds: readRefundWait,
  refund_requests: readRefundRequestWait,
  settlements: readSettlementWait,
  requests: readRequestWait,
  batches: readBatchWait,
}

async function measure(sql: Sql, gauge: Gauge<'kind'>, of: Measured): Promise<void> {
  for (const [kind, read] of Object.entries(of)) gauge.set({ kind }, await read(sql))
}

/**
 * Starts the periodic work: sweeps that find work whose job was lost, retention of logs and other growing tables, and
 * metrics of waiting work. Several workers may run it at the same time.
 */
export function startMaintenance({ sql, work, config, log, metrics }: Dependencies): PeriodicTask {
  const lag = new Gauge({
    name: 'bandama_oldest_due_seconds',
    help: 'Seconds for which the oldest work of this kind has been due. It grows when the worker does not keep up.',
    labelNames: ['kind'],
    registers: [metrics],
  })
  const wait = new Gauge({
    name: 'bandama_waiting_for_people_seconds',
    help: 'Seconds for which the oldest item of this kind has waited for a person; 0 when there is none.',
    labelNames: ['kind'],
    registers: [metrics],
  })
  const readWeather = createReadWeather(sql)
  const showWeather = createWeatherMetrics(metrics)
  const floats = measureFloats(metrics)
  const watchHeldFeed = watchFeed({ log, metrics })
  const watchHeldCleanup = watchCleanup({ log, metrics })
  const sweeps = [
    runEvery('sweep of instructions', SECOND, log, async () => {
      while ((await work.sweepInstructions()) >= 500) log.info('operators: sweep reached its limit, sweeping again')
    }),
    runEvery('sweep of late looks', 5 * SECOND, log, work.sweepLooks),
    runEvery('sweep of deliveries', 2 * SECOND, log, work.sweepDeliveries),
    runEvery('expiry of checkout sessions', SECOND, log, work.expireSessions),
    runEvery('expiry of payout requests', 10 * SECOND, log, work.expireRequests),
    runEvery('lapse of proposals', 60 * SECOND, log, work.lapseProposals),
    runEvery('approvals by one person', 10 * SECOND, log, work.carryOutAlone),
    runEvery('automatic withdrawals', 10 * SECOND, log, work.runSchedules),
    runEvery('notices of payments', 5 * SECOND, log, work.tellOfPayments),
    runEvery("counts of operators' outcomes", 5 * SECOND, log, work.countWeather),
    runEvery('lists of operations', 2 * SECOND, log, work.fillListings),
    runEvery('chain of the audit log', 2 * SECOND, log, () => chainLines(sql)),
    runEvery('heads of the audit log', HOUR, log, async () => {
      for (const head of await readChainHeads(sql)) log.info({ head: writeHead(head) }, 'audit log: head of a chain')
    }),
    runEvery('missed lines of the chain', 6 * HOUR, log, () => chainLines(sql, { everything: true })),
    runEvery('reading of statement files', 5 * SECOND, log, work.readStatements),
    runEvery('statements of operators', 60 * SECOND, log, work.pullStatements),
    runEvery('daily partitions of logs', HOUR, log, () => keepLogDays(sql, config, log)),
    runEvery('retention', 6 * HOUR, log, (stopping) => applyRetention(sql, config, log, { stopping })),
    runEvery('planner statistics of grown tables', 2 * SECOND, log, () => analyzeGrown(sql)),
    runEvery('maintenance of the queue', HOUR, log, async () => {
      for (const { kind, failed } of await dropSpentJobs(sql)) {
        log.error({ job: kind, failed }, 'queue: jobs given up after too many failures')
      }
    }),
    ...(config.connector_balance_minutes === 0
      ? []
      : [runEvery('balances of operators', 10 * SECOND, log, work.askBalances)]),
    runEvery('metrics of balances', 15 * SECOND, log, () => floats(sql)),
    followCollation({ sql, log, metrics }),
    ...[scheduleBackups({ sql, config, log }) ?? []].flat(),
    ...measureForRules({ sql, config, log, metrics }),
    runEvery('clocks of incidents', 60 * SECOND, log, work.remindOfReports),
    ...watchRules({
      evaluate: work.evaluateRules,
      readState: work.readState,
      beat: work.beat,
      time_percent: config.rule_time_percent,
      log,
    }),
    runEvery('transactions that hold the feed', 2 * SECOND, log, () => watchHeldFeed(sql)),
    runEvery('sessions that keep dead rows', 30 * SECOND, log, () => watchHeldCleanup(sql)),
    runEvery('metrics', 15 * SECOND, log, () => measure(sql, lag, lags)),
    runEvery('metrics of the desk', 15 * SECOND, log, () => measure(sql, wait, waits)),
    runEvery('metrics of operators', 15 * SECOND, log, async () => showWeather(await readWeather())),
  ]
  return {
    async stop() {
      await Promise.all(sweeps.map((sweep) => sweep.stop()))
    },
  }
}
