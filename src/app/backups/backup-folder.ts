import { lchown, mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../platform/config.ts'
import { type Archive, type Fault, openArchive } from '../../platform/sealed-archive/archive.ts'
import type { Secret } from '../../values/secret.ts'
import { BackupRefused } from './backup-refused.ts'

export type BackupSettings = Pick<Config, 'backup_key' | 'backup_dir' | 'backup_keep' | 'data_dir' | 'database_url'>

const COMPLETE = /^bandama-(.+)\.backup$/
const UNFINISHED = /^bandama-.+\.part$/

/** The folder of the backups. */
export const folderOf = ({ backup_dir, data_dir }: Pick<BackupSettings, 'backup_dir' | 'data_dir'>): string =>
  backup_dir === '' ? join(data_dir, 'backups') : backup_dir

export const pathOf = (folder: string, id: string): string => join(folder, `bandama-${id}.backup`)
export const partOf = (folder: string, id: string): string => join(folder, `bandama-${id}.part`)

/** The key of the backups. @throws BackupRefused when there is none, or another server than the embedded one */
export function readBackupKey({ backup_key, database_url }: BackupSettings): Secret {
  if (database_url !== null) {
    throw new BackupRefused(
      'DATABASE_URL names a server of your own, which pgBackRest backs up: see docs/deploy.md. These backups are of the embedded server.',
    )
  }
  if (backup_key === null) {
    throw new BackupRefused(
      'BACKUP_KEY_FILE is not set: it names a file with at least 32 random characters, which encrypt the backups. Keep a copy off this machine.',
    )
  }
  return backup_key
}

/** A file among the backups. `fault` null: it is good, that is complete, read back after it was written, and of this key. */
export type Backup = {
  id: string
  kind: 'full'
  /** When the copy began and ended; the end is what a restore brings back. Null: the file does not tell. */
  from: string | null
  to: string | null
  bytes: number
  verified_at: string | null
  fault: Fault | null
}

/** A good backup, with its archive. */
export type GoodBackup = Backup & { fault: null; archive: Archive }

/** Null: a run has removed it meanwhile. */
async function readBackup(folder: string, id: string, key: Secret): Promise<Backup | GoodBackup | null> {
  const opened = await openArchive(pathOf(folder, id), key).catch(absent)
  if (opened === null) return null
  const from = opened.about?.from ?? null
  if ('fault' in opened) {
    const { size } = opened
    return { id, kind: 'full', from, to: null, bytes: size, verified_at: null, fault: opened.fault }
  }
  const { said } = opened.tail
  const times = { from, to: said.to ?? null, verified_at: said.verified_at ?? null }
  return { id, kind: 'full', ...times, bytes: opened.size, fault: null, archive: opened }
}

/** The files among the backups, oldest first: their names begin with the time. No folder: none. */
export async function readBackups(folder: string, key: Secret): Promise<(Backup | GoodBackup)[]> {
  const backups: (Backup | GoodBackup)[] = []
  for (const name of (await namesIn(folder)).sort()) {
    const id = COMPLETE.exec(name)?.[1]
    const backup = id === undefined ? null : await readBackup(folder, id, key)
    if (backup !== null) backups.push(backup)
  }
  return backups
}

export const isGood = (backup: Backup | GoodBackup): backup is GoodBackup => backup.fault === null

/** Removes what killed runs left. Only a run may, and only one runs at a time. */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) if (UNFINISHED.test(name)) await rm(join(folder, name), { force: true })
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(absent)) ?? []
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

export async function makeFolder(folder: string, data_dir: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (made !== undefined) await giveToService(folder, data_dir)
}

/** Gives a file that root made to the account of the service, whose worker has to read and to remove it. */
export async function giveToService(path: string, data_dir: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(data_dir)
  await lchown(path, uid, gid)
}

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder)
  await handle.sync()
}

export type FreeBytes = (folder: string) => Promise<number>

/** The bytes of a folder's disk that are free for this account. */
export const freeBytesOf: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** A backup needs about as much as the newest one, and a fifth more. */
const ROOM = 1.2

/**
 * Makes room for one more backup: removes the oldest good ones, but never the newest good one, and nothing that this key cannot read.
 * @param first the bytes that the first backup may need
 * @returns the removed ids, and how many bytes are needed and free
 */
export async function makeRoom(
  folder: string,
  good: readonly GoodBackup[],
  freeBytes: FreeBytes,
  first: number,
): Promise<{ removed: string[]; needed: number; free: number }> {
  const needed = Math.ceil(good.length === 0 ? first : good.at(-1)!.bytes * ROOM)
  const removed: string[] = []
  let free = await freeBytes(folder)
  for (const { id } of good.slice(0, -1)) {
    if (free >= needed) break
    await rm(pathOf(folder, id))
    removed.push(id)
    free = await freeBytes(folder)
  }
  return { removed, needed, free }
}
