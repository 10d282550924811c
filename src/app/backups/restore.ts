import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { stopPayoutsBecause } from '../../payouts/stop-payouts.ts'
import { machineMilliseconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import { putInPlace } from '../../platform/postgres/embedded/cluster.ts'
import { removeDeadDrafts, removeDraft } from '../../platform/postgres/embedded/dead-drafts.ts'
import { Secret } from '../../values/secret.ts'
import { audit } from '../audit.ts'
import { recordAuditRun } from '../audit-runs/audit-run.ts'
import { folderOf, readBackupKey } from './backup-folder.ts'
import { BackupRefused } from './backup-refused.ts'
import { checkRestorable, chooseBackup } from './choose-backup.ts'
import { unpackBackup, withDraft } from './open-draft.ts'

/** A database that a backup brought back, and what the audit found in it. */
export type Restored = {
  backup: string
  /** The moment that the database is of. */
  restored_to: string
  folder: string
  payouts: 'stopped'
  cause: 'restored'
  audit: { ok: boolean; failed_checks: string[]; transactions: number; entries: number }
  seconds: number
}

/**
 * Restores a backup of the embedded server into a folder without a database, for a service that has it as DATA_DIR. The database gets its name there
 * only when it is whole, and all payouts, of both modes, are stopped in it with the cause `restored`: it does not know the orders that left after the
 * backup. Two people resume them. A kill leaves a draft, which the next start removes.
 * @param at `latest`, the id of a backup, or a time
 * @param to the folder. Null: DATA_DIR
 * @param lost_key whether nobody has the SECRET_KEY any more, and the database shall accept another
 * @throws BackupRefused when the folder has a database, or the backup cannot be restored; ConfigError when SECRET_KEY is another
 */
export async function restore({
  config,
  log,
  at,
  to,
  lost_key,
}: {
  config: Config
  log: Log
  at: string
  to: string | null
  lost_key: boolean
}): Promise<Restored> {
  const began = machineMilliseconds()
  const key = readBackupKey(config)
  const home = to ?? config.data_dir
  await refuseDatabase(home)
  const backup = await chooseBackup(folderOf(config), key, at)
  const secretKey = lost_key ? null : (config.secret_key ?? (await readKeyIn(home)))
  // As the service makes its DATA_DIR: the account of the server may enter the folder, and not list it.
  await mkdir(home, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  await checkRestorable(backup, home)
  await removeDeadDrafts(home)
  const cluster = await unpackBackup(backup, home, 'postgres.new')
  try {
    const report = await withDraft(cluster, { secretKey, log }, async (sql) => {
      const [row] = await sql<{ at: Date }[]>`select clock_timestamp() as at`
      const cause_detail = `${backup.id}, ${row!.at.toISOString()}`
      await stopPayoutsBecause(sql, { cause: 'restored', cause_detail })
      const found = await audit(sql)
      const failed_checks = found.checks.filter(({ wrong }) => wrong > 0).map(({ check }) => check)
      await recordAuditRun(sql, failed_checks.length)
      const { ok, transactions, entries } = found
      return { ok, failed_checks, transactions, entries }
    })
    await refuseDatabase(home)
    if (!(await putInPlace(cluster.folder, join(home, 'postgres'), home))) throw hasDatabase(home)
    return {
      ...{ backup: backup.id, restored_to: backup.to!, folder: home, payouts: 'stopped', cause: 'restored' },
      audit: report,
      seconds: Math.round((machineMilliseconds() - began) / 1_000),
    }
  } finally {
    await removeDraft(cluster)
  }
}

/** @throws BackupRefused when the folder has a database */
async function refuseDatabase(home: string): Promise<void> {
  if ((await stat(join(home, 'postgres')).catch(() => null)) !== null) throw hasDatabase(home)
}

function hasDatabase(home: string): BackupRefused {
  return new BackupRefused(
    `${home} has a database already. Restore into another folder (--to), or move its folder postgres away first.`,
  )
}

async function readKeyIn(home: string): Promise<Secret> {
  const path = join(home, 'secret.key')
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text !== null) return new Secret(text.trim())
  throw new BackupRefused(
    `SECRET_KEY is not set, and there is no ${path}: put the key of the backed-up service there first. If nobody has it any more: --lost-secret-key.`,
  )
}
