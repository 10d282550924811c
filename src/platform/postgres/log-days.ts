import type { Sql } from './database.ts'
import { PostgresError, violatedConstraint } from './failures.ts'

/** The table of a log that has a partition for each day (UTC) and loses them by age: a name of ours, never a caller's text. */
export type DailyLog = string

/** Days back for which a missing partition is made when a row comes for it. */
const LATE_DAYS_MAX = 3

/** Makes the days of a log from yesterday to a week ahead, those that are missing. Writers go on meanwhile. */
export async function makeLogDays(sql: Sql, log: DailyLog): Promise<void> {
  await sql`select make_log_days(${log})`
}

/**
 * Writes to a log. When a row comes for a day that nobody has made (no worker ran for a week, or a row was held back over
 * midnight), the days are made and it is written again: a row of the last days is never refused.
 * @param write must write all or nothing
 */
export async function withLogDays<Result>(sql: Sql, log: DailyLog, write: () => PromiseLike<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!isDayMissing(error)) throw error
    await sql`select make_log_days(${log}, clock_now()::date - ${LATE_DAYS_MAX}::integer)`
    return await write()
  }
}

/** No partition takes the row. A check that a row breaks has the same code, and a name. */
function isDayMissing(error: unknown): boolean {
  return error instanceof PostgresError && error.code === '23514' && violatedConstraint(error) === null
}

type OldDay = { name: string; standing: 'attached' | 'leaving' | 'apart' }

/** What came of the days past their time. `left` are those that somebody else works on or reads; they go next time. */
export type DroppedDays = { dropped: string[]; left: string[] }

/**
 * Drops the days of a log that ended more than `keep_days` days ago. A day first leaves its log, which lets writers and
 * readers go on (it waits for those who were there before), and is dropped when it stands apart. Whatever is interrupted
 * in between is carried on by the next call. Several workers may do it at once: the later one leaves it to the first.
 */
export async function dropOldLogDays(sql: Sql, log: DailyLog, keep_days: number): Promise<DroppedDays> {
  const days: DroppedDays = { dropped: [], left: [] }
  for (const { name, standing } of await readOldDays(sql, log, keep_days)) {
    try {
      if (standing === 'leaving') await sql.unsafe(`alter table ${log} detach partition ${name} finalize`)
      if (standing === 'attached' && !(await leave(sql, log, name))) await dropAtOnce(sql, name)
      else await sql.unsafe(`drop table if exists ${name}`)
      days.dropped.push(name)
    } catch (error) {
      if (!(error instanceof PostgresError && elsewhere.has(error.code))) throw error
      days.left.push(name)
    }
  }
  return days
}

/**
 * What it means that a day is in somebody else's hands: a lock was not had in time, or the wait for its readers took too
 * long; it is leaving, or has left or gone, by another worker.
 */
const elsewhere = new Set(['55P03', '57014', '55000', '42P01'])

/** "Not supported", which is Citus's answer. */
const IMPOSSIBLE = '0A000'

/** False when the server cannot take a partition away beside its writers. */
async function leave(sql: Sql, log: DailyLog, name: string): Promise<boolean> {
  if (sql.sharded) return false
  try {
    await sql.unsafe(`alter table ${log} detach partition ${name} concurrently`)
    return true
  } catch (error) {
    if (error instanceof PostgresError && error.code === IMPOSSIBLE) return false
    throw error
  }
}

/** Writers wait behind this for a fifth of a second at most; when the lock does not come, it is given up. */
async function dropAtOnce(sql: Sql, name: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local lock_timeout = '200ms'`
    await tx.unsafe(`drop table if exists ${name}`)
  })
}

/** The oldest first. The names are ours (`request_log_20260101`) and need no quotes. */
async function readOldDays(sql: Sql, log: DailyLog, keep_days: number): Promise<OldDay[]> {
  return sql<OldDay[]>`
    select c.relname as name,
           case when i.inhrelid is null then 'apart' when i.inhdetachpending then 'leaving' else 'attached' end as standing
      from pg_class c
      left join pg_inherits i on i.inhrelid = c.oid
     where c.relnamespace = 'public'::regnamespace
       and c.relkind = 'r'
       and c.relname ~ ${`^${log}_[0-9]{8}$`}
       and to_date(right(c.relname, 8), 'YYYYMMDD') < (clock_now() at time zone 'UTC')::date - ${keep_days}::integer
     order by c.relname`
}
