import { randomBytes } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import type pg from 'pg'
import { crashPoint } from '../../platform/crash-point.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Cluster } from '../../platform/postgres/embedded/cluster.ts'
import { openCluster, urlOf } from '../../platform/postgres/embedded/cluster.ts'
import { type Copied, copyCluster, majorOf } from '../../platform/postgres/embedded/copy-cluster.ts'
import { FILES_PREFIX, PASSWORD_PATH } from '../../platform/postgres/embedded/draft-cluster.ts'
import { findServer } from '../../platform/postgres/embedded/server.ts'
import { openSession } from '../../platform/postgres/servers/failover.ts'
import { readNewestMigration } from '../../platform/postgres/upkeep/migrate.ts'
import { writeArchive } from '../../platform/sealed-archive/archive.ts'
import type { Entry } from '../../platform/sealed-archive/entries.ts'
import type { Secret } from '../../values/secret.ts'
import {
  type BackupSettings,
  type FreeBytes,
  folderOf,
  freeBytesOf,
  giveToService,
  isGood,
  makeFolder,
  makeRoom,
  partOf,
  pathOf,
  readBackupKey,
  readBackups,
  removeUnfinished,
  syncFolder,
} from './backup-folder.ts'
import { BackupRefused } from './backup-refused.ts'

/** A backup that was made. Times are the database's. */
export type BackupMade = {
  id: string
  kind: 'full'
  from: string
  to: string
  bytes: number
  verified_at: string
  /** The older ones that it replaced. */
  removed: string[]
}

/**
 * Makes one encrypted backup of the running embedded server: makes room for it first, writes it beside the others under an unfinished name, reads it
 * back, and only then gives it its name. Then it keeps the newest ones, as many as the settings say. The run is recorded for the rules.
 * @param sql the database of that server
 * @throws BackupRefused when another one runs, or for want of space, which is recorded
 */
export async function runBackup({
  sql,
  config,
  signal,
  freeBytes = freeBytesOf,
}: {
  sql: Sql
  config: BackupSettings
  signal?: AbortSignal
  freeBytes?: FreeBytes
}): Promise<BackupMade> {
  const key = readBackupKey(config)
  const folder = folderOf(config)
  const cluster = await openCluster(config.data_dir, { make: false })
  const server = await findServer(cluster)
  if (server === null) throw new BackupRefused('The embedded server does not run.')
  const session = await openSession(urlOf(cluster, server.port), { application_name: 'bandama backup' })
  try {
    // It ends with its connection, so that a killed run leaves no lock.
    const { rows } = await session.query(`select pg_try_advisory_lock(hashtext('bandama backup')) as ours`)
    if (!rows[0].ours) throw new BackupRefused('Another backup runs. Wait for its end.')
    await makeFolder(folder, config.data_dir)
    await removeUnfinished(folder)
    const first = await readDatabaseBytes(session)
    const room = await makeRoom(folder, (await readBackups(folder, key)).filter(isGood), freeBytes, first)
    if (room.free < room.needed) {
      await refuseForSpace(sql, `${room.needed} bytes are needed in ${folder} and ${room.free} are free.`)
    }
    const made = await write({ sql, folder, data_dir: config.data_dir, cluster, key, session, signal })
    // The new one is kept in any case: others sort behind it when the clock was set back.
    const older = (await readBackups(folder, key)).filter((backup) => isGood(backup) && backup.id !== made.id)
    const removed = older.slice(0, Math.max(0, older.length + 1 - config.backup_keep)).map(({ id }) => id)
    for (const id of removed) await rm(pathOf(folder, id))
    await sql`
      insert into backup_runs (kind, level, bytes, began_at, backup)
      values ('dump', 'full', ${made.bytes}, ${made.to}, ${made.id})`
    return { ...made, removed: [...room.removed, ...removed] }
  } finally {
    await session.end().catch(() => {})
  }
}

/** The first backup is not larger: it is compressed. Without this bound it might fill the disk of the running server. */
async function readDatabaseBytes(session: pg.Client): Promise<number> {
  const { rows } = await session.query<{ bytes: string }>('select sum(pg_database_size(oid)) as bytes from pg_database')
  return Number(rows[0]!.bytes)
}

type Writing = {
  sql: Sql
  folder: string
  data_dir: string
  cluster: Cluster
  key: Secret
  session: pg.Client
  signal: AbortSignal | undefined
}

/** Writes the file, and gives it its name when it is good. Leaves no unfinished file, unless the process is killed. */
async function write(writing: Writing): Promise<Omit<BackupMade, 'removed'>> {
  const { sql, folder, data_dir, cluster, key, session, signal } = writing
  const now = async () =>
    (await session.query<{ at: Date }>('select clock_timestamp() as at')).rows[0]!.at.toISOString()
  const from = await now()
  const id = `${from.slice(0, 19).replaceAll(':', '')}Z-${randomBytes(2).toString('hex')}`
  const part = partOf(folder, id)
  const copied: Copied = { to: null }
  try {
    const { size, tail } = await writeArchive(part, {
      key,
      about: { id, from, migration: await readNewestMigration(session), postgres: await majorOf(cluster) },
      entries: entriesOf(cluster, session, copied),
      end: async () => ({ to: copied.to!.toISOString(), verified_at: await now() }),
      ...(signal === undefined ? {} : { signal }),
    })
    crashPoint('backup_without_name')
    await giveToService(part, data_dir)
    await rename(part, pathOf(folder, id))
    await syncFolder(folder)
    crashPoint('backup_unrecorded')
    return { id, kind: 'full', from, to: tail.said.to!, bytes: size, verified_at: tail.said.verified_at! }
  } catch (error) {
    await rm(part, { force: true })
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') await refuseForSpace(sql, `The disk of ${folder} is full.`)
    throw error
  }
}

/** The password of the server, and its files. The key of the secrets in the database is not among them. */
async function* entriesOf(cluster: Cluster, session: pg.Client, copied: Copied): AsyncGenerator<Entry> {
  yield { path: PASSWORD_PATH, kind: 'file', content: once(Buffer.from(cluster.password.reveal())) }
  for await (const entry of copyCluster(cluster, session, copied)) yield { ...entry, path: FILES_PREFIX + entry.path }
}

async function* once(piece: Buffer): AsyncGenerator<Buffer> {
  yield piece
}

async function refuseForSpace(sql: Sql, how: string): Promise<never> {
  await sql`insert into backup_refusals (cause) values ('no_space')`
  throw new BackupRefused(`There is too little space for the backup: ${how} Enlarge the disk, or move backups away.`)
}
