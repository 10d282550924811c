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

/** Milliseconds after which the log says why a start takes long. */
const SLOW_MS = 5_000

/** The schema of the database does not match this code. */
class MigrationRefused extends Error {
  override name = 'MigrationRefused'
}

/**
 * Migrates the database to the newest schema and returns the applied files. Several processes may start at once: one works, the others
 * wait and find nothing to do. Each file is one transaction. It waits at most 500 ms for a lock and then tries again, so that a migration
 * never blocks the traffic. Indexes on large tables have their own files, and are built concurrently (build-indexes.ts).
 * @param log gets a line about each slow step
 * @param folder the URL of the files' folder, with a slash at the end
 * @param signal closes the connection: the server rolls back the file in progress, and finishes an index that it is building
 * @throws if an applied file was changed since, or if the database is newer than this code; the reason of `signal`
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
    if ((await readDue(client, folder)).length === 0) return []
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

type Migration = { file: string; checksum: string; text: string }

/** The files not applied yet, in order. */
async function readDue(client: pg.Client, folder: URL): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort()
  const known = await readApplied(client)
  const unknown = known.keys().find((file) => !files.includes(file))
  if (unknown !== undefined) throw new MigrationRefused(`The database is newer than this code: it has ${unknown}.`)
  const all = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, folder), 'utf8')
      return { file, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
  const changed = all.find(({ file, checksum }) => known.has(file) && known.get(file) !== checksum)
  if (changed !== undefined) throw new MigrationRefused(`${changed.file} was changed after it was applied.`)
  return all.filter(({ file }) => !known.has(file))
}

/** The checksums of the applied files. Empty for an empty database. */
async function readApplied(client: pg.Client): Promise<Map<string, string>> {
  const { rows: tables } = await client.query(`select to_regclass('schema_migrations') is not null as there`)
  if (!tables[0].there) return new Map()
  const { rows } = await client.query<Migration>('select file, checksum from schema_migrations')
  return new Map(rows.map(({ file, checksum }) => [file, checksum]))
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
    applied_at timestamptz not null default now()
  )`)
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

async function note(client: pg.Client, { file, checksum }: Migration): Promise<void> {
  await client.query('insert into schema_migrations (file, checksum) values ($1, $2)', [file, checksum])
}
