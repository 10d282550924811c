import { recordAct } from '../../audit-log/record-act.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Egress } from '../../platform/egress/post.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../../values/actor.ts'
import type { Tenant } from '../../values/caller.ts'
import { newId } from '../../values/ids.ts'
import type { Secret } from '../../values/secret.ts'
import { emitEvents } from '../emit.ts'
import { isEventType } from '../event-types.ts'
import * as store from '../store.ts'
import { createSecretBox, newEndpointSecret } from './endpoint.ts'
import { testEvent } from './test-endpoint.ts'

export type CreateEndpointDeps = { sql: Sql; secretKey: Secret; egress: Egress; clock: Clock }

export type NewEndpoint = {
  url: string
  /** The types of event that the endpoint subscribes to; empty: all. */
  event_types: readonly string[]
  /** Whether an `endpoint.test` is sent at once; absent: yes. */
  test?: boolean
}

export type CreateEndpointResult =
  | { readonly kind: 'created'; readonly endpoint_id: string; readonly secret: Secret }
  | { readonly kind: 'refused'; readonly code: 'invalid_url' | 'invalid_event_type' | 'too_many_endpoints' }

/**
 * Registers an endpoint, in one transaction with its `endpoint.test`. The secret is returned only here, and stored sealed. An address that
 * the egress guard refuses is refused with one code for every reason (its sentence is `REFUSED_ADDRESS_MESSAGE`); the guard checks it again
 * at every attempt.
 * @param by the person who registers it, for the audit log
 */
export async function createEndpoint(
  deps: CreateEndpointDeps,
  tenant: Tenant,
  { url, event_types, test = true }: NewEndpoint,
  by: Actor = SYSTEM,
): Promise<CreateEndpointResult> {
  if (!event_types.every(isEventType)) return { kind: 'refused', code: 'invalid_event_type' }
  const target = await deps.egress.vet(url, tenant.livemode)
  if (target.kind === 'refused') return { kind: 'refused', code: 'invalid_url' }

  const endpoint = {
    merchant_id: tenant.merchant_id,
    livemode: tenant.livemode,
    endpoint_id: newId('whe', deps.clock.milliseconds()),
  }
  const secret = newEndpointSecret()
  const row = {
    ...endpoint,
    url: target.url.href,
    event_types: [...new Set(event_types)],
    secret_sealed: createSecretBox(deps.secretKey).seal(endpoint, secret),
  }
  const created = await deps.sql.begin(async (tx) => {
    if (!(await store.insertEndpoint(tx, row))) return false
    // The rest of the URL may contain a secret of its owner.
    const after = { origin: target.url.origin, event_types: row.event_types }
    recordAct(tx, tenant, { actor: by, act: 'endpoint.create', subject: endpoint.endpoint_id, after })
    if (test) await emitEvents(tx, [testEvent(tenant, endpoint.endpoint_id, row)], deps.clock.now())
    return true
  })
  if (!created) return { kind: 'refused', code: 'too_many_endpoints' }
  return { kind: 'created', endpoint_id: endpoint.endpoint_id, secret }
}
