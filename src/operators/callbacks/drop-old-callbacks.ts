import type { Sql } from '../../platform/postgres/database.ts'
import { deleteExpired, type ScanOptions } from '../../platform/postgres/upkeep/delete-expired.ts'

/**
 * Deletes callbacks received more than `days` ago, and returns their number. While they are stored, the same bytes
 * cause only one inquiry. Later the same bytes cause another inquiry, which moves no money. The operator's answers stay
 * with their instruction, and reports about unknown references stay with their anomaly.
 */
export async function dropOldCallbacks(sql: Sql, days: number, scan?: ScanOptions): Promise<number> {
  return deleteExpired(sql, 'operator_callbacks', sql`r.received_at < clock_now() - make_interval(days => ${days})`, {
    stopping: scan?.stopping,
  })
}
