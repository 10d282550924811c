import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createLog } from '../src/platform/log.ts'
import { openDatabase, type Sql } from '../src/platform/postgres/database.ts'
import type { Settings } from '../src/platform/postgres/embedded/server.ts'
import { startEmbeddedPostgres } from '../src/platform/postgres/embedded/start.ts'
import { atTheEnd } from './interruption.ts'
import { CannotRun } from './measure.ts'
import { cpuOfTree, postmasterOf } from './usage.ts'

const execute = promisify(execFile)

export type BenchDatabase = AsyncDisposable & {
  url: string
  sql: Sql
  /** The folder of its files. */
  folder: string
  /** Stops the server and starts it again, as after an update, with other settings if given. */
  restart(settings?: Settings): Promise<void>
}

/**
 * Starts a database in a temporary folder, set as `npm start` sets it, with `pg_stat_statements` and with WAL files
 * created in advance, as on a server in use.
 */
export async function startDatabase({ quick }: { quick: boolean }): Promise<BenchDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'bandama-bench-'))
  const log = createLog('error', 'bench', process.stderr)
  const start = (settings: Settings = {}) =>
    startEmbeddedPostgres({
      dataDir: folder,
      log,
      own: true,
      settings: {
        shared_preload_libraries: 'pg_stat_statements, pg_prewarm',
        'pg_stat_statements.max': '1000',
        ...settings,
      },
    })
  let embedded = await start()
  const ending = atTheEnd(async () => {
    await embedded.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const url = embedded.url.reveal()
  const sql = openDatabase({ url, connections: 1, name: 'bench' })
  // Filling and emptying large tables may take any time.
  await sql`set statement_timeout = 0`
  await sql`create extension if not exists pg_stat_statements`
  if (!quick) await goRoundTheLog(sql)
  return {
    url,
    sql,
    folder,
    async restart(settings) {
      await embedded.stop()
      // The server may have run with `fsync` off: flush its writes before the next measurement.
      await execute('sync')
      embedded = await start(settings)
      // The old connection is closed, and the first statement on it may fail.
      await sql`select`.catch(() => {})
      await sql`set statement_timeout = 0`
    },
    async [Symbol.asyncDispose]() {
      await sql.end()
      await ending.now()
    },
  }
}

/**
 * Fills the WAL once, so that its files can be recycled, as on a server that has run for a day. On a new server,
 * commits wait while each file of 16 MB is created and filled with zeroes, and the first gigabytes would measure that.
 */
async function goRoundTheLog(sql: Sql): Promise<void> {
  // Without a checkpoint in between, because after one the second half would recycle the files of the first.
  await sql.unsafe(`alter system set max_wal_size = '8GB'`)
  await sql`select pg_reload_conf()`
  await sql`select count(pg_logical_emit_message(false, 'bench', repeat('x', 1048576))) from generate_series(1, 2048)`
  await sql.unsafe('checkpoint')
  await sql.unsafe('alter system reset max_wal_size')
  await sql`select pg_reload_conf()`
  const [log] = await sql<{ files: number }[]>`select count(*)::integer as files from pg_ls_waldir()`
  if (log!.files < 100) throw new Error(`The log has ${log!.files} files to be used again.`)
}

/** Vacuums, analyzes and flushes all rows written so far. The server would do so at some later time, during a measurement. */
export async function settle(sql: Sql): Promise<void> {
  await sql.unsafe('vacuum (freeze, analyze)')
  await sql.unsafe('checkpoint')
}

async function pgbench(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  try {
    return (await execute('pgbench', args, { env })).stdout
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new CannotRun("There is no pgbench on this machine. Debian's package postgresql brings it.")
  }
}

/** PostgreSQL's own benchmark, for comparison: transactions a second, and the server's processor time for each. */
export type Tpcb = { per_second: number; database_cpu_ms: number }

const TPCB_SECONDS = 15

/** Measures TPC-B on this server: scale 20, 8 clients, prepared statements. */
export async function measureTpcb({ sql, url }: BenchDatabase, quick: boolean): Promise<Tpcb> {
  const target = new URL(url)
  await sql.unsafe('create database pgbench')
  const env = { ...process.env, PGPASSWORD: decodeURIComponent(target.password) }
  const at = ['-h', target.hostname, '-p', target.port, '-U', target.username]
  await pgbench([...at, '-i', '-q', '-s', quick ? '1' : '20', 'pgbench'], env)
  const postmaster = await postmasterOf(sql)
  const before = await cpuOfTree(postmaster)
  const load = ['-M', 'prepared', '-c', '8', '-j', '2', '-T', String(quick ? 1 : TPCB_SECONDS), 'pgbench']
  const said = await pgbench([...at, ...load], env)
  const after = await cpuOfTree(postmaster)
  await sql.unsafe('drop database pgbench')
  const transactions = Number(/actually processed: (\d+)/.exec(said)![1])
  return {
    per_second: Math.round(Number(/tps = ([\d.]+)/.exec(said)![1])),
    database_cpu_ms: Number(((after - before) / transactions).toFixed(3)),
  }
}

/** Measures TPC-B before and after `work`, and returns the mean of both, because the machine's speed changes from minute to minute. */
export async function besideTpcb<Result>(
  database: BenchDatabase,
  quick: boolean,
  work: () => Promise<Result>,
): Promise<[measured: Result, tpcb: Tpcb & { each: number[] }]> {
  const before = await measureTpcb(database, quick)
  const measured = await work()
  return [measured, meanOf([before, await measureTpcb(database, quick)])]
}

function meanOf(measured: readonly Tpcb[]): Tpcb & { each: number[] } {
  const mean = (of: keyof Tpcb) => measured.reduce((sum, each) => sum + each[of], 0) / measured.length
  return {
    per_second: Math.round(mean('per_second')),
    database_cpu_ms: Number(mean('database_cpu_ms').toFixed(3)),
    each: measured.map(({ per_second }) => per_second),
  }
}
