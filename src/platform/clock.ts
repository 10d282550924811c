/**
 * The present. Decisions about money take their time from the database (`clock_now()` in SQL), so that a machine whose
 * clock is wrong decides nothing wrongly. A process stamps what it writes with the same time: it keeps the difference
 * between its own clock and the database's, and renews it every second.
 */
export type Clock = {
  /** The database's time as this process knows it. */
  now(): Date
  /** Milliseconds since 1970 of the same time. */
  milliseconds(): number
  /**
   * Told what the database said, and when it was asked, in this machine's milliseconds. We reckon as if it had answered
   * at once: by the time of an answer we may be ahead of it, never behind. A period that has begun for the database has begun for us too.
   */
  adjust(databaseMilliseconds: number, askedAt: number): void
}

/** This machine's clock, for durations and for signatures that a receiver compares with its own. The one `Date.now()`. */
export function machineMilliseconds(): number {
  return Date.now()
}

let lastTime = 0
let lastText = new Date(lastTime).toISOString()

/** A moment as JSON has it. The last one is remembered: what is written together is of one moment. */
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
      // This machine tells whole milliseconds: the part it drops is added.
      offset = Math.ceil(databaseMilliseconds - askedAt) + 1
    },
  }
}
