import { createHash } from 'node:crypto'
import { setInterval as ticks } from 'node:timers/promises'
import type { Sql } from '../src/platform/postgres/database.ts'
import { freePort } from '../tests/harness/free-port.ts'
import type { Service } from '../tests/harness/start-service.ts'
import { measureTpcb, startDatabase } from './database.ts'
import { machineCard } from './machine-card.ts'
import { type Pace, ratio, startBenchService } from './measure.ts'
import { startLoad } from './start-load.ts'
import { cpuOfTree, memoryOfTree, postmasterOf } from './usage.ts'
import { createCrowd, measureWholeOn } from './whole-payment.ts'

const MERCHANTS = 100
const SAMPLE_MS = 5_000
/** Minutes before which memory is not judged, because caches fill. The window of payer attempts is shorter, so it is full by then. */
const SETTLED_MINUTES = 5
const PAYER_WINDOW_SECONDS = 240

/**
 * Measures whole payments at half of the machine's full load, for half an hour: whether memory still grows once every
 * cache is full, and whether the 99th percentile rises; and for each minute, other work of the machine.
 */
export async function soakBench({ quick, minutes: asked }: Pace): Promise<object> {
  const minutes = quick ? 0.05 : asked
  await using database = await startDatabase({ quick })
  const { sql, url } = database
  const tpcb = await measureTpcb(database, quick)
  const metrics_port = await freePort()
  await using service = await startBenchService(url, [], {
    METRICS_PORT: String(metrics_port),
    PAYER_ATTEMPTS_WINDOW_SECONDS: String(PAYER_WINDOW_SECONDS),
  })
  await using load = await startLoad()
  const crowd = await createCrowd(sql, load, MERCHANTS)
  const knee = await measureWholeOn(sql, service, load, crowd, { seconds: quick ? 1 : 20 })
  const rate = Math.max(1, Math.floor(knee.per_second / 2))
  const watching = await watch({ sql, service, metrics_port, every_ms: quick ? 200 : SAMPLE_MS })
  const soaked = await measureWholeOn(sql, service, load, crowd, { seconds: minutes * 60, rate })
  const samples = await watching.stop()
  const settled = samples.filter(({ minute }) => minute >= Math.min(SETTLED_MINUTES, minutes / 6))
  const [first, , last] = soaked.p99_of_thirds
  return {
    bench: 'soak',
    card: await machineCard(sql),
    tpcb,
    minutes,
    rate,
    p99_last_third_to_first: ratio(last!, first!),
    memory: {
      rss_mb_per_minute: slopeOf(settled, 'rss_mb'),
      heap_mb_per_minute: slopeOf(settled, 'heap_mb'),
      first: memoryAt(settled[0]!),
      last: memoryAt(settled.at(-1)!),
    },
    by_minute: byMinute(samples),
    knee,
    soaked,
  }
}

/**
 * The state at a minute since the beginning: memory in MB, processor time so far, the processor time of a fixed piece
 * of work, which shows the machine's speed, and the tables that are being vacuumed or analyzed.
 */
type Sample = {
  minute: number
  rss_mb: number
  heap_mb: number
  service_cpu_ms: number
  database_cpu_ms: number
  yardstick_ms: number
  upkeep: string[]
}

type Watched = { sql: Sql; service: Service; metrics_port: number; every_ms: number }

async function watch({ sql, service, metrics_port, every_ms }: Watched) {
  const samples: Sample[] = []
  const stopping = new AbortController()
  const begin = performance.now()
  const postmaster = await postmasterOf(sql)
  const watching = (async () => {
    for await (const _ of ticks(every_ms, null, { signal: stopping.signal })) {
      samples.push({
        minute: Number(((performance.now() - begin) / 60_000).toFixed(2)),
        rss_mb: Math.round(((await memoryOfTree(service.pid)) / 2 ** 20) * 10) / 10,
        heap_mb: await heapUsed(metrics_port),
        service_cpu_ms: await cpuOfTree(service.pid),
        database_cpu_ms: await cpuOfTree(postmaster),
        yardstick_ms: measureYardstick(),
        upkeep: await tablesKept(sql),
      })
    }
  })().catch((error: Error) => {
    if (error.name !== 'AbortError') throw error
  })
  return {
    async stop(): Promise<Sample[]> {
      stopping.abort()
      await watching
      return samples
    },
  }
}

function memoryAt({ minute, rss_mb, heap_mb }: Sample) {
  return { minute, rss_mb, heap_mb }
}

const YARD = Buffer.alloc(4 * 2 ** 20)

/** Milliseconds of this thread's processor time for a fixed piece of work. */
function measureYardstick(): number {
  const before = process.threadCpuUsage()
  createHash('sha256').update(YARD).digest()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

async function tablesKept(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select relid::regclass::text as name from pg_stat_progress_vacuum
     union
    select relid::regclass::text from pg_stat_progress_analyze`
  return rows.map(({ name }) => name)
}

/**
 * For each minute: the cores that the service and the database used, the longest time of the fixed piece of work, and
 * the tables that were being vacuumed or analyzed.
 */
function byMinute(samples: readonly Sample[]): object[] {
  return [...Map.groupBy(samples, ({ minute }) => Math.floor(minute))].map(([minute, within]) => {
    const [first, last] = [within[0]!, within.at(-1)!]
    const cores = (of: 'service_cpu_ms' | 'database_cpu_ms') => {
      const milliseconds = (last.minute - first.minute) * 60_000
      return milliseconds === 0 ? null : Number(((last[of] - first[of]) / milliseconds).toFixed(2))
    }
    const upkeep = [...new Set(within.flatMap((sample) => sample.upkeep))].sort()
    const yardstick_ms = Number(Math.max(...within.map((sample) => sample.yardstick_ms)).toFixed(2))
    return { minute, service: cores('service_cpu_ms'), database: cores('database_cpu_ms'), yardstick_ms, upkeep }
  })
}

/** The heap in use of the service, in MB. */
async function heapUsed(metrics_port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metrics_port}/metrics`)).text()
  const [, bytes] = /^nodejs_heap_size_used_bytes ([\d.e+]+)$/m.exec(text)!
  return Math.round((Number(bytes) / 2 ** 20) * 10) / 10
}

/** The slope in MB a minute, by least squares. */
function slopeOf(samples: readonly Sample[], of: 'rss_mb' | 'heap_mb'): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const at = mean(samples.map(({ minute }) => minute))
  const level = mean(samples.map((sample) => sample[of]))
  const together = samples.reduce((sum, sample) => sum + (sample.minute - at) * (sample[of] - level), 0)
  const spread = samples.reduce((sum, { minute }) => sum + (minute - at) ** 2, 0)
  return Number((spread === 0 ? 0 : together / spread).toFixed(3))
}
