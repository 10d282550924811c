import { type Clock, machineMilliseconds } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type PeriodicTask, runEvery } from '../platform/run-every.ts'

export type DatabaseClock = PeriodicTask & {
  /** Whether the database has answered recently. */
  isDatabaseReachable(): boolean
}

const PAUSE_MS = 1_000
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

/** Reads the database's time every second. It adjusts the process's clock, and tells whether the database answers. */
export async function followDatabaseClock(sql: Sql, clock: Clock, log: Log): Promise<DatabaseClock> {
  let heardAt = 0
  const ask = async () => {
    heardAt = await adjustToDatabase(sql, clock)
  }
  await ask()
  return {
    ...runEvery('database clock', PAUSE_MS, log, ask),
    isDatabaseReachable: () => machineMilliseconds() - heardAt < SILENT_MS,
  }
}
