import type { Sql } from '../platform/postgres/database.ts'
import type { Walk } from '../platform/postgres/drop-past.ts'
import { idFrom } from '../words/ids.ts'
import * as store from './event-store.ts'

/** Rows deleted by one statement at most, so that it stays short. */
const TOGETHER = 1_000

/**
 * Drops the events older than `days` with their deliveries, and returns how many events. One that still waits for its
 * endpoint stays until it was delivered or given up. An identifier begins with its time, so that the old ones are the
 * first of their merchant's in the primary key; nobody else's are looked at.
 */
export async function dropOldEvents(sql: Sql, days: number, { stopping }: Walk = {}): Promise<number> {
  const end = await store.readMomentAgo(sql, days)
  const before = { time: end, id: idFrom('evt', end.getTime(), Buffer.alloc(10)) }
  let dropped = 0
  for (const tenant of await store.readTenantsWithEventsBefore(sql, before)) {
    while (!stopping?.aborted && (await store.deleteEndedDeliveries(sql, tenant, before, TOGETHER)) === TOGETHER);
    while (!stopping?.aborted) {
      const count = await store.deleteEvents(sql, tenant, before, TOGETHER)
      dropped += count
      if (count < TOGETHER) break
    }
  }
  return dropped
}
