/**
 * The current time. Decisions about money take their time from the database (`clock_now()` in SQL), so that a wrong clock of a machine
 * causes no wrong decision. Times that a process only records follow the same clock: the process knows the difference between its own
 * clock and the database's, and measures it every second.
 */
export type Clock = {
  /** The database's time, as this process computes it. */
  now(): Date
  /** The same time in milliseconds since 1970. */
  milliseconds(): number
  /**
   * Sets the difference. `askedAt` is this machine's time before the query, as if the database had answered at once. So this clock may be ahead
   * of the database's by the duration of the query, and is never behind it: a period that has begun for the database has begun here too.
   */
  adjust(databaseMilliseconds: number, askedAt: number): void
}

/** This machine's clock, for durations and for signatures that a receiver compares with its own clock. The only `Date.now()`. */
export function machineMilliseconds(): number {
  return Date.now()
}

let lastTime = 0
let lastText = new Date(lastTime).toISOString()

/** Writes a time for JSON. It caches the last result, because rows that are written together have the same time. */
export function isoText(moment: Date): string {
  const time = moment.getTime()
  if (time !== lastTime) {
    lastText = moment.toISOString()
    lastTime = time
  }
  return lastText
}

export function createClock(): Clock {
  let offset = 0
  return {
    now: () => new Date(machineMilliseconds() + offset),
    milliseconds: () => machineMilliseconds() + offset,
    adjust(databaseMilliseconds, askedAt) {
      // This machine's clock drops the fraction of a millisecond, so one is added.
      offset = Math.ceil(databaseMilliseconds - askedAt) + 1
    },
  }
}
