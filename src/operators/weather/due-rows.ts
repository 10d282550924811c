import { ROW_MS } from './weather.ts'

/** Rows of the last 24 hours, the current one included. */
export const ROWS_OF_A_DAY = 288
/**
 * Milliseconds after its start from which a row is final when all its operations have ended. Until then an operation
 * may still wait for its first send.
 */
const SETTLED_MS = 20 * 60_000
/** The shortest time between two counts of a row, in milliseconds. */
const PAUSE_MS = 10_000
/**
 * A row is counted again when the time since its last count is this part of its age. One that stays open all day is
 * counted some forty times after its five minutes.
 */
const PART = 1 / 8

/** The last count of a row: its time in milliseconds since 1970, and the number of operations without an outcome. */
export type CountedRow = { counted_at: number; open: number }

/**
 * The starts of the rows to count now, newest first, in milliseconds since 1970. Of the last 24 hours these are the
 * rows never counted, the rows that operations may still join, and the rows with open operations, less often the older
 * they are. Pure.
 * @param counted the last counts, by the start of the row
 */
export function dueRows(now: number, counted: ReadonlyMap<number, CountedRow>): number[] {
  const newest = Math.floor(now / ROW_MS) * ROW_MS
  return Array.from({ length: ROWS_OF_A_DAY }, (_, nth) => newest - nth * ROW_MS).filter((starts_at) => {
    const last = counted.get(starts_at)
    if (last === undefined) return true
    const final = last.open === 0 && last.counted_at >= starts_at + SETTLED_MS
    // A count dated in the future was made before the clock was set back.
    const since = Math.abs(now - last.counted_at)
    return !final && since >= Math.max(PAUSE_MS, (now - starts_at) * PART)
  })
}
