import type { Sql } from '../../platform/postgres/database.ts'
import { deleteExpired, type ScanOptions } from '../../platform/postgres/upkeep/delete-expired.ts'

/** Days that rows of weather are kept: two weeks, so that a person can hold a bad hour against the same one a week before. */
const KEPT_DAYS = 14

/** Drops rows of operators' weather that began more than two weeks ago, and returns how many. */
export async function dropOldWeather(sql: Sql, scan?: ScanOptions): Promise<number> {
  return deleteExpired(sql, 'operator_weather', sql`r.starts_at < clock_now() - make_interval(days => ${KEPT_DAYS})`, {
    stopping: scan?.stopping,
  })
}
