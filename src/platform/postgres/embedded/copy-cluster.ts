import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import type { Entry } from '../../sealed-archive/entries.ts'
import { EmbeddedPostgresError } from './account.ts'
import type { Cluster } from './cluster.ts'

/** Folders of which a copy needs only the folder: PostgreSQL makes their files anew at its start. */
const EMPTY = new Set([
  'pg_wal',
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
])
/** Files that belong to the running server, or to an earlier copy. */
const LEFT =
  /^(?:postmaster\.(?:pid|opts)|backup_label.*|tablespace_map.*|pg_internal\.init.*|pgsql_tmp.*|current_logfiles)$/
const CONTROL = 'global/pg_control'

const PIECE_BYTES = 256 * 1024
/** Bytes of a file of the log. The server of a cluster of ours has PostgreSQL's default. */
const SEGMENT_BYTES = 16 * 1024 * 1024

/** The end of a copy, known when it is complete. */
export type Copied = {
  /** The moment that the copy holds: its end. */
  to: Date | null
}

/**
 * Copies the files of a running server, as `pg_basebackup` does: the files may change meanwhile, and the log of that time, which comes last, puts them
 * right. A server that starts with the copy has exactly the state at the end of the copy. The temporary slot keeps the log until the connection ends.
 * @param session a connection of the superuser, for this copy alone
 */
export async function* copyCluster(cluster: Cluster, session: pg.Client, copied: Copied): AsyncGenerator<Entry> {
  await session.query(`select pg_create_physical_replication_slot('bandama_copy_' || pg_backend_pid(), true, true)`)
  // Fast, because a spread checkpoint would take minutes.
  await session.query(`select pg_backup_start('bandama', true)`)
  yield* filesIn(cluster.data, '')
  // The control file last: it must not be older than any page.
  yield await fileIn(cluster.data, CONTROL)
  const stopped = await session.query<{ label: string; last: string; at: Date }>(`
    select labelfile as label, pg_walfile_name(lsn - 1) as last, clock_timestamp() as at
      from pg_backup_stop(false)`)
  const { label, last, at } = stopped.rows[0]!
  yield { path: 'backup_label', kind: 'file', content: once(Buffer.from(label)) }
  yield* logBetween(cluster.data, /\(file ([0-9A-F]{24})\)/.exec(label)![1]!, last)
  copied.to = at
}

async function* filesIn(data: string, folder: string): AsyncGenerator<Entry> {
  const entries = await readdir(join(data, folder), { withFileTypes: true }).catch(gone)
  for (const entry of entries ?? []) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (LEFT.test(entry.name) || path === CONTROL) continue
    if (folder === 'pg_tblspc')
      throw new EmbeddedPostgresError(`${data} has a tablespace, ${entry.name}, which our backups do not hold.`)
    if (entry.isDirectory() || EMPTY.has(path)) {
      yield { path, kind: 'folder' }
      if (!EMPTY.has(path)) yield* filesIn(data, path)
    } else if (entry.isFile()) yield await fileIn(data, path)
  }
}

/** The files of the log that a start with the copy reads, with the history of its timelines. */
async function* logBetween(data: string, first: string, last: string): AsyncGenerator<Entry> {
  const names = (await readdir(join(data, 'pg_wal'))).sort()
  const segments = names.filter((name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last)
  const number = (name: string) =>
    Number.parseInt(name.slice(8, 16), 16) * (2 ** 32 / SEGMENT_BYTES) + Number.parseInt(name.slice(16), 16)
  if (segments.length !== number(last) - number(first) + 1)
    throw new EmbeddedPostgresError('The log of the server was removed during the backup. Run it again.')
  yield { path: 'pg_wal/archive_status', kind: 'folder' }
  for (const name of [...names.filter((one) => one.endsWith('.history')), ...segments])
    yield await fileIn(data, `pg_wal/${name}`)
}

async function fileIn(data: string, path: string): Promise<Entry> {
  return { path, kind: 'file', content: readFile(join(data, path)) }
}

/** A file in pieces, up to its size now. Empty when it is gone: then the log says so too. */
async function* readFile(path: string): AsyncGenerator<Buffer> {
  const file = await open(path).catch(gone)
  if (file === null) return
  try {
    const { size } = await file.stat()
    for (let at = 0; at < size; ) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(PIECE_BYTES, size - at)), 0, null, at)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
      at += bytesRead
    }
  } finally {
    await file.close()
  }
}

async function* once(piece: Buffer): AsyncGenerator<Buffer> {
  yield piece
}

function gone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

/** The major version of the files of a cluster, such as `17`. */
export async function majorOf(cluster: Cluster): Promise<string> {
  await stat(cluster.data)
  for await (const piece of readFile(join(cluster.data, 'PG_VERSION'))) return piece.toString().trim()
  return ''
}
