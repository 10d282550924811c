import { eachShard } from '../platform/each-shard.ts'
import { tryAdvisoryLock } from '../platform/postgres/advisory-lock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import * as store from './store.ts'

/** Lines chained in one transaction. */
const PART = 200

/** Hours before the newest line in which a quick run looks for unchained lines: longer than any transaction lasts. */
const LOOKED_BACK_HOURS = 1

/**
 * Adds the lines that are not yet in the chain, each once, and returns their number. One process at a time does so; in
 * the others the call returns at once.
 * @param everything looks at all lines, however old, for one that was missed
 */
export async function chainLines(sql: Sql, { everything = false } = {}): Promise<number> {
  const hours = everything ? null : LOOKED_BACK_HOURS
  for (let count = 0; ; ) {
    const chained = await sql.begin(async (tx) => {
      if (!(await tryAdvisoryLock(tx, 'audit chain'))) return 0
      const lines = await store.readUnchained(tx, hours, PART)
      // This transaction only holds the lock: each merchant's lines are written on that merchant's shard.
      await eachShard(sql, lines, (ofShard) =>
        sql.begin(async (each) => {
          for (const line of ofShard) await store.chainLine(each, line)
        }),
      )
      return lines.length
    })
    count += chained
    if (chained < PART) return count
  }
}
