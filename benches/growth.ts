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
/** Until the pages in use are in memory again, and in the log. Those of a merchant's own keys are met at random: all of an index. */
const WARM_UP_AFTER_RESTART = { created: 120, whole: 45 }
/** The size of one payment with all its rows and indexes, in bytes, and the space for all else: the database's log, sorting. */
const BYTES_PER_PAYMENT = 6_800
const BYTES_BESIDES = 11e9

/** A database that is thrown away when the machine fails need not survive it while it is filled. */
const whileFilling = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
}

/**
 * Payments accepted, and whole payments, of merchants of which each has thousands, in a database with ten million; beside the
 * same of new merchants in an empty one, by turns, because a machine is not as fast at one hour as at another. The audit says
 * that the books of what was made are books. Both servers are set as the service makes them.
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
  // Making them is not what is measured.
  await database.restart(whileFilling)
  const fill_seconds = await timed(async () => fillPayments(url, await endpointsOf(sql, crowd.merchants), each))
  const vacuum_seconds = await timed(async () => {
    for (const table of filledTables) await sql.unsafe(`vacuum (freeze, analyze) ${table}`)
  })
  // Or it would be looked for by sweeps, which would then be what is measured.
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
 * Twice each, the first time after the pages in use have been met again since the restart, the second time in the other order, so
 * that neither is always the later one on a machine that grows slower. The result holds the second turn in full.
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

/** @throws with a message for its user when the disk is too small */
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

/** The memory settings that the server was made with. */
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

/** Recomputes everything, with memory to sort in. @throws when something does not hold */
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
