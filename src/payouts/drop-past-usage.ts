import type { Sql } from '../platform/postgres/database.ts'
import { deleteExpired, type ScanOptions } from '../platform/postgres/upkeep/delete-expired.ts'

/** Days for which usage is kept after it stopped counting. `bandama audit` checks no older usage. */
export const USAGE_KEPT_DAYS = 7

/**
 * Deletes usage that no longer counts: usage older than a week that the total's pointer has passed, so that it is
 * already subtracted from the sum and nothing reads it. If the operator refuses later, giving the usage back finds no
 * row, which is right because the sum no longer contains it.
 *
 * The usage of a batch that can still be executed is kept, however old: executing the batch makes it count again.
 */
export async function dropPastUsage(sql: Sql, scan?: ScanOptions): Promise<number> {
  return deleteExpired(
    sql,
    'payout_cap_usage',
    sql`
      r.used_at < clock_now() - make_interval(days => ${USAGE_KEPT_DAYS})
      and r.used_at <= (
          select w.expired_until
            from payout_cap_totals w
           where w.merchant_id = r.merchant_id and w.livemode = r.livemode)
      and not exists (
          select from executable_batches b
           where b.merchant_id = r.merchant_id and b.livemode = r.livemode and b.id = r.subject_id)`,
    scan,
  )
}
