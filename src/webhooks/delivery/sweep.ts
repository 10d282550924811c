import { sweepTogether } from '../../platform/each-apart.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { enqueue } from '../../platform/queue/jobs.ts'
import { type EndpointKey, endpointKey } from '../endpoints/endpoint.ts'
import { deliverJob } from '../jobs.ts'
import * as store from '../store.ts'

/**
 * Finds deliveries that have no job: due ones whose job or process was lost, ones held for an endpoint that is enabled again, and ones
 * due for an endpoint that is disabled. Returns the number of endpoints for which it enqueued a job.
 *
 * The sweep follows `clock_now()`, the queue real time, so the sweep also finds what falls due when a test moves the clock. A
 * superfluous job does no harm: it finds nothing, and its key keeps it from existing twice.
 */
export async function sweepDeliveries(sql: Sql, log: Log): Promise<number> {
  await holdDeliveries(sql, log)
  await releaseDeliveries(sql, log)
  return await sql.begin(async (tx) => {
    // Deliveries that were just released are due and are found with the rest.
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
