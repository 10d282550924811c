import { statfs } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { audit } from '../src/app/audit.ts'
import { openDatabase, type Sql } from '../src/platform/postgres/database.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { measureCreation } from './create-payment.ts'
import { type BenchDatabase, measureTpcb, startDatabase } from './database.ts'
import { type Filled, filledTables, fillPayments } from './fill-payments.ts'
import { machineCard } from './machine-card.ts'
import { CannotRun, type Pace, ratio, startBenchService } from './measure.ts'
import type { BenchMerchant } from './merchants.ts'
import { type Load, startLoad } from './start-load.ts'
import { type Crowd, countLeftOver, createCrowd, measureWholeOn } from './whole-payment.ts'

const MERCHANTS = 1_000
/** What one payment takes with all its rows and indexes, in bytes, and what is wanted besides: the log of the database, sorting. */
const BYTES_PER_PAYMENT = 6_800
const BYTES_BESIDES = 8e9

const whileFilling = {
  shared_buffers: `${Math.floor(totalmem() / 4 / 2 ** 20)}MB`,
  max_wal_size: '4GB',
}

/**
 * Payments accepted, and whole payments, of merchants of which each has thousands, in a database with ten million; beside the
 * same of new merchants in an empty one. The audit then says that the books of what was made are books.
 */
export async function growthBench({ quick, payments: asked }: Pace): Promise<object> {
  const seconds = quick ? 1 : 20
  const merchants = quick ? 20 : MERCHANTS
  const each = Math.ceil((quick ? 2_000 : asked) / merchants)
  await refuseWithoutRoom(each * merchants)
  await using database = await startDatabase()
  const { sql, url } = database
  const tpcb = await measureTpcb(database, quick)
  await migrate(sql)
  await using load = await startLoad()
  const empty = await measureBoth(database, load, await createCrowd(sql, load, merchants), seconds)

  const crowd = await createCrowd(sql, load, merchants)
  // Making them is not what is measured: memory and rare checkpoints meanwhile change nothing of what comes after.
  for (const [name, value] of Object.entries(whileFilling)) await sql.unsafe(`alter system set ${name} = '${value}'`)
  await database.restart()
  const fill_seconds = await timed(async () => fillPayments(url, await endpointsOf(sql, crowd.merchants), each))
  const vacuum_seconds = await timed(async () => {
    for (const table of filledTables) await sql.unsafe(`vacuum (analyze) ${table}`)
  })
  // Or it would be looked for by sweeps, which would then be what is measured.
  if ((await countLeftOver(sql)) > 0) throw new Error('What was made is not at its end.')
  const books = await auditBooks(url)
  for (const name of Object.keys(whileFilling)) await sql.unsafe(`alter system reset ${name}`)
  await database.restart()
  const [size] = await sql<{ bytes: number }[]>`select pg_database_size(current_database()) as bytes`

  const grown = await measureBoth(database, load, crowd, seconds)
  return {
    bench: 'growth',
    card: await machineCard(sql),
    tpcb,
    payments: each * merchants,
    fill_seconds,
    vacuum_seconds,
    ...books,
    database_gb: Number((size!.bytes / 1e9).toFixed(2)),
    grown_to_empty: {
      created: ratio(grown.created.per_second, empty.created.per_second),
      whole: ratio(grown.whole.per_second, empty.whole.per_second),
    },
    empty,
    grown,
  }
}

/** @throws with a message for whoever runs it when the disk is too small */
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

async function measureBoth(database: BenchDatabase, load: Load, crowd: Crowd, seconds: number) {
  const warm_up = seconds
  const created = await measureCreation(database, ['--only', 'api'], { seconds, warm_up, keys: crowd.keys })
  await using service = await startBenchService(database.url, [])
  const whole = await measureWholeOn(database.sql, service, load, crowd, { seconds, warm_up })
  return { created, whole }
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
}
