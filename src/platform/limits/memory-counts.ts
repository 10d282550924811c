/** Who comes when a minute already counts as many others as it may is counted with all who come so late. */
const LATECOMERS = '\0latecomers'

/**
 * Counts calls of each id in the present minute. A new minute is a new map, so nothing has to be cleaned up and nothing
 * outlives its minute.
 * @param idsMax ids counted one by one; the others of that minute share a single count
 */
export function createMinuteCounts(idsMax: number): {
  add(id: string, minute: number): number
  of(id: string, minute: number): number
} {
  let present = Number.NEGATIVE_INFINITY
  let counts = new Map<string, number>()
  return {
    /** Counts one more call and returns their number, this one included. */
    add(id, minute) {
      // The clock follows the database's and may step back over the edge; what has begun to count goes on counting.
      if (minute > present || minute < present - 1) {
        present = minute
        counts = new Map()
      }
      const known = counts.get(id)
      const counted = known === undefined && counts.size >= idsMax ? LATECOMERS : id
      const count = (known ?? counts.get(counted) ?? 0) + 1
      counts.set(counted, count)
      return count
    },
    /** The calls counted so far. */
    of: (id, minute) => (minute === present ? (counts.get(id) ?? 0) : 0),
  }
}

/** How often it is looked whose window ended. */
const LOOK_EVERY_MS = 1_000
/** When there are too many, this part of them makes room at once, for the same reason that looks are rare. */
const ROOM = 1 / 100

/**
 * Counts attempts of each payer, at most `max` in a window that begins with the first of them. All windows are equally
 * long, so the map is in the order of their ends and the past is taken off its head: no timers. A map keeps the places of what was
 * taken off until it is written anew, and whoever begins at its head goes over all of them: looked at each attempt, that would be
 * a third of a million places for each after some minutes of 800 a second.
 * A payer is a number, which is found faster than a text.
 * @param payersMax payers remembered; beyond it those whose windows end first are forgotten early
 */
export function createAttemptCounts(max: number, windowMs: number, payersMax: number) {
  const windows = new Map<number, { count: number; ends_at: number }>()
  let next_look_at = Number.NEGATIVE_INFINITY

  function forgetPast(now: number): void {
    const tooMany = windows.size > payersMax
    if (now < next_look_at && !tooMany) return
    next_look_at = now + LOOK_EVERY_MS
    const kept_max = tooMany ? Math.ceil(payersMax * (1 - ROOM)) : payersMax
    for (const [payer, { ends_at }] of windows) {
      if (ends_at > now && windows.size <= kept_max) return
      windows.delete(payer)
    }
  }

  return {
    /** Whether one more attempt may be made; only then it counts. */
    take(payer: number, now: number): boolean {
      forgetPast(now)
      const window = windows.get(payer)
      if (window !== undefined && window.ends_at > now) {
        if (window.count >= max) return false
        window.count += 1
        return true
      }
      // Behind the others again.
      if (window !== undefined) windows.delete(payer)
      windows.set(payer, { count: 1, ends_at: now + windowMs })
      return true
    },
    /** Takes back an attempt that led to nothing. False: none is counted here. */
    giveBack(payer: number, now: number): boolean {
      const window = windows.get(payer)
      if (window === undefined || window.ends_at <= now || window.count === 0) return false
      window.count -= 1
      return true
    },
  }
}
