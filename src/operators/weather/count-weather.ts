import { setTimeout as sleep } from 'node:timers/promises'
import { tryAdvisoryLock } from '../../platform/postgres/advisory-lock.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import { firstIdAt } from '../../values/ids.ts'
import { type CountedRow, dueRows, ROWS_OF_A_DAY } from './due-rows.ts'
import { countRows, ROW_MS } from './weather.ts'
import { deleteRows, insertRow, orderPrefixes, readAlike, readCounted, readLastOrder } from './weather-store.ts'

/** The pause after each row, as a multiple of the time that it took: money comes first. */
const REST = 9

/**
 * Creates the task that counts the due rows of operators' weather from the instructions, one after the other, each in a
 * transaction of its own; rows without operations that follow one another together, because a new database has a day of them.
 * A row replaces its previous count, so a killed process neither loses nor doubles anything. One process counts at a time.
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
      const due = dueRows(now, counted)
      const [starts_at] = due
      if (starts_at === undefined) return false
      const found = countRows(await readAlike(tx, starts_at))
      if (found.length > 0) {
        await deleteRows(tx, [starts_at])
        await insertRow(tx, starts_at, found)
        empty.delete(starts_at)
      } else {
        const alike = [starts_at, ...(await findEmpty(tx, due.slice(1)))]
        await deleteRows(tx, alike)
        for (const each of alike) empty.set(each, { counted_at: now, open: 0 })
      }
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

/** Of these rows, newest first, those that begin after the last order of them all. */
async function findEmpty(tx: Tx, rows: readonly number[]): Promise<number[]> {
  const [newest, oldest] = [rows[0], rows.at(-1)]
  if (newest === undefined || oldest === undefined) return []
  const isEmpty: ((row: number) => boolean)[] = []
  for (const prefix of orderPrefixes) {
    const last = await readLastOrder(tx, prefix, { from: oldest, before: newest + ROW_MS })
    isEmpty.push((row) => last === null || last < firstIdAt(prefix, row))
  }
  return rows.filter((row) => isEmpty.every((is) => is(row)))
}
