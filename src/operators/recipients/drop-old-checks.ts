import type { Sql } from '../../platform/postgres/database.ts'
import { deleteExpired, type ScanOptions } from '../../platform/postgres/upkeep/delete-expired.ts'
import { WINDOW_HOURS } from './check-recipient.ts'

/** Deletes the counts whose window has ended, and returns their number. */
export function dropOldChecks(sql: Sql, scan?: ScanOptions): Promise<number> {
  return deleteExpired(
    sql,
    'recipient_checks',
    sql`r.began_at < clock_now() - make_interval(hours => ${WINDOW_HOURS})`,
    scan,
  )
}
