import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql, Statement } from '../database.ts'
import { isConnectionLost } from '../failures.ts'

/** Pages of a table that one statement scans: 2 MB, some ten thousand rows. */
const PAGES = 256
/**
 * The pause after each statement, as a multiple of its duration. Nobody waits for the scan, but everybody shares the disk, also when a
 * worker starts in a busy hour.
 */
const REST = 19

/** The options of a scan. */
export type ScanOptions = {
  /** Ends the scan early. */
  stopping?: AbortSignal | undefined
  /** Reads the merchants with rows in the table. Absent: its rows belong to no merchant. */
  merchants?: (() => Promise<readonly number[]>) | undefined
}

/**
 * Deletes the expired rows of a table, and returns their number. For tables without an index on the age of rows: it scans the table from
 * one end to the other, a short range in each statement. So it needs no index, which every insert would pay for, and holds no lock for
 * long. It scans slowly, and ends early when `stopping` is aborted; the next scan begins again. A range whose deletion fails does not stop
 * the next ones.
 *
 * With `SHARDED` it runs one statement for each merchant instead.
 * @param condition true for an expired row `r`. Once true, it must stay true
 * @throws at the end of the scan, the error of the first range that failed; at once when the connection is lost
 */
export async function deleteExpired(
  sql: Sql,
  table: string,
  condition: Statement<object[]>,
  { stopping, merchants }: ScanOptions = {},
): Promise<number> {
  const steps =
    sql.sharded && merchants !== undefined
      ? (await merchants()).map((merchant_id) => sql`r.merchant_id = ${merchant_id}`)
      : await stretchesOf(sql, table)
  let dropped = 0
  let failure: { error: unknown } | null = null
  for (const step of steps) {
    if (stopping?.aborted) break
    const began = performance.now()
    try {
      dropped += await sql.begin(async (tx) => {
        // A range takes milliseconds, but this statement scans all rows of a merchant.
        if (sql.sharded) await tx`set local statement_timeout = '1min'`
        return (await tx`delete from ${tx(table)} r where ${step} and ${condition}`).count
      })
    } catch (error) {
      if (isConnectionLost(error)) throw error
      failure ??= { error }
    }
    await sleep((performance.now() - began) * REST, undefined, { signal: stopping }).catch(() => {})
  }
  if (failure !== null) throw failure.error
  return dropped
}

/** Conditions that divide a table `r` into ranges. Together they find every row. */
async function stretchesOf(sql: Sql, table: string): Promise<Statement<object[]>[]> {
  const [size] = await sql<{ pages: number }[]>`
    select pg_relation_size(${table}::regclass) / current_setting('block_size')::bigint as pages`
  return Array.from({ length: Math.ceil(size!.pages / PAGES) }, (_, nth) => {
    const [from, to] = [nth * PAGES, (nth + 1) * PAGES].map((page) => `(${page},0)`) as [string, string]
    return sql`r.ctid >= ${from}::tid and r.ctid < ${to}::tid`
  })
}
