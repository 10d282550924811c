import { recordAct } from '../../audit-log/record-act.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Actor } from '../../values/actor.ts'
import * as store from '../store.ts'
import type { EndpointKey } from './endpoint.ts'

export type EndpointSwitched =
  | { readonly kind: 'enabled' | 'disabled' }
  | { readonly kind: 'refused'; readonly code: 'resource_not_found' }

/** Enables or disables an endpoint, in one transaction with its line of the audit log. False: there is no such endpoint. */
export async function switchEndpoint(
  sql: Sql,
  endpoint: EndpointKey,
  status: 'enabled' | 'disabled',
  by: Actor,
): Promise<boolean> {
  return sql.begin(async (tx) => {
    const before = await store.lockEndpoint(tx, endpoint)
    if (before === null) return false
    await (status === 'enabled' ? store.enableEndpoint : store.disableEndpoint)(tx, endpoint)
    if (before.status === status) return true
    const act = status === 'enabled' ? 'endpoint.enable' : 'endpoint.disable'
    recordAct(tx, endpoint, { actor: by, act, subject: endpoint.endpoint_id, before, after: { status } })
    return true
  })
}
