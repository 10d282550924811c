import { defineAct, row } from '../acts/act.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue/jobs.ts'
import type { Tenant } from '../values/caller.ts'
import { type EndpointKey, endpointKey } from './endpoints/endpoint.ts'
import { deliverJob } from './jobs.ts'
import * as store from './store.ts'

/** A delivery that is sent again. That of a disabled endpoint is held until it is enabled. */
type Restarted = { readonly id: string; readonly status: string }

export type ReplayResult =
  | { readonly kind: 'replayed'; readonly deliveries: readonly Restarted[] }
  | { readonly kind: 'refused'; readonly code: 'resource_not_found' }

type EventKey = Tenant & { readonly event_id: string }

/** Sends an event again to every endpoint that had a delivery of it, for a merchant's key, whose calls the request log has. */
export async function replayEvent(
  sql: Sql,
  { merchant_id, livemode }: Tenant,
  event_id: string,
): Promise<ReplayResult> {
  const deliveries = await sql.begin((tx) => restartEvent(tx, { merchant_id, livemode, event_id }))
  return deliveries.length === 0 ? { kind: 'refused', code: 'resource_not_found' } : { kind: 'replayed', deliveries }
}

async function restartEvent(tx: Tx, event: EventKey): Promise<Restarted[]> {
  const restarted = await store.restartDeliveries(tx, event)
  const endpoints = new Map<string, EndpointKey>()
  for (const delivery of restarted) {
    if (delivery.status === 'pending') endpoints.set(delivery.endpoint_id, endpointKey(delivery))
  }
  enqueue(
    tx,
    deliverJob,
    [...endpoints.values()].map((payload) => ({ payload })),
  )
  return restarted.map(({ id, status }) => ({ id, status }))
}

const restart = defineEffect<EventKey>('delivery', async (tx, events) => {
  for (const event of events) await restartEvent(tx, event)
})

/** The same for a person. */
export const replayEventAct = defineAct({
  name: 'event.replay',
  summary: 'Send an event again to every endpoint that it was meant for',
  title: ['Rejouer cet événement', 'Replay this event'],
  right: 'webhooks.manage',
  fresh: false,
  on: row('evt', 'event', { option: 'event', place: 'named' }),
  fields: {},
  async load(tx, { id: event_id, within: { merchant_id, livemode } }) {
    if (merchant_id === undefined || livemode === undefined) return null
    const about = { merchant_id, livemode }
    const event = { ...about, event_id }
    const deliveries = await store.readRestarted(tx, event)
    return deliveries.length === 0 ? null : { about, event, deliveries }
  },
  facts: {},
  content: () => ({}),
  decide: ({ id: event_id }, { event, deliveries }) => ({
    kind: 'accepted',
    effects: [restart(event)],
    result: { event_id, deliveries },
    after: { deliveries: deliveries.length },
  }),
  unknown: 'There is no event {event} with a delivery.',
  refusals: {},
})
