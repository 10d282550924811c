import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { dailyLogs } from '../../src/app/daily-logs.ts'
import { createClock } from '../../src/platform/clock.ts'
import { type DatabaseOptions, openDatabase, type Sql } from '../../src/platform/postgres/database.ts'
import { makeLogDays } from '../../src/platform/postgres/upkeep/log-days.ts'
import { migrate } from '../../src/platform/postgres/upkeep/migrate.ts'
import { distribute, isCitus, joinCluster, onEachServer, readDistribution } from './citus.ts'

/** Any number that nobody else locks: template databases are made one at a time on a server. */
const TEMPLATE_LOCK = 7_270_001

const migrations = new URL('../../migrations/', import.meta.url)

export type TestDatabase = {
  /** For a process or a pool of its own. */
  url: string
  sql: Sql
  /**
   * Makes `clock_now()` run ahead of the real time by `interval` (`3 days`, `61 seconds`; `0` for the real time again), and
   * the logs' days as a worker would have made them by then. A second call replaces the first, it does not add to it.
   */
  moveClock(interval: string): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A fresh database with the whole schema and the partitions of the logs for today. It is a copy
 * of a template that the first caller on the server makes, and is dropped at the end:
 * `await using db = await openTestDatabase()`.
 * @throws when TEST_DATABASE_URL does not name a server where databases may be created; `npm test` starts one
 */
export async function openTestDatabase(): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL
  if (server === undefined || server === '') {
    throw new Error('TEST_DATABASE_URL is not set: run the tests with `npm test`, which starts a server for them.')
  }
  const name = `bandama_test_${randomBytes(8).toString('hex')}`
  const template = await asAdministrator(server, (admin) => ensureTemplate(server, admin))
  await onServers(server, (admin) => admin`create database ${admin(name)} template ${admin(template)}`)
  const url = databaseUrl(server, name)
  const sql = openPool({ url, connections: 4, name: 'test' })
  return {
    url,
    sql,
    moveClock: (interval) => moveClock(sql, interval),
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 1 })
      // Connections that a test left open (a killed service's pool) must not keep its database.
      await onServers(server, (admin) => admin`drop database ${admin(name)} with (force)`)
    },
  }
}

/** A database without a schema, dropped at the end. */
export async function createEmptyDatabase() {
  const server = process.env.TEST_DATABASE_URL!
  const name = `bandama_empty_${randomBytes(8).toString('hex')}`
  await asAdministrator(server, (admin) => admin`create database ${admin(name)}`)
  const url = databaseUrl(server, name)
  const pools: Sql[] = []
  return {
    url,
    /** A pool on it. */
    open(connections = 2): Sql {
      const pool = openPool({ url, connections, name: 'test of an empty one' })
      pools.push(pool)
      return pool
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })))
      await asAdministrator(server, (admin) => admin`drop database ${admin(name)} with (force)`)
    },
  }
}

/** A pool on a database of the tests, which knows whether that is a cluster. */
export function openPool(options: Omit<DatabaseOptions, 'sharded'>): Sql {
  return openDatabase({ ...options, sharded: isCitus })
}

/** The settings by which a process of its own reaches a database of the tests. */
export function databaseSettings(url: string): Record<string, string> {
  return { DATABASE_URL: url, ...(isCitus && { SHARDED: 'on' }) }
}

/** The address of another database of the same server. */
function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** One connection without the limits of the service's pool: copying a database may take its time. */
async function asAdministrator<Result>(server: string, work: (admin: Sql) => PromiseLike<Result>): Promise<Result> {
  const admin = openDatabase({ url: server, connections: 1, name: 'test administrator' })
  try {
    await admin.unsafe('set statement_timeout = 0; set lock_timeout = 0')
    return await work(admin)
  } finally {
    await admin.end({ timeout: 1 })
  }
}

/** On the server, or on each of a cluster, where a database is one of the same name on all of them. */
async function onServers(server: string, work: (admin: Sql) => PromiseLike<unknown>): Promise<void> {
  await onEachServer(server, (one) => asAdministrator(one, work))
}

/**
 * The name of a database with the present schema, made if it is not there. The name is a digest of what goes into it,
 * so that a changed migration gets a template of its own; the mark `datistemplate` is set last, so that one left
 * half-made by a run that died is made again.
 */
async function ensureTemplate(server: string, admin: Sql): Promise<string> {
  const name = `bandama_template_${await schemaDigest()}`
  await admin`select pg_advisory_lock(${TEMPLATE_LOCK})`
  const [found] = await admin<{ datistemplate: boolean }[]>`
    select datistemplate from pg_database where datname = ${name}`
  if (found?.datistemplate !== true) {
    await onServers(server, async (each) => {
      await each`drop database if exists ${each(name)} with (force)`
      await each`create database ${each(name)} template template0 encoding 'UTF8'`
    })
    await fillTemplate(databaseUrl(server, name))
    // Nobody may connect, because a database in use cannot be copied.
    await onServers(server, async (each) => {
      await each`alter database ${each(name)} with is_template true allow_connections false`
      await each`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${name}`
    })
  }
  await admin`select pg_advisory_unlock(${TEMPLATE_LOCK})`
  return name
}

async function fillTemplate(url: string): Promise<void> {
  const sql = openDatabase({ url, connections: 1, name: 'template' })
  try {
    await joinCluster(url)
    await migrate(url)
    for (const log of dailyLogs) await makeLogDays(sql, log)
    await distribute(url)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** The day belongs to it because the logs' partitions do. */
async function schemaDigest(): Promise<string> {
  const digest = createHash('sha256')
  for (const file of await migrationFiles()) digest.update(file).update(await readFile(new URL(file, migrations)))
  digest.update(await readDistribution())
  digest.update(createClock().now().toISOString().slice(0, 10))
  return digest.digest('hex').slice(0, 16)
}

async function migrationFiles(): Promise<string[]> {
  return (await readdir(migrations)).filter((file) => /^\d{4}_.*\.sql$/.test(file)).sort()
}

async function moveClock(sql: Sql, interval: string): Promise<void> {
  const [row] = await sql<{ statement: string }[]>`
    select format('create or replace function clock_now() returns timestamptz language sql stable parallel safe
                   return now() + interval %L', ${interval}::interval::text) as statement`
  await sql.unsafe(row!.statement)
  for (const log of dailyLogs) await makeLogDays(sql, log)
}
