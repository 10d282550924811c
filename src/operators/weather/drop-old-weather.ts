import type { Sql } from '../../platform/postgres/database.ts'
import { deleteExpired, type ScanOptions } from '../../platform/postgres/upkeep/delete-expired.ts'

/** Days for which rows are kept, so that a person can compare an hour with the same hour a week before. */
const KEPT_DAYS = 14

/** Deletes rows that began more than `KEPT_DAYS` ago, and returns their number. */
export async function dropOldWeather(sql: Sql, scan?: ScanOptions): Promise<number> {
  return deleteExpired(sql, 'operator_weather', sql`r.starts_at < clock_now() - make_interval(days => ${KEPT_DAYS})`, {
    stopping: scan?.stopping,
  })
}
