import { chunksOf } from '../platform/chunks.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue/jobs.ts'
import type { Tenant } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { type EndpointKey, endpointKey } from './endpoints/endpoint.ts'
import type { EventType } from './event-types.ts'
import { deliverNewJob, ENDPOINTS_PER_JOB } from './jobs.ts'
import * as store from './store.ts'

/** The version of the interface in the bodies of events. */
const API_VERSION = '2026-08-25'
/** The most bytes of a body whose event has a shorter form. Receivers take 100 kB by default (Express), and proxies before them may cut earlier. */
const EVENT_BYTES_MAX = 64_000

export type NewEvent = Tenant & {
  readonly type: EventType
  /** The id of the payment, payout… that the event is about. */
  readonly subject_id: string
  /** The resource as its GET returns it, with the new status. */
  readonly data: object
  /** Replaces `data` if the body would be longer than 64 kB. Absent: the resource has no long form. */
  readonly short_data?: object
  /** The only endpoint that gets the event, even if it does not subscribe to its type. Absent: all endpoints that subscribe. */
  readonly only_to?: string
  /** Absent: it gets one. */
  readonly id?: string
}

/**
 * Writes events in the transaction of the change that they are about: the events, a delivery of each to every subscribed endpoint, and
 * the jobs that send them are committed with the change or not at all. Four statements for any number of events. Returns the ids of
 * the events in their order.
 *
 * The bytes of the body are fixed here: every attempt sends and signs the same.
 */
export async function emitEvents(tx: Tx, events: readonly NewEvent[], now: Date): Promise<string[]> {
  if (events.length === 0) return []
  const created_at = now.toISOString()
  const rows = events.map(({ merchant_id, livemode, type, subject_id, data, short_data, only_to, id: given }) => {
    const id = given ?? newId('evt', now.getTime())
    const bodyOf = (data: object) =>
      JSON.stringify({ id, object: 'event', type, api_version: API_VERSION, created_at, livemode, data })
    let body = bodyOf(data)
    if (short_data !== undefined && Buffer.byteLength(body) > EVENT_BYTES_MAX) body = bodyOf(short_data)
    return { row: { merchant_id, livemode, id, type, subject_id, body, created_at }, only_to }
  })

  const endpoints = await store.readEndpointsOf(tx, events)
  const deliveries = rows.flatMap(({ row: event, only_to }) =>
    endpoints
      .filter((endpoint) => wants(endpoint, event, only_to))
      .map((endpoint) => ({
        ...endpointKey(endpoint),
        id: newId('dlv', now.getTime()),
        event_id: event.id,
        // If the endpoint is enabled at the same moment, its delivery may stay held. The sweep releases it.
        status: endpoint.status === 'enabled' ? ('pending' as const) : ('held' as const),
      })),
  )
  store.insertEvents(
    tx,
    rows.map(({ row }) => row),
    deliveries,
  )

  const due = new Map<string, EndpointKey>()
  for (const delivery of deliveries) {
    if (delivery.status === 'pending') due.set(delivery.endpoint_id, endpointKey(delivery))
  }
  enqueue(
    tx,
    deliverNewJob,
    [...chunksOf([...due.values()], ENDPOINTS_PER_JOB)].map((endpoints) => ({ payload: { endpoints } })),
  )
  return rows.map(({ row }) => row.id)
}

/** Emits an event of one merchant, together with all others of the transaction. */
export const emitEvent = defineEffect<NewEvent>(
  'event',
  async (tx, events, now) => void (await emitEvents(tx, events, now)),
)

function wants(
  endpoint: store.EndpointOfTenant,
  event: { merchant_id: number; livemode: boolean; type: string },
  only_to: string | undefined,
): boolean {
  if (endpoint.merchant_id !== event.merchant_id || endpoint.livemode !== event.livemode) return false
  if (only_to !== undefined) return endpoint.endpoint_id === only_to
  return endpoint.event_types.length === 0 || endpoint.event_types.includes(event.type)
}
