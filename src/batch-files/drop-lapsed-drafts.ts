import type { Sql } from '../platform/postgres/database.ts'
import { deleteExpired, type ScanOptions } from '../platform/postgres/upkeep/delete-expired.ts'

/** Drops drafts whose days are over and of which no batch was made. One that became a batch is that batch's file, and stays. */
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
