import { recordAct } from '../../audit-log/record-act.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../../values/actor.ts'
import type { Tenant } from '../../values/caller.ts'
import { emitEvents, type NewEvent } from '../emit.ts'
import * as store from '../store.ts'
import type { EndpointKey } from './endpoint.ts'

export type EndpointTested =
  | { readonly kind: 'sent'; readonly event_id: string; readonly endpoint: EndpointKey }
  /** There is no such endpoint, or it is disabled and the event would only be held. */
  | { readonly kind: 'refused'; readonly code: 'resource_not_found' | 'endpoint_disabled' }

/**
 * Sends `endpoint.test` to one endpoint only, also if the endpoint does not subscribe to it: the merchant sees that its server is reached
 * and can verify a signature before any money moves.
 * @param by the person, for the audit log
 */
export async function testEndpoint(
  { sql, clock }: { sql: Sql; clock: Clock },
  endpoint_id: string,
  by: Actor = SYSTEM,
): Promise<EndpointTested> {
  return await sql.begin(async (tx) => {
    const endpoint = await store.findEndpoint(tx, endpoint_id)
    if (endpoint === null) return { kind: 'refused', code: 'resource_not_found' }
    if (endpoint.status === 'disabled') return { kind: 'refused', code: 'endpoint_disabled' }
    const [event_id] = await emitEvents(tx, [testEvent(endpoint, endpoint_id, endpoint)], clock.now())
    recordAct(tx, endpoint, { actor: by, act: 'endpoint.test', subject: endpoint_id, after: { event_id } })
    return { kind: 'sent', event_id: event_id!, endpoint }
  })
}

/** The event that announces an endpoint. It does not hold the endpoint's URL, which may contain a secret of its owner. */
export function testEvent(
  { merchant_id, livemode }: Tenant,
  id: string,
  { event_types }: { event_types: readonly string[] },
): NewEvent {
  const data = { id, object: 'endpoint', status: 'enabled', event_types, livemode }
  return { merchant_id, livemode, type: 'endpoint.test', subject_id: id, data, only_to: id }
}
