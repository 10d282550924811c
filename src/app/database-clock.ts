import { type Clock, machineMilliseconds } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type PeriodicTask, runEvery } from '../platform/run-every.ts'

export type DatabaseClock = PeriodicTask & {
  /** Whether the database has answered recently. */
  isDatabaseReachable(): boolean
  /** Seconds by which the clocks of this machine and of the database differ, as last read. Zero up to two seconds. */
  secondsOff(): number
  /** Whether they differ by so little that merchants accept the signatures of this machine. */
  isClockRight(): boolean
}

const PAUSE_MS = 1_000
/** Most milliseconds by which this machine's clock may differ from the database's. */
const CLOCK_MS_MAX = 2_000
/** Seconds by which they differ when this machine's signatures are no longer to be sent: receivers refuse them at 300. */
const WRONG_SECONDS = 30
/** Milliseconds without an answer after which the database counts as unreachable. */
const SILENT_MS = 3_500

/** Sets a process's clock to the database's time. Returns this machine's milliseconds at which the database answered. */
export async function adjustToDatabase(sql: Sql, clock: Clock): Promise<number> {
  const askedAt = machineMilliseconds()
  const [row] = await sql<{ milliseconds: number }[]>`
    select (extract(epoch from clock_now()) * 1000)::double precision as milliseconds`
  clock.adjust(row!.milliseconds, askedAt)
  return machineMilliseconds()
}

/**
 * The seconds by which the clocks of this machine and of the database differ. Zero up to two seconds, not counting the duration of the query.
 */
export async function readClockDifference(sql: Sql): Promise<number> {
  const before = machineMilliseconds()
  const [row] = await sql<{ milliseconds: number }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::double precision as milliseconds`
  const after = machineMilliseconds()
  const off = Math.abs(row!.milliseconds - (before + after) / 2)
  return off - (after - before) > CLOCK_MS_MAX ? Math.round(off / 1_000) : 0
}

/**
 * Reads the database's time every second. It adjusts the process's clock, tells whether the database answers, and logs once when the machine's
 * clock is wrong: its signatures carry that time, and merchants refuse them.
 */
export async function followDatabaseClock(sql: Sql, clock: Clock, log: Log): Promise<DatabaseClock> {
  let heardAt = 0
  let secondsOff = 0
  const ask = async () => {
    heardAt = await adjustToDatabase(sql, clock)
    const seconds = await readClockDifference(sql)
    const wasWrong = secondsOff > 0
    secondsOff = seconds
    if (seconds > 0 === wasWrong) return
    if (seconds > 0)
      log.warn({ seconds }, "clock: not the database's, merchants may refuse webhooks; set both right (timedatectl)")
    else log.info("clock: the database's again")
  }
  await ask()
  return {
    ...runEvery('database clock', PAUSE_MS, log, ask),
    isDatabaseReachable: () => machineMilliseconds() - heardAt < SILENT_MS,
    secondsOff: () => secondsOff,
    isClockRight: () => secondsOff < WRONG_SECONDS,
  }
}
