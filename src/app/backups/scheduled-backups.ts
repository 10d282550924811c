import type { Config } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type PeriodicTask, runEvery } from '../../platform/run-every.ts'
import { runBackup } from './run-backup.ts'

/** Milliseconds between two looks whether a backup is due; a failed one is tried again then. */
const LOOK_MS = 10 * 60_000

/** Whether the newest backup is six hours old, or there is none. */
async function isDue(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ due: boolean }[]>`
    select coalesce(max(finished_at) < clock_timestamp() - interval '6 hours', true) as due
      from backup_runs`
  return row!.due
}

/**
 * Makes a backup of the embedded server every six hours, and one at once when there is none. Without a key there are none. Null: no such backups.
 */
export function scheduleBackups(deps: { sql: Sql; config: Config; log: Log }): PeriodicTask | null {
  const { sql, config, log } = deps
  if (config.backup_key === null || config.database_url !== null) return null
  return runEvery('backups', LOOK_MS, log, async (signal) => {
    if (!(await isDue(sql))) return
    const { id, bytes, removed } = await runBackup({ sql, config, signal })
    log.info({ backup: id, bytes, removed: removed.length }, 'backups: made one')
  })
}
