import { machineMilliseconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { removeDeadDrafts, removeDraft } from '../../platform/postgres/embedded/dead-drafts.ts'
import type { Secret } from '../../values/secret.ts'
import { audit } from '../audit.ts'
import { folderOf, readBackupKey } from './backup-folder.ts'
import { checkRestorable, chooseBackup } from './choose-backup.ts'
import { unpackBackup, withDraft } from './open-draft.ts'

/** A restore that was tried. `fault` null: it passed. */
export type Drill = {
  backup: string
  passed: boolean
  fault: string | null
  /** The content of the restored ledger, in both modes. Null: it could not be restored. */
  holds: { transactions: number; entries: number; accounts: number; failed_checks: string[] } | null
  seconds: { restore: number; audit: number }
}

/**
 * Restores the newest backup into a temporary folder of DATA_DIR, audits it, and removes it. It never serves, and no worker runs on it: no order leaves.
 * The remains of a killed drill are removed first, with its server. The result is recorded for the rules.
 * @param sql the database that serves
 * @throws BackupRefused when there is no backup or no room, which records nothing
 */
export async function drill({
  sql,
  config,
  log,
  secretKey,
}: {
  sql: Sql
  config: Config
  log: Log
  secretKey: Secret
}): Promise<Drill> {
  const home = config.data_dir
  const key = readBackupKey(config)
  await removeDeadDrafts(home)
  const backup = await chooseBackup(folderOf(config), key, 'latest')
  await checkRestorable(backup, home)
  const began = machineMilliseconds()
  const seconds = { restore: 0, audit: 0 }
  let holds: Drill['holds'] = null
  let fault: string | null = null
  try {
    const cluster = await unpackBackup(backup, home, 'drill')
    try {
      // The copy is removed afterwards, so it need not survive a power cut.
      holds = await withDraft(cluster, { secretKey, log, settings: { fsync: 'off' } }, async (copy) => {
        seconds.restore = secondsSince(began)
        const audited = machineMilliseconds()
        const found = await look(copy)
        seconds.audit = secondsSince(audited)
        return found
      })
      if (holds.failed_checks.length > 0) fault = `The audit found errors: ${holds.failed_checks.join(', ')}.`
    } finally {
      await removeDraft(cluster)
    }
  } catch (error) {
    fault = (error as Error).message
  }
  await sql`
    insert into restore_drills (passed, backup, seconds, fault)
    values (${fault === null}, ${backup.id}, ${Math.round(secondsSince(began))}, ${fault})`
  return { backup: backup.id, passed: fault === null, fault, holds, seconds }
}

const secondsSince = (began: number): number => Math.round((machineMilliseconds() - began) / 100) / 10

async function look(copy: Sql): Promise<NonNullable<Drill['holds']>> {
  const { transactions, entries, accounts, checks } = await audit(copy)
  const failed_checks = checks.filter(({ wrong }) => wrong > 0).map(({ check }) => check)
  return { transactions, entries, accounts, failed_checks }
}
