import { chunksOf } from '../platform/chunks.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { ScanOptions } from '../platform/postgres/upkeep/delete-expired.ts'
import { idFrom } from '../values/ids.ts'
import * as store from './event-store.ts'

/** Events looked at together. */
const PAGE = 10_000
/** Events of one merchant dropped by one statement at most, so that it stays short: each has up to sixteen deliveries. */
const TOGETHER = 500

/**
 * Drops the events older than `days` with their deliveries, and returns how many events. One that still waits for its
 * endpoint stays until it was delivered or given up. An identifier begins with its time, so that the old ones are the
 * first in the primary key; no others are looked at. Each statement is about one merchant, as `SHARDED` wants it.
 * @param page events looked at together
 */
export async function dropOldEvents(
  sql: Sql,
  days: number,
  { stopping, page = PAGE }: ScanOptions & { page?: number } = {},
): Promise<number> {
  const end = await store.readMomentAgo(sql, days)
  const before = { time: end, id: idFrom('evt', end.getTime(), Buffer.alloc(10)) }
  let dropped = 0
  // The cursor moves past events that stay.
  let after = ''
  while (!stopping?.aborted) {
    const old = await store.readEventsBefore(sql, before, after, page)
    for (const events of Map.groupBy(old, ({ merchant_id, livemode }) => `${merchant_id}/${livemode}`).values()) {
      for (const some of chunksOf(events, TOGETHER)) {
        if (stopping?.aborted) return dropped
        const ids = some.map(({ id }) => id)
        await store.deleteEndedDeliveries(sql, some[0]!, before, ids)
        dropped += await store.deleteEvents(sql, some[0]!, ids)
      }
    }
    if (old.length < page) break
    after = old.at(-1)!.id
  }
  return dropped
}
