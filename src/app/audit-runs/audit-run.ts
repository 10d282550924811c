import type { Registry } from 'prom-client'
import { createSingleGauge } from '../../platform/metrics.ts'
import type { Db, Sql } from '../../platform/postgres/database.ts'

/** Keeps the result of one audit, for the metrics. */
export async function recordAuditRun(sql: Sql, failed_checks: number): Promise<void> {
  await sql`insert into audit_runs (failed_checks) values (${failed_checks}) on conflict do nothing`
}

/** Makes the metrics of the newest audit. They are absent until there was one. Returns the function that reads it. */
export function measureAudits(metrics: Registry): (db: Db) => Promise<void> {
  const failed = createSingleGauge(
    metrics,
    'bandama_audit_failed_checks',
    'Checks that failed in the newest audit. Absent: there was none.',
  )
  const at = createSingleGauge(
    metrics,
    'bandama_audit_last_run_timestamp_seconds',
    'When the newest audit ended, in seconds since 1970. Absent: there was none.',
  )
  return async (db) => {
    const [newest] = await db<{ finished_at: Date; failed_checks: number }[]>`
      select finished_at, failed_checks
        from audit_runs
       order by finished_at desc
       limit 1`
    if (newest === undefined) return
    failed.set(newest.failed_checks)
    at.set(newest.finished_at.getTime() / 1_000)
  }
}
