import { ROW_MS } from './weather.ts'

/** Rows of the last 24 hours, with the one under way. */
export const ROWS_OF_A_DAY = 288
/** Milliseconds after its beginning from which a row whose operations have all ended is final: until then one may still begin to be sent. */
const SETTLED_MS = 20 * 60_000
/** Milliseconds between two counts of a row, at least. */
const PAUSE_MS = 10_000
/** A row is counted again when it has grown older by this part: one that stays open all day is counted some forty times. */
const PART = 1 / 8

/** The rows of one moment as they were last counted: milliseconds since 1970, and the operations in them without an end. */
export type CountedRow = { counted_at: number; open: number }

/**
 * The beginnings of the rows to be counted now, newest first: of the last 24 hours, those never counted, those that may still be added
 * to, and those in which something has not ended, the older the less often. Pure. Milliseconds since 1970.
 * @param counted by their beginnings
 */
export function dueRows(now: number, counted: ReadonlyMap<number, CountedRow>): number[] {
  const newest = Math.floor(now / ROW_MS) * ROW_MS
  return Array.from({ length: ROWS_OF_A_DAY }, (_, nth) => newest - nth * ROW_MS).filter((starts_at) => {
    const last = counted.get(starts_at)
    if (last === undefined) return true
    const final = last.open === 0 && last.counted_at >= starts_at + SETTLED_MS
    // A count from the future was stamped before the clock was put back.
    const since = Math.abs(now - last.counted_at)
    return !final && since >= Math.max(PAUSE_MS, (now - starts_at) * PART)
  })
}
