import type { Sql } from '../platform/postgres/database.ts'
import { deleteExpired, type ScanOptions } from '../platform/postgres/delete-expired.ts'

/** Days for which a use is kept after it stopped counting: `bandama audit` looks at no older ones. */
export const USES_KEPT_DAYS = 7

/**
 * Drops uses that count no more: older than a week, and behind the pointer of their window, so that they were taken off its
 * sum and are read by nobody. A later give-back (after an operator's late refusal) finds no row, as it should: the sum does
 * not have the use any more.
 *
 * The use of a batch that can still be executed stays, however old: executing it makes the use count again.
 */
export async function dropPastUses(sql: Sql, scan?: ScanOptions): Promise<number> {
  return deleteExpired(
    sql,
    'payout_uses',
    sql`
      r.used_at < clock_now() - make_interval(days => ${USES_KEPT_DAYS})
      and r.used_at <= (
          select w.swept_until
            from payout_windows w
           where w.merchant_id = r.merchant_id and w.livemode = r.livemode)
      and not exists (
          select from executable_batches b
           where b.merchant_id = r.merchant_id and b.livemode = r.livemode and b.id = r.subject_id)`,
    scan,
  )
}
