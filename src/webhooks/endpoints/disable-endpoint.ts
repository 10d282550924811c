import type { Sql } from '../../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../../values/actor.ts'
import type { Tenant } from '../../values/caller.ts'
import * as store from '../store.ts'
import { type EndpointSwitched, switchEndpoint } from './switch-endpoint.ts'

/**
 * Disables an endpoint. New events and waiting ones are held until it is enabled.
 * @param by the person who disables it, for the audit log
 */
export async function disableEndpoint(
  sql: Sql,
  { merchant_id, livemode }: Tenant,
  endpoint_id: string,
  by: Actor = SYSTEM,
): Promise<EndpointSwitched> {
  const endpoint = { merchant_id, livemode, endpoint_id }
  if (!(await switchEndpoint(sql, endpoint, 'disabled', by))) return { kind: 'refused', code: 'resource_not_found' }
  await store.holdDeliveries(sql, endpoint)
  return { kind: 'disabled' }
}
