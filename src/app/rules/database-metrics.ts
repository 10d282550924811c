import type { Registry } from 'prom-client'
import { createSingleGauge } from '../../platform/metrics.ts'
import type { Db } from '../../platform/postgres/database.ts'

/** Makes the metric of the archive of PostgreSQL's log. Returns the function that reads it; every role may. */
export function measureDatabase(metrics: Registry): (db: Db) => Promise<void> {
  const archive = createSingleGauge(
    metrics,
    'bandama_wal_archive_failing',
    '1 while the last attempt to archive the WAL failed. Absent: PostgreSQL archives nothing.',
  )
  return async (db) => {
    const [row] = await db<{ failing: boolean | null }[]>`
      select (select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false)
                from pg_stat_archiver
               where current_setting('archive_mode') <> 'off') as failing`
    archive.set(row!.failing === null ? null : Number(row!.failing))
  }
}
