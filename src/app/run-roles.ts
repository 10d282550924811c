import type { Registry as Metrics } from 'prom-client'
import { EXPORTS_AT_ONCE } from '../listings/export-file.ts'
import { type Circuits, createCircuits } from '../operators/routing/circuit.ts'
import { followCircuits, publishCircuits } from '../operators/routing/shared-circuits.ts'
import { createClock } from '../platform/clock.ts'
import { type Config, proxyOf } from '../platform/config.ts'
import { armCrashPoint } from '../platform/crash-point.ts'
import { createEgress } from '../platform/egress/post.ts'
import type { Log } from '../platform/log.ts'
import type { Queue } from '../platform/queue/jobs.ts'
import { startWorker } from '../platform/queue/worker.ts'
import { followLiveContracts } from './contracts.ts'
import { followDatabaseClock } from './database-clock.ts'
import { boundJobs } from './jobs.ts'
import { startMaintenance } from './maintenance.ts'
import type { Resources } from './open-database.ts'
import { createPublicOrigin, ownHosts } from './public-origin.ts'
import { measureProcess } from './rules/process-metrics.ts'
import { reportProcess } from './rules/report-process.ts'
import { createWork } from './work.ts'

/** The roles of a process: serving the API, running the worker, or both. */
export type Roles = { api: boolean; worker: boolean }

export type Running = {
  /** The address on which the API listens; null without the API. */
  address: string | null
  stop(): Promise<void>
}

/**
 * Database connections of each role. The worker has its own pool, so that a busy worker never makes a request wait for
 * a connection. The API has one for each batch and each call with its own transaction that can be in progress (six and
 * four), one for each call of a page without a key (four), and two for the rest: keys, settings, the console's screens, the log.
 */
const API_CONNECTIONS = 16
const WORKER_CONNECTIONS = 8
const QUEUE_CONNECTIONS = 3

/**
 * Runs the roles of a process on opened resources, and resolves when it is ready. `stop` ends it in order: it refuses
 * new requests, answers those in progress, finishes jobs, and closes connections.
 */
export async function runRoles(options: {
  roles: Roles
  config: Config
  resources: Resources
  log: Log
  metrics: Metrics
}): Promise<Running> {
  const { roles, config, resources, log, metrics } = options
  const { secretKey } = resources
  const stops: (() => Promise<unknown>)[] = []
  const stop = () => stopInTurn(stops, log)
  try {
    armCrashPoint(process.env)
    const open = (name: string, connections: number) => {
      const sql = resources.open(name, connections)
      stops.push(() => sql.end({ timeout: 5 }))
      return sql
    }
    const clock = createClock()
    const origin = createPublicOrigin(config)
    const egress = createEgress({
      allow: config.egress_allow,
      loopback_http: config.egress_loopback_http,
      own_hosts: ownHosts(config),
      proxy: proxyOf(config),
    })
    stops.push(() => egress.close())

    const databaseClock = await followDatabaseClock(open('clock', 1), clock, log)
    stops.push(() => databaseClock.stop())
    measureProcess({ metrics, roles, databaseClock, data_dir: config.data_dir })
    const few = open('contracts', 1)
    const contracts = await followLiveContracts({ sql: few, secretKey, origin, config, log })
    stops.push(() => contracts.stop())
    const circuits = await openCircuits()

    async function openCircuits(): Promise<Circuits> {
      if (roles.worker) {
        const own = createCircuits(log)
        const telling = publishCircuits(own, few, log)
        stops.push(() => telling.stop())
        return own
      }
      const told = await followCircuits(few, log)
      stops.push(() => told.stop())
      return told
    }

    if (roles.worker) {
      const sql = open('worker', WORKER_CONNECTIONS)
      const work = createWork({ sql, config, secretKey, origin, egress, clock, log, metrics, contracts, circuits })
      stops.push(() => work.close())
      const queue = open('queue', QUEUE_CONNECTIONS)
      // A worker with a wrong clock would sign webhooks that their receivers refuse. Another one sends them.
      const mayRun = (name: Queue) => name !== 'webhooks' || databaseClock.isClockRight()
      const worker = await startWorker({ sql: queue, jobs: boundJobs(work), mayRun, log })
      stops.push(() => worker.stop())
      const maintenance = startMaintenance({ sql, work, config, log, metrics })
      stops.push(() => maintenance.stop())
      void work.vetAddresses()
    }
    let address: string | null = null
    if (roles.api) {
      const sql = open('api', API_CONNECTIONS)
      const { reads, end } = resources.openReads(sql)
      stops.push(end)
      // Loaded here, because a worker does not need the API's code.
      const { startApi } = await import('./api.ts')
      const ready = async () => {
        const checks = { database: databaseClock.isDatabaseReachable(), clock: databaseClock.isClockRight() }
        // Answers carry no signature, and money takes the database's time: with a wrong clock the API serves, and a rule tells people.
        return { ok: checks.database, checks }
      }
      const exports = open('exports', EXPORTS_AT_ONCE)
      const shared = { config, secretKey, egress, origin, clock, log, metrics, contracts, circuits }
      address = await startApi({ ...shared, sql, reads, exports, ready }, stops)
    }
    // Last, so that it first tells of a process that works.
    const { metrics_port, rule_time_percent: time_percent } = config
    const reporting = reportProcess({ sql: few, metrics, roles, metrics_port, time_percent, clock, log })
    stops.push(() => reporting.stop())
    return { address, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Stops everything that was started, last first. A step that fails is logged and does not prevent the next. */
export async function stopInTurn(stops: (() => Promise<unknown>)[], log: Log): Promise<void> {
  for (const end of stops.splice(0).reverse())
    await end().catch((error) => log.error({ error }, 'shutdown step failed'))
}
