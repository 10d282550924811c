import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'

/** One number of one merchant. Without our key, `number_hash` reveals nothing about the number. */
export type CheckedNumber = Tenant & { number_hash: Buffer }

/**
 * Counts one more check of a number, in the window that the first one began. False when the window has `most` checks
 * already; this one is then not counted.
 * @param since a window that began at this time or before is over
 */
export async function countCheck(
  db: Db,
  { merchant_id, livemode, number_hash }: CheckedNumber,
  { most, now, since }: { most: number; now: Date; since: Date },
): Promise<boolean> {
  const rows = await db`
    insert into recipient_checks as c (merchant_id, livemode, number_hash, began_at, checks)
    values (${merchant_id}, ${livemode}, ${number_hash}, ${now}, 1)
    on conflict (merchant_id, livemode, number_hash) do update
       set checks = case when c.began_at <= ${since} then 1 else c.checks + 1 end,
           began_at = case when c.began_at <= ${since} then ${now} else c.began_at end
     where c.checks < ${most} or c.began_at <= ${since}
    returning checks`
  return rows.length > 0
}
