import type { Db } from '../../platform/postgres/database.ts'
import { firstIdAt } from '../../values/ids.ts'

/** The live traffic of a time: francs that moved, and the different numbers of payers and recipients. */
export type Traffic = { volume: number; users: number }

/** Reads the payments and payouts accepted in a time, in milliseconds since 1970, by the range of their identifiers. It takes seconds for a full day. */
export async function readTraffic(db: Db, from: number, before: number): Promise<Traffic> {
  const [row] = await db<Traffic[]>`
    select coalesce(sum(amount) filter (where state = 'confirmed'), 0)::bigint as volume,
           count(distinct msisdn) filter (where state = 'confirmed')::integer as users
      from instructions
     where subject_id >= ${firstIdAt('txn', from)} and subject_id < ${firstIdAt('txn', before)} and livemode`
  return row!
}

/** The minutes of a time in which fewer than `good_from` of an operator's operations in live mode succeeded, in steps of five. */
export async function readBadMinutes(
  db: Db,
  { from, before, good_from }: { from: Date; before: Date; good_from: number },
): Promise<{ operator: string; minutes: number }[]> {
  return db<{ operator: string; minutes: number }[]>`
    select operator, (count(*) * 5)::integer as minutes
      from (select operator, starts_at
              from operator_weather
             where livemode and starts_at >= date_bin('5 minutes', ${from}::timestamptz, 'epoch') and starts_at < ${before}
             group by operator, starts_at
            having sum(succeeded) < ${good_from}::float8 * sum(succeeded + failed + in_doubt)) bad
     group by operator
     order by operator`
}
