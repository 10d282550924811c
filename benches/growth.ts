import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { audit } from '../src/app/audit.ts'
import { openDatabase, type Sql } from '../src/platform/postgres/database.ts'
import { migrate } from '../src/platform/postgres/upkeep/migrate.ts'
import { measureCreation } from './create-payment.ts'
import { type BenchDatabase, measureTpcb, startDatabase } from './database.ts'
import { type Filled, filledTables, fillPayments } from './fill-payments.ts'
import { machineCard } from './machine-card.ts'
import { CannotRun, type Measured, type Pace, ratio, startBenchService } from './measure.ts'
import type { BenchMerchant } from './merchants.ts'
import { startLoad } from './start-load.ts'
import { type Crowd, countLeftOver, createCrowd, measureWholeOn } from './whole-payment.ts'

const MERCHANTS = 1_000
const SECONDS = 15
const WARM_UP = 10
/**
 * Seconds of warm-up after a restart, until the pages in use are in memory and their full images in the WAL. Payments
 * with a merchant's own keys touch a whole index at random, so they take longer.
 */
const WARM_UP_AFTER_RESTART = { created: 120, whole: 45 }
/** The size of one payment with all its rows and indexes, in bytes, and the space for everything else: WAL and sorting. */
const BYTES_PER_PAYMENT = 6_800
const BYTES_BESIDES = 11e9

/** Settings while the database is filled. If the machine fails, the database is thrown away, so it need not survive that. */
const whileFilling = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
}

/**
 * Measures accepted payments and whole payments of merchants with thousands of payments each, in a database with ten
 * million, and of new merchants in an empty one. They alternate, because the machine's speed changes by the hour. The
 * audit verifies the generated payments. Both servers have the service's settings.
 */
export async function growthBench({ quick, payments: asked }: Pace): Promise<object> {
  const merchants = quick ? 20 : MERCHANTS
  const each = Math.ceil((quick ? 2_000 : (asked ?? PAYMENTS)) / merchants)
  await refuseWithoutRoom(each * merchants)
  await using database = await startDatabase({ quick })
  const { sql, url } = database
  const tpcb = await measureTpcb(database, quick)
  await migrate(url)
  await using load = await startLoad()
  const crowd = await createCrowd(sql, load, merchants)
  // Filling is not part of the measurement.
  await database.restart(whileFilling)
  const fill_seconds = await timed(async () => fillPayments(url, await endpointsOf(sql, crowd.merchants), each))
  const vacuum_seconds = await timed(async () => {
    for (const table of filledTables) await sql.unsafe(`vacuum (freeze, analyze) ${table}`)
  })
  // Sweeps would look for unfinished payments during the measurement.
  if ((await countLeftOver(sql)) > 0) throw new Error('Some of the payments made have not ended.')
  const books = await auditBooks(url)
  const [size] = await sql<{ bytes: number }[]>`select pg_database_size(current_database()) as bytes`
  await database.restart()
  const memory = await memoryOf(sql)
  const [pages] = await sql<{ huge_pages: string }[]>`select current_setting('huge_pages_status') as huge_pages`

  await using young = await startDatabase({ quick })
  await migrate(young.url)
  await young.restart()
  const sides = {
    empty: { database: young, crowd: await createCrowd(young.sql, load, merchants) },
    grown: { database, crowd },
  }
  const created = await byTurns(sides, 'created', quick, (side, pace) =>
    measureCreation(side.database, ['--only', 'api'], { ...pace, keys: side.crowd.keys }),
  )
  const whole = await byTurns(sides, 'whole', quick, async (side, pace) => {
    await using service = await startBenchService(side.database.url, [])
    return await measureWholeOn(side.database.sql, service, load, side.crowd, pace)
  })
  return {
    bench: 'growth',
    card: await machineCard(sql),
    tpcb,
    payments: each * merchants,
    fill_seconds,
    vacuum_seconds,
    ...books,
    database_gb: Number((size!.bytes / 1e9).toFixed(2)),
    grown_to_empty: { created: created.ratio, whole: whole.ratio },
    memory,
    ...pages,
    turns: { created: created.turns, whole: whole.turns },
    empty: { created: created.empty, whole: whole.empty },
    grown: { created: created.grown, whole: whole.grown },
  }
}

type Side = { database: BenchDatabase; crowd: Crowd }

/**
 * Measures each side twice, in the opposite order the second time, so that neither always runs later on a machine that
 * slows down. The first time begins with the warm-up after the restart. The result holds the second turn in full.
 */
async function byTurns<M extends Measured>(
  { empty, grown }: { empty: Side; grown: Side },
  what: keyof typeof WARM_UP_AFTER_RESTART,
  quick: boolean,
  measure: (side: Side, pace: { seconds: number; warm_up: number }) => Promise<M>,
) {
  const paceOf = (warm_up: number) => (quick ? { seconds: 1, warm_up: 1 } : { seconds: SECONDS, warm_up })
  const early = paceOf(WARM_UP_AFTER_RESTART[what])
  const first = { empty: await measure(empty, early), grown: await measure(grown, early) }
  const late = paceOf(WARM_UP)
  const second = { grown: await measure(grown, late), empty: await measure(empty, late) }
  const sum = (of: 'empty' | 'grown') => first[of].per_second + second[of].per_second
  const turns = [first, second].map((each) => ({ empty: each.empty.per_second, grown: each.grown.per_second }))
  return { ...second, turns, ratio: ratio(sum('grown'), sum('empty')) }
}

/**
 * Refuses to start without enough disk space.
 * @throws CannotRun, with a message for its user
 */
async function refuseWithoutRoom(payments: number): Promise<void> {
  const { bavail, bsize } = await statfs(tmpdir())
  const wanted = payments * BYTES_PER_PAYMENT + BYTES_BESIDES
  const gb = (bytes: number) => `${Math.round(bytes / 1e9)} GB`
  if (bavail * bsize >= wanted) return
  throw new CannotRun(
    `${payments} payments need about ${gb(wanted)} of free disk in ${tmpdir()}, where there are ${gb(bavail * bsize)}. ` +
      'Make room, name a larger disk with TMPDIR, or ask for fewer with --payments.',
  )
}

/** The memory settings with which the server was started. */
async function memoryOf(sql: Sql): Promise<{ shared_buffers: string; max_wal_size: string }> {
  const [row] = await sql<{ shared_buffers: string; max_wal_size: string }[]>`
    select current_setting('shared_buffers') as shared_buffers, current_setting('max_wal_size') as max_wal_size`
  return { ...row! }
}

async function endpointsOf(sql: Sql, merchants: readonly BenchMerchant[]): Promise<Filled[]> {
  const ids = merchants.map(({ merchant_id }) => merchant_id)
  return sql<Filled[]>`
    select merchant_id, id as endpoint_id
      from endpoints
     where merchant_id = any(${ids}::bigint[]) and not livemode`
}

/**
 * Recomputes all balances and sums, with memory for sorting.
 * @throws when a check fails
 */
async function auditBooks(url: string): Promise<{ audit_seconds: number; entries: number }> {
  const sql = openDatabase({ url, connections: 1, name: 'audit' })
  await sql`set work_mem = '512MB'`
  let entries = 0
  const audit_seconds = await timed(async () => {
    const report = await audit(sql)
    if (!report.ok)
      throw new Error(`The books do not hold: ${JSON.stringify(report.checks.filter(({ wrong }) => wrong > 0))}`)
    entries = report.entries
  })
  await sql.end()
  return { audit_seconds, entries }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return Math.round((performance.now() - began) / 1_000)
} /** Payments that are there, unless another number is asked for. */
const PAYMENTS = 10_000_000
