import { cell } from '../src/listings/figures-store.ts'
import type { Sql } from '../src/platform/postgres/database.ts'

/**
 * Lists all payments but the newest, with their daily figures, in the worker's place. The worker would take minutes for
 * a million, because it pauses as long as it works. The audit verifies both.
 * @param left the number of payments left for the worker
 */
export async function fillListing(sql: Sql, left: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx`set local synchronous_commit = off`
    await tx`set local enable_seqscan = on`
    const [first] = await tx<{ id: string }[]>`select id from payments order by id desc offset ${left} limit 1`
    const before = first!.id
    await tx`
      insert into listed_operations (merchant_id, livemode, kind, id, version, status, amount, operator, last4)
      select merchant_id, livemode, 'payment', id, version, status, amount, operator, last4
        from payment_listing
       where id < ${before}
       order by id`
    await tx`
      insert into daily_figures (merchant_id, livemode, kind, day, operator, status, failure_code, within_seconds, count, amount, fee_amount)
      select merchant_id, livemode, 'payment', day, operator, status, failure_code, within_seconds, sum(count), sum(amount), sum(fee_amount)
        from (select s.merchant_id, s.livemode, ${cell(tx, tx`s.status`, tx`1`)}
                from payment_listing s
               where s.id < ${before}) cells
       group by 1, 2, 4, 5, 6, 7, 8`
    await tx`
      update listing_progress
         set before_id = ${before}
       where source in ('new payments', 'payments again')`
  })
}
