import type { Sql } from '../../platform/postgres/database.ts'
import { deleteExpired, type ScanOptions } from '../../platform/postgres/upkeep/delete-expired.ts'

/**
 * Drops callbacks received more than `days` ago, and returns how many. They are kept so that the same bytes make us ask
 * once; bytes that come again after that make us ask once more, which moves nothing. The facts that an operator established
 * stay with their instruction, and its reports without a merchant stay with the anomaly.
 */
export async function dropOldCallbacks(sql: Sql, days: number, scan?: ScanOptions): Promise<number> {
  return deleteExpired(sql, 'operator_callbacks', sql`r.received_at < clock_now() - make_interval(days => ${days})`, {
    stopping: scan?.stopping,
  })
}
