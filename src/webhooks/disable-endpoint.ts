import type { Sql } from '../platform/postgres/database.ts'
import type { Tenant } from '../words/caller.ts'
import * as store from './store.ts'

export type EndpointSwitched =
  | { readonly kind: 'enabled' | 'disabled' }
  | { readonly kind: 'refused'; readonly code: 'resource_not_found' }

/** Stops calling an endpoint. Its events are kept from now on, and those that were waiting with them. */
export async function disableEndpoint(
  sql: Sql,
  { merchant_id, livemode }: Tenant,
  endpoint_id: string,
): Promise<EndpointSwitched> {
  const endpoint = { merchant_id, livemode, endpoint_id }
  if (!(await store.disableEndpoint(sql, endpoint))) return { kind: 'refused', code: 'resource_not_found' }
  await store.holdDeliveries(sql, endpoint)
  return { kind: 'disabled' }
}
