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

/**
 * Counts attempts of each payer, at most `max` in a window that begins with the first of them. All windows are equally
 * long, so the map is in the order of their ends and the past is taken off its head: no timers.
 * @param payersMax payers remembered; beyond it the one whose window ends first is forgotten early
 */
export function createAttemptCounts(max: number, windowMs: number, payersMax: number) {
  const windows = new Map<string, { count: number; ends_at: number }>()

  function forgetPast(now: number): void {
    for (const [payer, { ends_at }] of windows) {
      if (ends_at > now && windows.size <= payersMax) return
      windows.delete(payer)
    }
  }

  return {
    /** Whether one more attempt may be made; only then it counts. */
    take(payer: string, now: number): boolean {
      forgetPast(now)
      const window = windows.get(payer)
      if (window !== undefined && window.ends_at > now) {
        if (window.count >= max) return false
        window.count += 1
        return true
      }
      windows.delete(payer)
      windows.set(payer, { count: 1, ends_at: now + windowMs })
      return true
    },
    /** Takes back an attempt that led to nothing. False: none is counted here. */
    giveBack(payer: string, now: number): boolean {
      const window = windows.get(payer)
      if (window === undefined || window.ends_at <= now || window.count === 0) return false
      window.count -= 1
      return true
    },
  }
}
