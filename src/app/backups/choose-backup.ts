import { programsMajor } from '../../platform/postgres/embedded/draft-cluster.ts'
import { migrationFiles } from '../../platform/postgres/upkeep/migrate.ts'
import type { Fault } from '../../platform/sealed-archive/archive.ts'
import type { Secret } from '../../values/secret.ts'
import { type Backup, type FreeBytes, freeBytesOf, type GoodBackup, isGood, readBackups } from './backup-folder.ts'
import { BackupRefused } from './backup-refused.ts'

/** The room that unpacked files need, with the log that the first start writes. */
const ROOM = 1.1

const NEWER = 'A newer version of Bandama wrote it. Install that version, and restore with it.'

const faults: Readonly<Record<Fault, string>> = {
  incomplete: 'It is not complete.',
  damaged: 'It is damaged.',
  other_key: 'It was made with another BACKUP_KEY.',
  newer: NEWER,
}

/**
 * Finds the backup to restore.
 * @param at `latest`; the id of a backup; or a time: then the newest backup that ended by then
 * @throws BackupRefused when there is none, or it is not good
 */
export async function chooseBackup(folder: string, key: Secret, at: string): Promise<GoodBackup> {
  const backups = await readBackups(folder, key)
  const named = backups.find(({ id }) => id === at)
  if (named !== undefined) return isGood(named) ? named : refuseFaulty(folder, named)
  const last = backups.at(-1)
  // An older one in its place would lose more than whoever asked for the latest knows.
  if (at === 'latest' && last !== undefined && !isGood(last)) return refuseFaulty(folder, last)
  const until = at === 'latest' ? Number.POSITIVE_INFINITY : Date.parse(at)
  if (Number.isNaN(until))
    throw new BackupRefused(`There is no backup ${at} in ${folder}. bandama backup list shows them.`)
  const found = backups.filter(isGood).findLast(({ to }) => Date.parse(to!) <= until)
  if (found !== undefined) return found
  if (last !== undefined && !isGood(last)) return refuseFaulty(folder, last)
  throw new BackupRefused(`There is no backup in ${folder}${at === 'latest' ? '' : ` that ended by ${at}`}.`)
}

function refuseFaulty(folder: string, { id, fault }: Backup): never {
  throw new BackupRefused(`The backup ${id} in ${folder} cannot be restored. ${faults[fault!]}`)
}

/**
 * Refuses a backup that this installation cannot bring back.
 * @param home the folder that its files are unpacked into
 * @throws BackupRefused when a newer version made it, or another PostgreSQL, or the disk has too little room
 */
export async function checkRestorable(
  { id, archive }: GoodBackup,
  home: string,
  freeBytes: FreeBytes = freeBytesOf,
): Promise<void> {
  const { migration = '', postgres = '' } = archive.about
  if (!(await migrationFiles()).includes(migration))
    throw new BackupRefused(`The backup ${id} has ${migration}. ${NEWER}`)
  const major = await programsMajor()
  if (postgres !== major) {
    throw new BackupRefused(
      `The backup ${id} is of PostgreSQL ${postgres}, and this installation has ${major}. Install the version that made it.`,
    )
  }
  const needed = Math.ceil(archive.tail.bytes * ROOM)
  const free = await freeBytes(home)
  if (free >= needed) return
  throw new BackupRefused(`There is too little space in ${home}: ${needed} bytes are needed and ${free} are free.`)
}
