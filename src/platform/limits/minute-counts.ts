/** Once the map is full, all further ids share one counter. */
const OVERFLOW_KEY = '\0overflow'

/**
 * Counts the calls of each id in the current minute. Each minute has a new map, so that no count needs to be deleted.
 * @param idsMax the most ids with their own count; all others of the minute share one
 */
export function createMinuteCounts(idsMax: number): {
  add(id: string, minute: number): number
  remove(id: string, minute: number): void
  of(id: string, minute: number): number
} {
  let present = Number.NEGATIVE_INFINITY
  let counts = new Map<string, number>()
  return {
    /** Counts a call and returns the number of calls, including this one. */
    add(id, minute) {
      // The clock follows the database's and may step back into the last minute. The newest map then continues to count.
      if (minute > present || minute < present - 1) {
        present = minute
        counts = new Map()
      }
      const known = counts.get(id)
      const counted = known === undefined && counts.size >= idsMax ? OVERFLOW_KEY : id
      const count = (known ?? counts.get(counted) ?? 0) + 1
      counts.set(counted, count)
      return count
    },
    /** Removes a counted call, if its minute is still the present one. */
    remove(id, minute) {
      const counted = counts.has(id) ? id : OVERFLOW_KEY
      const count = counts.get(counted) ?? 0
      if (minute === present && count > 0) counts.set(counted, count - 1)
    },
    /** The number of calls so far. */
    of: (id, minute) => (minute === present ? (counts.get(id) ?? 0) : 0),
  }
}
