import type { Sql } from '../src/platform/postgres/database.ts'
import { type Service, startService } from '../tests/harness/start-service.ts'
import { atTheEnd } from './interruption.ts'
import type { LoadOrder, LoadReport } from './load-order.ts'
import { BENCH_SECRET_KEY } from './merchants.ts'
import type { Load } from './start-load.ts'
import { readUsage, type Usage } from './usage.ts'

/** A bench cannot run, for a reason that its user can correct. The message says all that they need. */
export class CannotRun extends Error {
  override name = 'CannotRun'
}

/** The options of a run. */
export type Pace = {
  /** Only to see that it works: a second or two each, and no result is stored. */
  quick: boolean
  /** Minutes of the soak. */
  minutes: number
  /** The number of payments for growth and console; null for their defaults. */
  payments: number | null
  /** The names of the attacks of neighbours; empty for all. */
  attacks: readonly string[]
}

/**
 * The cost of one operation. `client_cpu_ms` is that of the load, which also receives the events. `operator_cpu_ms` is
 * that of an operator's twin, where there is one.
 */
export type Costs = Record<keyof Usage | 'client_cpu_ms', number> & { operator_cpu_ms?: number }

export type Measured = LoadReport & { per_second: number; per_operation: Costs }

const CONNECTIONS = 64
const WARM_UP = 5

/** Starts the real service. Limits are counted, but too high to refuse anything. */
export async function startBenchService(
  url: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Service> {
  const service = await startService({
    url,
    args,
    env: {
      SECRET_KEY: BENCH_SECRET_KEY,
      PAYOUT_CAP_DAY: '1000000000000',
      RATE_PER_KEY: '100000000',
      RATE_PER_ADDRESS: '100000000',
      PAGES_PER_ADDRESS: '100000000',
      SIMULATOR_DELAY_MS: '0',
      // The events of live payments go to this machine.
      EGRESS_LOOPBACK_HTTP: 'on',
      ...(process.env.SHARDED === 'on' && { SHARDED: 'on' }),
      ...env,
    },
  })
  const ending = atTheEnd(() => service.stop())
  return { ...service, [Symbol.asyncDispose]: () => ending.now() }
}

export type Wanted = Pick<LoadOrder, 'what' | 'keys' | 'seconds'> &
  Partial<Pick<LoadOrder, 'connections' | 'rate' | 'in_flight' | 'secrets' | 'warm_up' | 'tells_arrivals'>>

/**
 * Measures a service under a load, over 64 connections unless told otherwise: the operations that succeed in a second,
 * and the cost of each.
 * @throws when none succeeds
 */
export async function measureLoad(sql: Sql, service: Service, load: Load, wanted: Wanted): Promise<Measured> {
  const order: LoadOrder = {
    address: service.address,
    connections: CONNECTIONS,
    warm_up: Math.min(WARM_UP, wanted.seconds / 2),
    secrets: {},
    ...wanted,
  }
  let before: Usage | undefined
  let after: Usage | undefined
  const report = await load.run(
    order,
    async () => {
      before = await readUsage(sql, service.pid)
    },
    async () => {
      after = await readUsage(sql, service.pid)
    },
  )
  const { operations, seconds, cpu_ms } = report
  if (operations === 0) throw new Error(`No operation ended well: ${JSON.stringify(report)}\n${service.output()}`)
  const per = (name: keyof Usage, digits: number) =>
    Number(((after![name] - before![name]) / operations).toFixed(digits))
  return {
    per_second: Math.round(operations / seconds),
    ...report,
    per_operation: {
      service_cpu_ms: per('service_cpu_ms', 3),
      database_cpu_ms: per('database_cpu_ms', 3),
      client_cpu_ms: Number((cpu_ms / operations).toFixed(3)),
      statements: per('statements', 3),
      commits: per('commits', 3),
      wal_bytes: per('wal_bytes', 0),
      disk_bytes: per('disk_bytes', 0),
    },
  }
}

/** The quotient of two rates, to two digits. */
export function ratio(ours: number, theirs: number): number {
  return Number((ours / theirs).toFixed(2))
}
