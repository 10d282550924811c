import type { Sql } from '../platform/postgres/database.ts'
import { deleteExpired, type ScanOptions } from '../platform/postgres/upkeep/delete-expired.ts'

/** Days for which usage is kept after it stopped counting: `bandama audit` looks at no older ones. */
export const USAGE_KEPT_DAYS = 7

/**
 * Drops usage that counts no more: older than a week, and behind the pointer of its total, so that it was taken off the
 * sum and is read by nobody. A later give-back (after an operator's late refusal) finds no row, as it should: the sum does
 * not have the usage any more.
 *
 * The usage of a batch that can still be executed stays, however old: executing it makes the usage count again.
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
