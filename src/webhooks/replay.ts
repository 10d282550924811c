import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue/jobs.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import { type EndpointKey, endpointKey } from './endpoints/endpoint.ts'
import { deliverJob } from './jobs.ts'
import * as store from './store.ts'

export type ReplayResult =
  /** The deliveries that are sent again. Those of a disabled endpoint are held until it is enabled. */
  | { readonly kind: 'replayed'; readonly deliveries: readonly { readonly id: string; readonly status: string }[] }
  | { readonly kind: 'refused'; readonly code: 'resource_not_found' }

/**
 * Sends an event again to every endpoint that had a delivery of it.
 * @param by the person, for the audit log; null: a merchant's key, whose calls the request log has
 */
export async function replayEvent(
  sql: Sql,
  { merchant_id, livemode }: Tenant,
  event_id: string,
  by: Actor | null = null,
): Promise<ReplayResult> {
  return await sql.begin(async (tx) => {
    const restarted = await store.restartDeliveries(tx, { merchant_id, livemode, event_id })
    if (restarted.length === 0) return { kind: 'refused', code: 'resource_not_found' }
    const endpoints = new Map<string, EndpointKey>()
    for (const delivery of restarted) {
      if (delivery.status === 'pending') endpoints.set(delivery.endpoint_id, endpointKey(delivery))
    }
    enqueue(
      tx,
      deliverJob,
      [...endpoints.values()].map((payload) => ({ payload })),
    )
    if (by !== null) {
      const after = { deliveries: restarted.length }
      recordAct(tx, { merchant_id, livemode }, { actor: by, act: 'event.replay', subject: event_id, after })
    }
    return { kind: 'replayed', deliveries: restarted.map(({ id, status }) => ({ id, status })) }
  })
}
