/** Once the map is full, all further ids share one counter. */
const OVERFLOW_KEY = '\0overflow'

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
      const counted = known === undefined && counts.size >= idsMax ? OVERFLOW_KEY : id
      const count = (known ?? counts.get(counted) ?? 0) + 1
      counts.set(counted, count)
      return count
    },
    /** The calls counted so far. */
    of: (id, minute) => (minute === present ? (counts.get(id) ?? 0) : 0),
  }
}
