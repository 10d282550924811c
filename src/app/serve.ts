import { createClock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import { armCrashPoint } from '../platform/crash-point.ts'
import { createEgress } from '../platform/egress/post.ts'
import type { Log } from '../platform/log.ts'
import { createMetrics, serveMetrics } from '../platform/metrics.ts'
import { startWorker } from '../platform/queue/worker.ts'
import { startApi } from './api.ts'
import { createDemo, type Demo } from './demo.ts'
import { followDatabaseClock } from './follow-clock.ts'
import { boundJobs } from './jobs.ts'
import { openGround } from './open-database.ts'
import { createPublicOrigin } from './public-origin.ts'
import { startUpkeep } from './upkeep.ts'
import { createWork } from './work.ts'

/** What this process does: answers requests, works behind them, or both. */
export type Roles = { api: boolean; worker: boolean }

export type RunningService = {
  /** Where the API listens; null without it. */
  address: string | null
  /** The demo merchant, when this start made it. */
  demo: Demo | null
  stop(): Promise<void>
}

/** Connections of each role. The worker has its own, so that a busy worker never keeps a request waiting for one. */
const API_CONNECTIONS = 8
const WORKER_CONNECTIONS = 8
const QUEUE_CONNECTIONS = 3

/**
 * Starts the service and resolves when it is ready. `stop` ends it in order: no new requests, those under way answered,
 * jobs under way ended, connections closed, and the embedded database last.
 * @param onLost called when the embedded database was taken over by another service: there is nothing left to serve
 */
export async function serve(
  config: Config,
  roles: Roles,
  log: Log,
  onLost: (error: Error) => void,
): Promise<RunningService> {
  const stops: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end().catch((error) => log.error({ error }, 'an end went badly'))
  }
  try {
    armCrashPoint(process.env)
    const ground = await openGround(config, log, { own: true, onLost })
    stops.push(() => ground.close())
    const open = (name: string, connections: number) => {
      const sql = ground.open(name, connections)
      stops.push(() => sql.end({ timeout: 5 }))
      return sql
    }
    const { secretKey } = ground
    const metrics = createMetrics()
    const clock = createClock()
    const origin = createPublicOrigin(config)
    const egress = createEgress({
      allow: config.egress_allow,
      own_hosts: config.public_url === null ? [] : [new URL(config.public_url).host],
    })
    stops.push(() => egress.close())

    const pulse = await followDatabaseClock(open('clock', 1), clock, log)
    stops.push(() => pulse.stop())
    const metricsServer = await serveMetrics(metrics, config.metrics_host, config.metrics_port)
    stops.push(async () => metricsServer.close())

    if (roles.worker) {
      const sql = open('worker', WORKER_CONNECTIONS)
      const work = createWork({ sql, config, secretKey, origin, egress, clock, log, metrics })
      stops.push(() => work.close())
      const queue = open('queue', QUEUE_CONNECTIONS)
      const worker = await startWorker({ url: ground.url.reveal(), sql: queue, jobs: boundJobs(work), log })
      stops.push(() => worker.stop())
      const upkeep = startUpkeep({ sql, work, config, log, metrics })
      stops.push(() => upkeep.stop())
    }
    let address: string | null = null
    let demo: Demo | null = null
    if (roles.api) {
      const sql = open('api', API_CONNECTIONS)
      if (config.demo) demo = await createDemo({ config, sql, clock, secretKey, egress })
      const ready = async () => ({ ok: pulse.beats(), checks: { database: pulse.beats() } })
      const api = await startApi({ sql, config, secretKey, origin, clock, log, metrics, ready })
      stops.push(() => api.stop())
      address = api.address
    }
    return { address, demo, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
