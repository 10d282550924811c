import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../platform/postgres/database.ts'
import { type CountedRow, dueRows, ROWS_OF_A_DAY } from './due-rows.ts'
import { countRows, ROW_MS } from './weather.ts'
import { lockCounting, readAlike, readCounted, replaceRows } from './weather-store.ts'

/** After each row the counting rests so many times as long as it took: money comes first. */
const REST = 9

/**
 * Counts the rows of operators' weather that are due, one after the other, each in a transaction of its own, from what the instructions say
 * now. A row is put in the place of the one before, so that nothing is counted twice or lost, whoever is killed. One process at a
 * time counts; the others come back later.
 */
export function createCountWeather({ sql }: { sql: Sql }) {
  /** Rows without any operation leave nothing in the table; this process remembers that it has counted them. */
  const empty = new Map<number, CountedRow>()

  /** Counts the newest row that is due. False: none is, or another process counts. */
  async function countNext(): Promise<boolean> {
    return sql.begin(async (tx) => {
      if (!(await lockCounting(tx))) return false
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
    // A row that was counted is not due again for a while, so this ends.
    for (let nth = 0; nth < ROWS_OF_A_DAY && !stopping.aborted; nth += 1) {
      const began = performance.now()
      if (!(await countNext())) return
      await sleep((performance.now() - began) * REST, undefined, { signal: stopping }).catch(() => {})
    }
  }
}
