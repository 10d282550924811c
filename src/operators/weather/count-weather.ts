import { setTimeout as sleep } from 'node:timers/promises'
import { tryAdvisoryLock } from '../../platform/postgres/advisory-lock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type CountedRow, dueRows, ROWS_OF_A_DAY } from './due-rows.ts'
import { countRows, ROW_MS } from './weather.ts'
import { readAlike, readCounted, replaceRows } from './weather-store.ts'

/** The pause after each row, as a multiple of the time that it took: money comes first. */
const REST = 9

/**
 * Creates the task that counts the due rows of operators' weather from the instructions, one after the other, each in a
 * transaction of its own. A row replaces its previous count, so a killed process neither loses nor doubles anything.
 * One process counts at a time.
 */
export function createCountWeather({ sql }: { sql: Sql }) {
  /** A row without operations leaves nothing in the table, so this process remembers its count. */
  const empty = new Map<number, CountedRow>()

  /** Counts the newest due row. False when none is due, or when another process counts. */
  async function countNext(): Promise<boolean> {
    return sql.begin(async (tx) => {
      if (!(await tryAdvisoryLock(tx, 'operator weather'))) return false
      const { now, rows } = await readCounted(tx)
      const counted = new Map([...empty, ...rows.map(({ starts_at, ...row }) => [starts_at, row] as const)])
      const [starts_at] = dueRows(now, counted)
      if (starts_at === undefined) return false
      const found = countRows(await readAlike(tx, starts_at))
      await replaceRows(tx, starts_at, found)
      empty.delete(starts_at)
      if (found.length === 0) empty.set(starts_at, { counted_at: now, open: 0 })
      for (const old of empty.keys()) if (old < now - ROWS_OF_A_DAY * ROW_MS) empty.delete(old)
      return true
    })
  }

  return async (stopping: AbortSignal): Promise<void> => {
    // A counted row is not due again for a while, so the loop ends.
    for (let nth = 0; nth < ROWS_OF_A_DAY && !stopping.aborted; nth += 1) {
      const began = performance.now()
      if (!(await countNext())) return
      await sleep((performance.now() - began) * REST, undefined, { signal: stopping }).catch(() => {})
    }
  }
}
