import { sweepTogether } from '../../platform/each-apart.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { enqueue } from '../../platform/queue/jobs.ts'
import { type EndpointKey, endpointKey } from '../endpoints/endpoint.ts'
import { deliverJob } from '../jobs.ts'
import * as store from '../store.ts'

/**
 * Finds what no job remembers: due deliveries whose job was lost or whose process died with them, events held for an
 * endpoint that is enabled, and events waiting for one that is disabled. Returns the number of endpoints woken.
 *
 * It goes by `clock_now()` and the queue by real time, so this is also what follows a clock that was moved ahead. A job
 * too many does no harm (it finds nothing), and its key keeps it from being there twice.
 */
export async function sweepDeliveries(sql: Sql, log: Log): Promise<number> {
  await holdDeliveries(sql, log)
  await releaseDeliveries(sql, log)
  return await sql.begin(async (tx) => {
    // Deliveries released just now are due, and are found with the rest.
    const due = await store.readEndpointsDue(tx)
    enqueue(
      tx,
      deliverJob,
      due.map((row) => ({ payload: endpointKey(row), key: `webhooks.sweep:${row.endpoint_id}` })),
    )
    return due.length
  })
}

function holdDeliveries(sql: Sql, log: Log): Promise<number> {
  return sweepTogether(sql, {
    task: 'holding deliveries of disabled endpoints',
    log,
    nameOf,
    together: () => store.holdDeliveries(sql, null),
    read: (met) => store.readEndpointsToHold(sql, met),
    act: (endpoint) => store.holdDeliveries(sql, endpoint),
  })
}

function releaseDeliveries(sql: Sql, log: Log): Promise<number> {
  return sweepTogether(sql, {
    task: 'releasing deliveries of enabled endpoints',
    log,
    nameOf,
    together: async () => (await sql.begin((tx) => store.releaseDeliveries(tx, null))).length,
    read: (met) => store.readEndpointsHeld(sql, met),
    act: (endpoint) => sql.begin((tx) => store.releaseDeliveries(tx, endpoint)),
  })
}

function nameOf({ endpoint_id }: EndpointKey): string {
  return endpoint_id
}
