import type { Sql } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue/jobs.ts'
import { type EndpointKey, endpointKey } from './endpoint.ts'
import { deliverJob } from './jobs.ts'
import * as store from './store.ts'

/**
 * Finds what no job remembers: due deliveries whose job was lost or whose process died with them, events held for an
 * endpoint that is enabled, and events waiting for one that is disabled. Returns the number of endpoints woken.
 *
 * It goes by `clock_now()` and the queue by real time, so this is also what follows a clock that was moved ahead. A job
 * too many does no harm (it finds nothing), and its key keeps it from being there twice.
 */
export async function sweepDeliveries(sql: Sql): Promise<number> {
  if (sql.sharded) {
    // Endpoint by endpoint, because no transaction is to hold rows of two merchants.
    for (const endpoint of await store.readEndpointsToHold(sql)) await store.holdDeliveries(sql, endpoint)
    const held = await store.readEndpointsHeld(sql)
    for (const endpoint of held) await sql.begin((tx) => store.releaseDeliveries(tx, endpoint))
  } else {
    await store.holdDeliveries(sql, null)
  }
  return await sql.begin(async (tx) => {
    // What was released just now is due, and found with the rest.
    const released = sql.sharded ? [] : await store.releaseDeliveries(tx, null)
    const due = await store.readEndpointsDue(tx)
    const endpoints = new Map<string, EndpointKey>(
      [...released, ...due].map((row) => [row.endpoint_id, endpointKey(row)]),
    )
    enqueue(
      tx,
      deliverJob,
      [...endpoints.values()].map((payload) => ({ payload, key: `webhooks.sweep:${payload.endpoint_id}` })),
    )
    return endpoints.size
  })
}
