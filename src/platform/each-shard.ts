import { chunksOf } from './chunks.ts'
import type { Db } from './postgres/database.ts'

/** The most merchants at once. */
const AT_ONCE = 4

/**
 * Calls `act` once with all items. With `SHARDED` it calls `act` for each merchant's items separately, a few merchants at a time. Returns
 * the results in any order.
 */
export async function eachShard<Item extends { readonly merchant_id: number }, Result>(
  db: Pick<Db, 'sharded'>,
  items: readonly Item[],
  act: (items: readonly Item[]) => Promise<Result>,
): Promise<Result[]> {
  if (!db.sharded) return [await act(items)]
  const results: Result[] = []
  const groups = [...Map.groupBy(items, ({ merchant_id }) => merchant_id).values()]
  for (const some of chunksOf(groups, AT_ONCE)) results.push(...(await Promise.all(some.map(act))))
  return results
}

/** Whether all transactions are numbered in one order. With `SHARDED` each machine numbers its own. */
export function hasOneOrder({ sharded }: Pick<Db, 'sharded'>): boolean {
  return !sharded
}
