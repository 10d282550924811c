import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from './database.ts'
import { isConnectionLost } from './failures.ts'
import type { Statement } from './statement.ts'

/** Pages of a table looked at by one statement: 2 MB, some ten thousand rows. */
const PAGES = 256
/**
 * After each statement the walk rests so many times as long as it took: nobody waits for it, everybody shares the disk, and a
 * worker that is started in a busy hour begins one.
 */
const REST = 19

/** How what is past is looked for. */
export type Walk = {
  /** Ends it early. */
  stopping?: AbortSignal | undefined
  /** Reads whose rows a table may hold; absent: a table whose rows are nobody's. */
  merchants?: (() => Promise<readonly number[]>) | undefined
}

/**
 * Deletes the rows of a table whose time is past, and returns how many. For tables that lose rows by an age that none of
 * their keys begins with: the table is walked from one end to the other, a short stretch in each statement, which costs
 * one reading of it, needs no index that every insert would pay for, and holds no lock for long. It walks at leisure, and ends
 * early when it is told to stop: the next walk begins anew. A stretch that cannot be deleted from holds up none behind it.
 *
 * Where merchants' rows are spread over machines there is no one table to walk, and each merchant has a statement of its own.
 * @param condition of a row `r` whose time is past. It must stay true once it is
 * @throws at the end of the walk what the first stretch that failed threw; at once when the connection is lost
 */
export async function dropPast(
  sql: Sql,
  table: string,
  condition: Statement<object[]>,
  { stopping, merchants }: Walk = {},
): Promise<number> {
  const apart = sql.sharded && merchants !== undefined
  const steps = apart ? byMerchant(sql, table, condition, await merchants()) : byStretch(sql, table, condition)
  let dropped = 0
  let failure: { error: unknown } | null = null
  let began = performance.now()
  while (!stopping?.aborted) {
    const { value: step, done } = await steps.next()
    if (done) break
    try {
      dropped += await step()
    } catch (error) {
      if (isConnectionLost(error)) throw error
      failure ??= { error }
    }
    await sleep((performance.now() - began) * REST, undefined, { signal: stopping }).catch(() => {})
    began = performance.now()
  }
  if (failure !== null) throw failure.error
  return dropped
}

/** Carries out one statement and returns how many rows it dropped. */
type Step = () => Promise<number>

async function* byStretch(sql: Sql, table: string, condition: Statement<object[]>): AsyncGenerator<Step> {
  const [size] = await sql<{ pages: number }[]>`
    select pg_relation_size(${table}::regclass) / current_setting('block_size')::bigint as pages`
  for (let page = 0; page < size!.pages; page += PAGES) {
    yield async () => {
      const { count } = await sql`
        delete from ${sql(table)} r
         where r.ctid >= ${`(${page},0)`}::tid
           and r.ctid < ${`(${page + PAGES},0)`}::tid
           and ${condition}`
      return count
    }
  }
}

async function* byMerchant(
  sql: Sql,
  table: string,
  condition: Statement<object[]>,
  merchants: readonly number[],
): AsyncGenerator<Step> {
  for (const merchant_id of merchants) {
    yield () =>
      sql.begin(async (tx) => {
        await tx`set local statement_timeout = '1min'`
        const { count } = await tx`delete from ${tx(table)} r where r.merchant_id = ${merchant_id} and ${condition}`
        return count
      })
  }
}
