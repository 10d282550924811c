import type { Sql } from '../platform/postgres/database.ts'
import { deleteExpired, type ScanOptions } from '../platform/postgres/upkeep/delete-expired.ts'

/** Deletes lapsed drafts and returns their number. A draft that became a batch remains as the batch's file. */
export async function dropLapsedDrafts(sql: Sql, scan?: ScanOptions): Promise<number> {
  return deleteExpired(
    sql,
    'batch_drafts',
    sql`
      r.expires_at < clock_now()
      and not exists (
          select from drafted_batches b
           where b.merchant_id = r.merchant_id and b.livemode = r.livemode and b.draft_id = r.id)`,
    scan,
  )
}
