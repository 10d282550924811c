import type { Sql } from '../platform/postgres/database.ts'
import { dropPast, type Walk } from '../platform/postgres/drop-past.ts'

/**
 * Drops callbacks received more than `days` ago, and returns how many. They are kept so that the same bytes make us ask
 * once; bytes that come again after that make us ask once more, which moves nothing. What an operator established stays
 * with its instruction, and what it reported of nobody's money with the anomaly.
 */
export async function dropOldCallbacks(sql: Sql, days: number, walk?: Walk): Promise<number> {
  return dropPast(sql, 'operator_callbacks', sql`r.received_at < clock_now() - make_interval(days => ${days})`, {
    ...walk,
    of: 'nobody',
  })
}
