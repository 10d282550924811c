import type { Sql } from '../../platform/postgres/database.ts'
import { enqueue } from '../../platform/queue/jobs.ts'
import { type Actor, SYSTEM } from '../../values/actor.ts'
import type { Tenant } from '../../values/caller.ts'
import { deliverJob } from '../jobs.ts'
import * as store from '../store.ts'
import { type EndpointSwitched, switchEndpoint } from './switch-endpoint.ts'

/**
 * Enables an endpoint and releases the events held for it, each with a new schedule. The sweep releases those that this call leaves: more
 * than a thousand, or one that is being written now.
 * @param by the person who enables it, for the audit log
 */
export async function enableEndpoint(
  sql: Sql,
  { merchant_id, livemode }: Tenant,
  endpoint_id: string,
  by: Actor = SYSTEM,
): Promise<EndpointSwitched> {
  const endpoint = { merchant_id, livemode, endpoint_id }
  // Two transactions, because the writers of results lock deliveries first and endpoints afterwards. One transaction would lock in the
  // opposite order.
  if (!(await switchEndpoint(sql, endpoint, 'enabled', by))) return { kind: 'refused', code: 'resource_not_found' }
  await sql.begin(async (tx) => {
    const released = await store.releaseDeliveries(tx, endpoint)
    if (released.length > 0) enqueue(tx, deliverJob, [{ payload: endpoint }])
  })
  return { kind: 'enabled' }
}
