import { chunksOf } from '../platform/chunks.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { ScanOptions } from '../platform/postgres/upkeep/delete-expired.ts'
import { type Tenant, tenantKey } from '../values/caller.ts'
import { idFrom } from '../values/ids.ts'
import * as store from './event-store.ts'
import { raiseFloor } from './feed/feed-store.ts'
import { isLater, type Position } from './feed/position.ts'

/** Events that one step reads. */
const PAGE = 10_000
/** The most events of one merchant that a statement deletes, so that it stays short: each has up to sixteen deliveries. */
const TOGETHER = 500

/**
 * Deletes the events older than `days` with their deliveries, and returns the number of events. An event that still waits for an
 * endpoint stays until it is delivered or given up. Identifiers begin with their time, so the old events come first in the primary
 * key, and only those are read. Each statement is about one merchant, as `SHARDED` requires.
 * @param page events that one step reads
 */
export async function dropOldEvents(
  sql: Sql,
  days: number,
  { stopping, page = PAGE }: ScanOptions & { page?: number } = {},
): Promise<number> {
  const end = await store.readMomentAgo(sql, days)
  const before = { time: end, id: idFrom('evt', end.getTime(), Buffer.alloc(10)) }
  let dropped = 0
  // The cursor also moves past events that stay.
  let after = ''
  while (!stopping?.aborted) {
    const old = await store.readEventsBefore(sql, before, after, page)
    for (const events of Map.groupBy(old, tenantKey).values()) {
      for (const some of chunksOf(events, TOGETHER)) {
        if (stopping?.aborted) return dropped
        const ids = some.map(({ id }) => id)
        await store.deleteEndedDeliveries(sql, some[0]!, before, ids)
        dropped += await sql.begin((tx) => deleteTogether(tx, some[0]!, ids))
      }
    }
    if (old.length < page) break
    after = old.at(-1)!.id
  }
  return dropped
}

/** Deletes the events of one merchant that have no delivery left, and notes the last of them, so that no reader of the feed misses one unawares. */
async function deleteTogether(tx: Tx, tenant: Tenant, ids: readonly string[]): Promise<number> {
  const deleted = await store.deleteEvents(tx, tenant, ids)
  let last: { place: Position; created_at: Date } | null = null
  for (const { epoch, number, id, created_at } of deleted) {
    const place = { epoch, tx: number, id }
    const isLast = last === null || isLater(place, last.place) || (!isLater(last.place, place) && id > last.place.id)
    if (isLast) last = { place, created_at }
  }
  if (last !== null) await raiseFloor(tx, tenant, last)
  return deleted.length
}
