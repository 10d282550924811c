import { chunksOf } from './chunks.ts'
import type { Db } from './postgres/database.ts'

/** Merchants acted for at once. */
const AT_ONCE = 4

/**
 * Acts on all items at once; where merchants' rows are spread over machines (`SHARDED`) on each merchant's apart, a few merchants at a
 * time. Returns what the acts return, in no order that means anything.
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
