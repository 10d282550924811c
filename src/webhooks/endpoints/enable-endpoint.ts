import type { Sql } from '../../platform/postgres/database.ts'
import { enqueue } from '../../platform/queue/jobs.ts'
import { type Actor, SYSTEM } from '../../values/actor.ts'
import type { Tenant } from '../../values/caller.ts'
import { deliverJob } from '../jobs.ts'
import * as store from '../store.ts'
import { type EndpointSwitched, switchEndpoint } from './switch-endpoint.ts'

/**
 * Calls an endpoint again, and starts with the events held for it: each gets a whole new schedule. Events that do not go out at
 * once (there are many, or one was being written in this moment) are freed by the sweep.
 * @param by who enables it, for the audit log
 */
export async function enableEndpoint(
  sql: Sql,
  { merchant_id, livemode }: Tenant,
  endpoint_id: string,
  by: Actor = SYSTEM,
): Promise<EndpointSwitched> {
  const endpoint = { merchant_id, livemode, endpoint_id }
  // Two transactions on purpose: writers of deliveries look at their endpoints after, so to hold the endpoint while
  // touching its deliveries would be to lock in the opposite order.
  if (!(await switchEndpoint(sql, endpoint, 'enabled', by))) return { kind: 'refused', code: 'resource_not_found' }
  await sql.begin(async (tx) => {
    const released = await store.releaseDeliveries(tx, endpoint)
    if (released.length > 0) enqueue(tx, deliverJob, [{ payload: endpoint }])
  })
  return { kind: 'enabled' }
}
