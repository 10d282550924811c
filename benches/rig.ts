import { execFile, fork } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createKey } from '../src/api-keys/create-key.ts'
import { accountsOfMerchant } from '../src/ledger/accounts.ts'
import { createMerchant } from '../src/merchants/create-merchant.ts'
import { createLog } from '../src/platform/log.ts'
import { openDatabase, type Sql } from '../src/platform/postgres/database.ts'
import { startEmbeddedPostgres } from '../src/platform/postgres/embedded.ts'
import { type Service, startService } from '../tests/harness/start-service.ts'
import type { LoadOrder, LoadReport } from './load.ts'

const run = promisify(execFile)

/** A database of its own in a temporary folder, set as `npm start` sets it, with statements counted. */
export async function startDatabase() {
  const folder = await mkdtemp(join(tmpdir(), 'bandama-bench-'))
  const log = createLog('error', 'bench', process.stderr)
  const embedded = await startEmbeddedPostgres({
    dataDir: folder,
    log,
    own: true,
    settings: { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.max': '1000' },
  })
  const url = embedded.url.reveal()
  const sql = openDatabase({ url, connections: 1, name: 'bench' })
  // Making and emptying large tables takes as long as it takes.
  await sql`set statement_timeout = 0`
  await sql`create extension if not exists pg_stat_statements`
  return {
    url,
    sql,
    folder,
    async [Symbol.asyncDispose]() {
      await sql.end()
      await embedded.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL's own measure of itself, for comparison: TPC-B, scale 20, 8 clients, prepared statements. */
export async function measurePgbench(sql: Sql, url: string, seconds: number): Promise<number> {
  const target = new URL(url)
  await sql.unsafe('create database pgbench')
  const env = { ...process.env, PGPASSWORD: decodeURIComponent(target.password) }
  const at = ['-h', target.hostname, '-p', target.port, '-U', target.username]
  await run('pgbench', [...at, '-i', '-q', '-s', '20', 'pgbench'], { env })
  const { stdout } = await run(
    'pgbench',
    [...at, '-M', 'prepared', '-c', '8', '-j', '2', '-T', String(seconds), 'pgbench'],
    {
      env,
    },
  )
  await sql.unsafe('drop database pgbench')
  return Number(/tps = ([\d.]+)/.exec(stdout)![1])
}

/** What the database and the service have used so far; the difference of two is what the time between them cost. */
export type Usage = {
  service_cpu_ms: number
  database_cpu_ms: number
  statements: number
  commits: number
  wal_bytes: number
}

export async function readUsage(sql: Sql, service: Service): Promise<Usage> {
  const [row] = await sql<{ statements: number; commits: number; wal_bytes: number; postmaster: number }[]>`
    select (select sum(calls) from pg_stat_statements)::bigint as statements,
           (select xact_commit from pg_stat_database where datname = current_database()) as commits,
           pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as wal_bytes,
           (select setting from pg_settings where name = 'data_directory') as folder`
  const folder = (row as unknown as { folder: string }).folder
  const postmaster = Number((await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n')[0])
  return {
    service_cpu_ms: await cpuOf(service.pid),
    database_cpu_ms: await cpuOfTree(postmaster),
    statements: row!.statements,
    commits: row!.commits,
    wal_bytes: row!.wal_bytes,
  }
}

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10

async function stat(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

async function cpuOf(pid: number): Promise<number> {
  const fields = await stat(pid)
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** The process, its children that live and those that ended. */
async function cpuOfTree(pid: number): Promise<number> {
  const fields = await stat(pid)
  let ticks = Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14])
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const child = await stat(Number(name)).catch(() => null)
    if (child !== null && Number(child[1]) === pid) ticks += Number(child[11]) + Number(child[12])
  }
  return ticks * TICK_MS
}

/** Runs a load in a process of its own; `onMeasuring` is called when its warm-up is over. */
export async function runLoad(order: LoadOrder, onMeasuring: () => Promise<void>): Promise<LoadReport> {
  const child = fork(fileURLToPath(new URL('load.ts', import.meta.url)))
  const report = new Promise<LoadReport>((resolve, reject) => {
    child.on('message', (message) => {
      if (message === 'measuring') onMeasuring().catch(reject)
      else if (message !== 'warming up') resolve(message as LoadReport)
    })
    child.on('error', reject)
  })
  child.send(order)
  return report
}

/** The real service, with limits out of the way but counted all the same. */
export function startBenchService(url: string, args: string[], env: Record<string, string> = {}): Promise<Service> {
  return startService({
    url,
    args,
    env: {
      PAYOUT_CAP_DAY: '1000000000000',
      RATE_PER_KEY: '100000000',
      RATE_PER_ADDRESS: '100000000',
      SIMULATOR_DELAY_MS: '0',

      ...env,
    },
  })
}

/** What it was measured on. */
export async function machineCard(sql: Sql): Promise<Record<string, string>> {
  const [row] = await sql<{ version: string }[]>`select current_setting('server_version') as version`
  const { stdout } = await run('git', ['rev-parse', '--short', 'HEAD']).catch(() => ({ stdout: 'unknown' }))
  return {
    cores: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: process.version,
    postgresql: row!.version,
    commit: stdout.trim(),
  }
}

export type Measured = {
  accepted_per_second: number
  statuses: Record<string, number>
  p50_ms: number
  p95_ms: number
  p99_ms: number
  max_ms: number
  /** What one accepted request cost. */
  per_operation: Record<keyof Usage | 'client_cpu_ms', number>
}

const CONNECTIONS = 64
const WARM_UP = 5

/** How many requests a service accepts in a second, kept busy over 64 connections, and what each costs. */
export async function measureLoad(
  sql: Sql,
  service: Service,
  { what, keys, seconds }: Pick<LoadOrder, 'what' | 'keys' | 'seconds'>,
): Promise<Measured> {
  let before: Usage | undefined
  const report = await runLoad(
    { address: service.address, what, keys, connections: CONNECTIONS, warm_up: WARM_UP, seconds },
    async () => {
      before = await readUsage(sql, service)
    },
  )
  const after = await readUsage(sql, service)
  const accepted = report.statuses['201'] ?? 0
  const per = (name: keyof Usage) => Number(((after[name] - before![name]) / accepted).toFixed(3))
  return {
    accepted_per_second: Math.round(accepted / report.seconds),
    statuses: report.statuses,
    p50_ms: report.p50_ms,
    p95_ms: report.p95_ms,
    p99_ms: report.p99_ms,
    max_ms: report.max_ms,
    per_operation: {
      service_cpu_ms: per('service_cpu_ms'),
      database_cpu_ms: per('database_cpu_ms'),
      client_cpu_ms: Number((report.cpu_ms / accepted).toFixed(3)),
      statements: per('statements'),
      commits: per('commits'),
      wal_bytes: Math.round(per('wal_bytes')),
    },
  }
}

/** Merchants with a key each, and their ids. */
export function createMerchants(
  sql: Sql,
  count: number,
  scope: 'collect' | 'payout',
): Promise<{ merchant_id: number; key: string }[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const merchant_id = await createMerchant(sql, { name: `Shop ${at}`, accounts: accountsOfMerchant })
      const { key } = await createKey(sql, { merchant_id, livemode: false }, { key_prefix: 'bdm', scope })
      return { merchant_id, key: key.reveal() }
    }),
  )
}

/** Ours over theirs, to two digits. */
export function ratio(ours: number, theirs: number): number {
  return Number((ours / theirs).toFixed(2))
}
