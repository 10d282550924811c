import { eachShard } from '../platform/each-shard.ts'
import type { Sql } from '../platform/postgres/database.ts'
import * as store from './store.ts'

/** Lines chained at a time. */
const PART = 200

/** Hours back from the newest line in which the quick turns look: longer than any transaction of ours lasts. */
const LOOKED_BACK_HOURS = 1

/**
 * Adds the lines that are not in the chain yet, each once. One process does it at a time; the others leave it to that one. Returns how many.
 * @param everything looks at all lines, however old, for one that was missed
 */
export async function chainLines(sql: Sql, { everything = false } = {}): Promise<number> {
  const hours = everything ? null : LOOKED_BACK_HOURS
  for (let count = 0; ; ) {
    const chained = await sql.begin(async (tx) => {
      if (!(await store.lockChain(tx))) return 0
      const lines = await store.readUnchained(tx, hours, PART)
      // This transaction only holds the lock: the lines of a merchant are written on the machine of that merchant.
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
