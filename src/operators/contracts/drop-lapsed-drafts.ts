import type { Sql } from '../../platform/postgres/database.ts'
import { deleteExpired, type ScanOptions } from '../../platform/postgres/upkeep/delete-expired.ts'

/** Deletes changes of settings that nobody confirmed in time. They belong to no merchant. */
export function dropLapsedConnectorDrafts(sql: Sql, { stopping }: ScanOptions = {}): Promise<number> {
  return deleteExpired(sql, 'connector_drafts', sql`r.expires_at < clock_now()`, { stopping })
}
