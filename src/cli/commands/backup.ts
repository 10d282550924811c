import { folderOf, readBackupKey, readBackups } from '../../app/backups/backup-folder.ts'
import { drill } from '../../app/backups/drill.ts'
import { restore as restoreBackup } from '../../app/backups/restore.ts'
import { runBackup } from '../../app/backups/run-backup.ts'
import { type Command, CommandError, defineCommand } from '../command.ts'

const backupRun = defineCommand({
  name: 'backup run',
  summary: 'Make an encrypted backup of the embedded database, and read it back',
  details:
    'The file goes to BACKUP_DIR, encrypted with BACKUP_KEY_FILE, which must not be kept only on this machine. The key of the secrets in the database ' +
    '(SECRET_KEY, or secret.key in DATA_DIR) is not in it. The newest ones are kept, as many as BACKUP_KEEP says; with too little space older ones go ' +
    'first. A worker makes one every six hours. pgBackRest backs up a server of your own: see docs/deploy.md.',
  options: {},
  async run(context) {
    return await runBackup({ sql: await context.sql(), config: context.config })
  },
})

const backupList = defineCommand({
  name: 'backup list',
  summary: 'List the backups of the embedded database',
  details:
    'A fault tells why one cannot be restored: it is incomplete, damaged, of another key, or of a newer version.',
  options: {},
  table: {
    rows: 'backups',
    columns: ['id', 'to:holds', 'bytes', 'verified_at:verified', 'fault'],
    empty: 'There is no backup. bandama backup run makes one.',
  },
  async run({ config }) {
    const key = readBackupKey(config)
    const found = await readBackups(folderOf(config), key)
    const backups = found.map(({ id, kind, from, to, bytes, verified_at, fault }) => ({
      ...{ id, kind, from, to, bytes, verified_at, fault },
    }))
    const times = backups.flatMap(({ to }) => to ?? [])
    return { backups, restorable_from: times[0] ?? null, restorable_to: times.at(-1) ?? null }
  },
})

const restore = defineCommand({
  name: 'restore',
  summary: 'Restore a backup into a folder without a database; its payouts are stopped',
  details:
    'It audits the restored database. That database does not know the orders that left after the backup, so its payouts are stopped with the cause ' +
    'restored. Start the service, compare it with the statements of the operators, and let two people resume payouts. The service needs the SECRET_KEY ' +
    'of the one that was backed up: put its secret.key into the folder first, if the setting is empty.',
  options: {
    at: {
      kind: 'needed',
      value: 'TIME',
      says: 'latest, the id of a backup, or a time: the newest one by then',
      sample: 'latest',
    },
    to: { kind: 'optional', value: 'FOLDER', says: 'the new DATA_DIR; otherwise the setting', sample: '/srv/bandama' },
    'lost-secret-key': { kind: 'flag', says: 'nobody has the SECRET_KEY any more; see docs/deploy.md' },
  },
  async run(context, { at, to, 'lost-secret-key': lost_key }) {
    const { config, log } = context
    const restored = await restoreBackup({ config, log, at, to: to ?? null, lost_key })
    if (!restored.audit.ok) {
      const { failed_checks } = restored.audit
      throw new CommandError(
        `Restored, but the audit found errors. Failed checks: ${failed_checks.join(', ')}.`,
        1,
        restored,
      )
    }
    context.advise(
      'Payouts are stopped. Start the service, compare it with the statements of the operators; then two people type: bandama payouts resume --all',
    )
    return restored
  },
})

const restoreDrill = defineCommand({
  name: 'restore drill',
  summary: 'Restore the newest backup for a moment, and audit it; the exit code is 1 when it fails',
  details:
    'The service goes on meanwhile. The restored database never serves, and no order leaves. The result counts for the rule DrillOld.',
  options: {},
  async run(context) {
    const { config, log } = context
    const tried = await drill({ sql: await context.sql(), config, log, secretKey: await context.secretKey() })
    if (!tried.passed) throw new CommandError(`The restore failed. ${tried.fault}`, 1, tried)
    return tried
  },
})

export const commands: readonly Command[] = [backupRun, backupList, restore, restoreDrill]
