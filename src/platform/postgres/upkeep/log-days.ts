import { takeAdvisoryLock } from '../advisory-lock.ts'
import type { Sql } from '../database.ts'
import { PostgresError } from '../failures.ts'

/** The name of a log table with a partition for each day (UTC), which are dropped by age. Never a caller's text. */
export type DailyLog = string

/** PostgreSQL refuses a row without a partition, so the days cover the longest time without a worker. Each start creates days, and each hour. */
const DAYS_AHEAD = 14

/** Creates the missing partitions of a log, from yesterday to two weeks ahead. Writers do not wait. */
export async function makeLogDays(sql: Sql, log: DailyLog): Promise<void> {
  await sql`select make_log_days(${log}, null, ${DAYS_AHEAD})`
}

/** The expired days: `dropped`, or `left` for the next run because others read or write them. */
export type DroppedDays = { dropped: string[]; left: string[] }

/** The codes of a lock that was not granted in time, and of a statement that waited too long for another worker. */
const inUse = new Set(['55P03', '57014'])

/**
 * Drops the days of a log that ended more than `keep_days` days ago. Writers wait behind a drop for a fifth of a second at most: it gives
 * up if it has no lock by then. Several workers may call it at once.
 */
export async function dropOldLogDays(sql: Sql, log: DailyLog, keep_days: number): Promise<DroppedDays> {
  const days: DroppedDays = { dropped: [], left: [] }
  // Our code chose the names (`request_log_20260101`), so they need no quotes.
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
        // Two drops of one day at once may meet half of its rows in the catalogue, and PostgreSQL then fails with XX000.
        await takeAdvisoryLock(tx, `drop days of ${log}`)
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
