import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildIndexes, buildsIndexes } from './build-indexes.ts'
import type { Sql } from './database.ts'
import { PostgresError } from './failures.ts'
import type { Servers } from './servers.ts'

const folder = new URL('../../../migrations/', import.meta.url)

/** Tries for a statement that waits for a lock: half a second each, so that no reader queues behind us for longer. */
const LOCK_TRIES = 40
/** How often somebody who finds another process at work looks whether it is done, in milliseconds. */
const LOOK_MS = 100

/**
 * Brings the database to the newest schema and returns the files it applied. Safe when several processes start at once
 * (one works, the others wait and find nothing to do). Each file is one transaction; a lock that does not come within
 * 500 ms is given up and tried again, so that traffic is never held up behind a migration. Indexes on what is large have files of
 * their own, and are built beside the traffic (build-indexes.ts).
 * @param url of the servers themselves, without a pooler, for building indexes
 * @throws when a file already applied was changed since, or when the database was already newer than this code
 */
export async function migrate(sql: Sql, url: string | Servers): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort()
  await sql`create table if not exists schema_migrations (
    file text primary key,
    checksum text not null,
    applied_at timestamptz not null default now()
  )`.catch(ignoreRacedCreation)
  const known = await sql<Applied[]>`select file, checksum from schema_migrations`
  const unknown = known.find(({ file }) => !files.includes(file))
  if (unknown !== undefined) throw new Error(`The database is newer than this code: it has ${unknown.file}.`)
  const applied: string[] = []
  for (const file of files) {
    const text = await readFile(new URL(file, folder), 'utf8')
    const migration = { file, checksum: createHash('sha256').update(text).digest('hex') }
    const there = known.find((one) => one.file === file)
    if (there !== undefined) refuseChange(migration, there)
    else if (await applyOnce(sql, url, migration, text)) applied.push(file)
  }
  return applied
}

type Applied = { file: string; checksum: string }

function refuseChange({ file, checksum }: Applied, there: { checksum: string }): void {
  if (there.checksum !== checksum) throw new Error(`${file} was changed after it was applied.`)
}

async function applyOnce(sql: Sql, url: string | Servers, migration: Applied, text: string): Promise<boolean> {
  for (let tries = 1; ; ) {
    try {
      const came = await apply(sql, url, migration, text)
      if (came !== 'another is at work') return came === 'applied'
      // As long as it works: what it builds may be large.
      await sleep(LOOK_MS)
    } catch (error) {
      const lockTimedOut = error instanceof PostgresError && error.code === '55P03'
      if (!lockTimedOut || tries === LOCK_TRIES) throw error
      tries += 1
    }
  }
}

function apply(sql: Sql, url: string | Servers, { file, checksum }: Applied, text: string) {
  return sql.begin(async (tx) => {
    // An index that is built waits for everybody who is in the middle of a statement. So nobody waits for this lock within one, and
    // what we read ourselves is let go by the settings behind it: until the next statement a transaction holds what the last one saw.
    const [lock] = await tx<{ ours: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtext('bandama migrations')) as ours`
    if (!lock!.ours) return 'another is at work'
    // Another process may have been first since we looked.
    const [there] = await tx<Applied[]>`select file, checksum from schema_migrations where file = ${file}`
    if (there !== undefined) {
      refuseChange({ file, checksum }, there)
      return 'applied before'
    }
    await tx`set local lock_timeout = '500ms'`
    await tx`set local statement_timeout = '10min'`
    await tx`set local idle_in_transaction_session_timeout = 0`
    if (buildsIndexes(file)) await buildIndexes(url, text)
    else await tx.unsafe(text)
    await tx`insert into schema_migrations (file, checksum) values (${file}, ${checksum})`
    return 'applied'
  })
}

/** Two processes that create the same table at once: one of them is told so, and the table is there. */
function ignoreRacedCreation(error: unknown): void {
  const raced = error instanceof PostgresError && ['23505', '42710', '42P07'].includes(error.code)
  if (!raced) throw error
}
