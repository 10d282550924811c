import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { dailyLogs } from '../../src/app/daily-logs.ts'
import { createClock } from '../../src/platform/clock.ts'
import { type DatabaseOptions, openDatabase, type Sql } from '../../src/platform/postgres/database.ts'
import { makeLogDays } from '../../src/platform/postgres/upkeep/log-days.ts'
import { migrate } from '../../src/platform/postgres/upkeep/migrate.ts'
import { distribute, isCitus, joinCluster, onEachServer, readDistribution } from './citus.ts'
import { starting } from './starting.ts'

/** The number of an advisory lock, so that one template database at a time is made on a server. */
const TEMPLATE_LOCK = 7_270_001

const migrations = new URL('../../migrations/', import.meta.url)

export type TestDatabase = {
  /** The URL, for a separate process or pool. */
  url: string
  sql: Sql
  /**
   * Makes `clock_now()` run ahead of the real time by `interval` (`3 days`, `61 seconds`; `0` for the real time again), and makes the
   * logs' partitions as a worker would have by then. A second call replaces the first.
   */
  moveClock(interval: string): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Opens a new database with the whole schema and the logs' partitions for today. It is a copy of a template that the first caller on the
 * server makes, and is dropped at the end:
 * `await using db = await openTestDatabase()`.
 * @throws when TEST_DATABASE_URL names no server that allows creating databases; `npm test` starts one
 */
export function openTestDatabase(): Promise<TestDatabase> {
  return starting('database', copyTemplate)
}

async function copyTemplate(): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL
  if (server === undefined || server === '') {
    throw new Error('TEST_DATABASE_URL is not set: run the tests with `npm test`, which starts a server for them.')
  }
  const name = `bandama_test_${randomBytes(8).toString('hex')}`
  const template = await asAdministrator(server, (admin) => ensureTemplate(server, admin))
  // Copied as files: page by page through the log it takes three times as long, and the pages of a dropped database are then sought in memory.
  await onServers(
    server,
    (admin) => admin`create database ${admin(name)} template ${admin(template)} strategy file_copy`,
  )
  const url = databaseUrl(server, name)
  const sql = openPool({ url, connections: 4, name: 'test' })
  return {
    url,
    sql,
    moveClock: (interval) => moveClock(sql, interval),
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 1 })
      // Forced, because a test may leave connections open, such as a killed service's pool.
      await onServers(server, (admin) => admin`drop database ${admin(name)} with (force)`)
    },
  }
}

/** Opens a database without a schema, which is dropped at the end. */
export async function createEmptyDatabase() {
  const server = process.env.TEST_DATABASE_URL!
  const name = `bandama_empty_${randomBytes(8).toString('hex')}`
  await asAdministrator(server, (admin) => admin`create database ${admin(name)}`)
  const url = databaseUrl(server, name)
  const pools: Sql[] = []
  return {
    url,
    /** A pool on the database. */
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

/** Opens a pool on a database of the tests, with the setting whether it is a cluster. */
export function openPool(options: Omit<DatabaseOptions, 'sharded'>): Sql {
  return openDatabase({ ...options, sharded: isCitus })
}

/** Returns the settings by which a separate process reaches a database of the tests. */
export function databaseSettings(url: string): Record<string, string> {
  return { DATABASE_URL: url, ...(isCitus && { SHARDED: 'on' }) }
}

/** Returns the URL of another database on the same server. */
function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Opens one connection without the timeouts of the service's pool, because copying a database may take long. */
async function asAdministrator<Result>(server: string, work: (admin: Sql) => PromiseLike<Result>): Promise<Result> {
  const admin = openDatabase({ url: server, connections: 1, name: 'test administrator' })
  try {
    await admin.unsafe('set statement_timeout = 0; set lock_timeout = 0')
    return await work(admin)
  } finally {
    await admin.end({ timeout: 1 })
  }
}

/** Runs work on the server, or on each server of a cluster, where a database has the same name on all. */
async function onServers(server: string, work: (admin: Sql) => PromiseLike<unknown>): Promise<void> {
  await onEachServer(server, (one) => asAdministrator(one, work))
}

/**
 * Returns the name of the template database with the current schema, and makes it if it is missing. The name contains a digest of its
 * content, so that a changed migration gets a new template. `datistemplate` is set last, so that a template that a killed run left
 * unfinished is made again.
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
    // No connections are allowed, because a database in use cannot be copied.
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

/** Returns the digest of a template's content. The day is a part of it, because of the logs' partitions. */
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
