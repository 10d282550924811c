import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql, Statement } from '../database.ts'
import { isConnectionLost } from '../failures.ts'

/** Pages of a table looked at by one statement: 2 MB, some ten thousand rows. */
const PAGES = 256
/**
 * After each statement the scan rests so many times as long as it took: nobody waits for it, everybody shares the disk, and a
 * worker that is started in a busy hour begins one.
 */
const REST = 19

/** How expired rows are looked for. */
export type ScanOptions = {
  /** Ends it early. */
  stopping?: AbortSignal | undefined
  /** Reads whose rows a table may hold; absent: a table whose rows are nobody's. */
  merchants?: (() => Promise<readonly number[]>) | undefined
}

/**
 * Deletes the rows of a table whose time is past, and returns how many. For tables that lose rows by an age that none of
 * their keys begins with: the table is scanned from one end to the other, a short stretch in each statement, which costs
 * one reading of it, needs no index that every insert would pay for, and holds no lock for long. It scans at leisure, and ends
 * early when it is told to stop: the next scan begins anew. A stretch that cannot be deleted from holds up none behind it.
 *
 * Where merchants' rows are spread over machines there is no one table to scan, and each merchant has a statement of its own.
 * @param condition of a row `r` whose time is past. It must stay true once it is
 * @throws at the end of the scan what the first stretch that failed threw; at once when the connection is lost
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
        // A stretch takes milliseconds; a merchant's rows are all looked at.
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

/** Conditions that between them find every row of a table `r`, each in a stretch of it. */
async function stretchesOf(sql: Sql, table: string): Promise<Statement<object[]>[]> {
  const [size] = await sql<{ pages: number }[]>`
    select pg_relation_size(${table}::regclass) / current_setting('block_size')::bigint as pages`
  return Array.from({ length: Math.ceil(size!.pages / PAGES) }, (_, nth) => {
    const [from, to] = [nth * PAGES, (nth + 1) * PAGES].map((page) => `(${page},0)`) as [string, string]
    return sql`r.ctid >= ${from}::tid and r.ctid < ${to}::tid`
  })
}
