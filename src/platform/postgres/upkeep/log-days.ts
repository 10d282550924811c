import type { Sql } from '../database.ts'
import { PostgresError } from '../failures.ts'

/** The table of a log that has a partition for each day (UTC) and loses them by age: a name of ours, never a caller's text. */
export type DailyLog = string

/** A row without a day is refused, so days are made at each start and every hour for as long as no worker may run. */
const DAYS_AHEAD = 14

/** Makes the days of a log from yesterday to two weeks ahead, those that are missing. Writers go on meanwhile. */
export async function makeLogDays(sql: Sql, log: DailyLog): Promise<void> {
  await sql`select make_log_days(${log}, null, ${DAYS_AHEAD})`
}

/** The days past their time: those that were dropped, and those that are `left` because others write or read them. These go next time. */
export type DroppedDays = { dropped: string[]; left: string[] }

/** The lock was not had in time, or another worker's drop took too long. */
const inUse = new Set(['55P03', '57014'])

/**
 * Drops the days of a log that ended more than `keep_days` days ago. Writers wait behind each for a fifth of a second at most:
 * when the lock does not come by then, it is given up. Several workers may do it at once.
 */
export async function dropOldLogDays(sql: Sql, log: DailyLog, keep_days: number): Promise<DroppedDays> {
  const days: DroppedDays = { dropped: [], left: [] }
  // The names are ours (`request_log_20260101`) and need no quotes.
  const old = await sql<{ name: string }[]>`
    select c.relname as name
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
     where i.inhparent = ${log}::regclass
       and to_date(right(c.relname, 8), 'YYYYMMDD') < (clock_now() at time zone 'UTC')::date - ${keep_days}::integer
     order by c.relname`
  for (const { name } of old) {
    try {
      await sql.begin(async (tx) => {
        await tx`set local lock_timeout = '200ms'`
        await tx.unsafe(`drop table if exists ${name}`)
      })
      days.dropped.push(name)
    } catch (error) {
      if (!(error instanceof PostgresError && inUse.has(error.code))) throw error
      days.left.push(name)
    }
  }
  return days
}
