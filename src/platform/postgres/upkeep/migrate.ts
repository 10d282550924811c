import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../../log.ts'
import { failureOf, isLockTimeout } from '../failures.ts'
import { destroyConnection } from '../servers/connection.ts'
import { openSession } from '../servers/failover.ts'
import { buildIndexes, buildsIndexes } from './build-indexes.ts'

const ours = new URL('../../../../migrations/', import.meta.url)

/** Milliseconds that a file waits for a lock while readers queue behind it, before it gives up and lets them continue. */
const LOCK_MS = 500
/** Most tries for a lock. */
const LOCK_TRIES = 40
/** The shortest and the longest pause between two tries, in milliseconds. */
const PAUSE_MS = [250, 500] as const
/** Milliseconds between two checks whether another process has finished. */
const LOOK_MS = 200

/**
 * The files of development before version 1.0.0 were merged into those up to the first number. They had numbers up to the second one, which no later
 * file takes, so that their databases are known by them.
 */
const MERGED = ['0022', '0104'] as const

/** Milliseconds after which the log says why a start takes long. */
const SLOW_MS = 5_000

/** The schema of the database does not match this code. */
export class MigrationRefused extends Error {
  override name = 'MigrationRefused'
}

/** Whether the code before a migration works on its schema. A file that does not say it stops that code. */
type OlderCode = 'runs' | 'stops'

/** The line in the first comment of a file that says it. */
const OLDER_CODE = /^((?:--.*\n|\n)*?)-- older code: (runs|stops)\n/

/**
 * Migrates the database to the newest schema and returns the applied files. Several processes may start at once: one works, the others
 * wait and find nothing to do. Each file is one transaction. It waits at most 500 ms for a lock and then tries again, so that a migration
 * never blocks the traffic. Indexes on large tables have their own files, and are built concurrently (build-indexes.ts).
 * @param log gets a line about each slow step
 * @param folder the URL of the files' folder, with a slash at the end
 * @param signal closes the connection: the server rolls back the file in progress, and finishes an index that it is building
 * @throws MigrationRefused if an applied file was changed since, or if the database has a file that this code does not know and with which
 * older code stops; the reason of `signal`
 */
export async function migrate(
  url: string,
  log: Log | null = null,
  folder = ours,
  signal?: AbortSignal,
): Promise<string[]> {
  const client = await openSession(url, { application_name: 'bandama migrations' })
  const leave = () => destroyConnection(client)
  signal?.addEventListener('abort', leave)
  try {
    signal?.throwIfAborted()
    if ((await readDue(client, folder, log)).length === 0) return []
    await logIfSlow(log, 'another process brings the database to the newest schema', acquireMigrationLock(client))
    // Another process may have applied the files meanwhile.
    const due = await readDue(client, folder)
    await logIfSlow(log, 'the database is brought to the newest schema', apply(client, due))
    return due.map(({ file }) => file)
  } catch (error) {
    signal?.throwIfAborted()
    throw error instanceof MigrationRefused ? error : failureOf(error)
  } finally {
    signal?.removeEventListener('abort', leave)
    await client.end()
  }
}

async function logIfSlow(log: Log | null, what: string, work: Promise<void>): Promise<void> {
  const timer = setTimeout(() => log?.info(what), SLOW_MS)
  await work.finally(() => clearTimeout(timer))
}

type Migration = { file: string; checksum: string; older_code: OlderCode; text: string }

/** The files of this version, in order. */
export async function migrationFiles(folder = ours): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort()
}

/** The newest file that a database has. */
export async function readNewestMigration(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ newest: string }>('select max(file) as newest from schema_migrations')
  return rows[0]!.newest
}

/** The files not applied yet, in order. */
async function readDue(client: pg.Client, folder: URL, log: Log | null = null): Promise<Migration[]> {
  const files = await migrationFiles(folder)
  const known = await readApplied(client)
  checkNewer(
    Array.from(known.values()).filter(({ file }) => !files.includes(file)),
    log,
  )
  const all = await Promise.all(
    files.map(async (file) => migrationIn(file, await readFile(new URL(file, folder), 'utf8'))),
  )
  const changed = all.find(({ file, checksum }) => known.has(file) && known.get(file)!.checksum !== checksum)
  if (changed !== undefined) throw new MigrationRefused(`${changed.file} was changed after it was applied.`)
  return all.filter(({ file }) => !known.has(file))
}

/** The line about older code is not part of the checksum: it changes no schema, and earlier databases have files without it. */
function migrationIn(file: string, text: string): Migration {
  const older_code = (OLDER_CODE.exec(text)?.[2] ?? 'stops') as OlderCode
  const content = text.replace(OLDER_CODE, '$1').trimStart()
  return { file, text, older_code, checksum: createHash('sha256').update(content).digest('hex') }
}

type Applied = { file: string; checksum: string; older_code: OlderCode }

/**
 * A newer version has applied these files. This code runs with them if all say that it does, so that one can go back a version.
 * @throws MigrationRefused, also about a database that a version before 1.0.0 made
 */
function checkNewer(unknown: readonly Applied[], log: Log | null): void {
  const [merged, taken] = MERGED
  const before = unknown.find(({ file }) => file >= merged && file < taken)
  if (before !== undefined) {
    throw new MigrationRefused(
      `A development version before 1.0.0 made this database: it has ${before.file}, and its migrations were merged since. Make a new database.`,
    )
  }
  const stops = unknown.find(({ older_code }) => older_code === 'stops')
  if (stops !== undefined) {
    throw new MigrationRefused(
      `The database is newer than this code: it has ${stops.file}, with which older code stops. Start the newer version again.`,
    )
  }
  if (unknown.length > 0) {
    const files = unknown.map(({ file }) => file)
    log?.warn({ files }, 'the database is newer than this code, which runs with it: a newer version has migrated it')
  }
}

/** The applied files. Empty for an empty database. */
async function readApplied(client: pg.Client): Promise<Map<string, Applied>> {
  const { rows: tables } = await client.query(`select to_regclass('schema_migrations') is not null as there`)
  if (!tables[0].there) return new Map()
  // Through JSON, because the table of an earlier version lacks the column.
  const { rows } = await client.query<Applied>(`
    select file, checksum, coalesce(to_jsonb(m) ->> 'older_code', 'stops') as older_code
      from schema_migrations m
     order by file`)
  return new Map(rows.map((row) => [row.file, row]))
}

/**
 * Takes the lock of migrations until the end of the session. So the lock stays if our process dies while the server still
 * builds an index for it. No statement waits for the lock: an index build waits for every statement in progress, and the
 * two would wait for each other.
 */
async function acquireMigrationLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query(`select pg_try_advisory_lock(hashtext('bandama migrations')) as ours`)
    if (rows[0].ours) return
    await sleep(LOOK_MS)
  }
}

async function apply(client: pg.Client, due: readonly Migration[]): Promise<void> {
  await client.query(`create table if not exists schema_migrations (
    file text primary key,
    checksum text not null,
    applied_at timestamptz not null default now(),
    older_code text not null default 'stops' check (older_code in ('runs', 'stops'))
  )`)
  await client.query(`alter table schema_migrations
    add column if not exists older_code text not null default 'stops' check (older_code in ('runs', 'stops'))`)
  for (const migration of due) {
    if (!buildsIndexes(migration.file)) {
      await applyInTransaction(client, migration)
      continue
    }
    await buildIndexes(client, migration.text)
    await note(client, migration)
  }
}

async function applyInTransaction(client: pg.Client, migration: Migration): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query('begin')
      await client.query(`set local lock_timeout = ${LOCK_MS}`)
      await client.query(`set local statement_timeout = '10min'`)
      await client.query(migration.text)
      await note(client, migration)
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback')
      if (!isLockTimeout(failureOf(error)) || tries === LOCK_TRIES) throw error
      // The statements that waited behind us continue.
      const [least, most] = PAUSE_MS
      await sleep(least + Math.random() * (most - least))
    }
  }
}

async function note(client: pg.Client, { file, checksum, older_code }: Migration): Promise<void> {
  const values = [file, checksum, older_code]
  await client.query('insert into schema_migrations (file, checksum, older_code) values ($1, $2, $3)', values)
}
