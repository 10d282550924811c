import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { ENDPOINTS_MAX } from './endpoints/endpoint.ts'
import type { EventType } from './event-types.ts'
import { readDeliveriesOf, readEvents } from './journal-store.ts'
import * as store from './replay-store.ts'
import { type ShownBody, shownBody } from './shown-body.ts'
import { readEndpointsPage } from './store.ts'

/** The most characters of an event's body that a page shows. */
const BODY_SHOWN_MAX = 4_000

export type ShownEndpoint = Awaited<ReturnType<typeof readEndpointsPage>>['rows'][number] & store.EndpointHealth

/** Lists a merchant's endpoints with the state of their deliveries: newest first, at most sixteen. */
export async function showEndpoints(db: Db, tenant: Tenant): Promise<ShownEndpoint[]> {
  const [{ rows }, health] = await Promise.all([
    readEndpointsPage(db, { tenant, status: null, limit: ENDPOINTS_MAX * 2, after: null }),
    store.readEndpointHealth(db, tenant),
  ])
  const of = new Map(health.map((one) => [one.endpoint_id, one]))
  return rows.flatMap((row) => {
    const fares = of.get(row.endpoint_id)
    return fares === undefined ? [] : [{ ...row, ...fares }]
  })
}

export type ListedDelivery = Awaited<ReturnType<typeof readDeliveriesOf>>[number] & {
  type: string
  subject_id: string
  created_at: Date
}

/** Lists the newest events of some kinds, with the delivery of each to each endpoint. `after`: the last event of the page before. */
export async function listDeliveries(
  db: Db,
  tenant: Tenant,
  { types, after, limit }: { types: readonly EventType[]; after: string | null; limit: number },
): Promise<{ deliveries: ListedDelivery[]; after: string | null }> {
  const wanted = { types, subject_id: null, before: after, limit, bytes: 4_000_000, bytes_beside: 0 }
  const { events, has_more } = await readEvents(db, { ...tenant, ...wanted })
  const read = new Map(
    events.map(({ id, body }) => {
      const { type, created_at, data } = JSON.parse(body) as { type: string; created_at: string; data: { id: string } }
      return [id, { type, created_at: new Date(created_at), subject_id: data.id }]
    }),
  )
  const found = await readDeliveriesOf(db, tenant, [...read.keys()])
  const deliveries = found
    .map((delivery) => ({ ...delivery, ...read.get(delivery.event_id)! }))
    .sort((a, b) => (a.event_id < b.event_id ? 1 : -1))
  return { deliveries, after: has_more ? (events.at(-1)?.id ?? null) : null }
}

export type ShownDeliveryWithAttempts = store.ShownDelivery & ShownBody & { made: store.ShownAttempt[] }

/** Reads one delivery with its attempts. Null when there is none. Phone numbers in its body are masked. */
export async function showDelivery(db: Db, tenant: Tenant, id: string): Promise<ShownDeliveryWithAttempts | null> {
  const delivery = await store.readDelivery(db, tenant, { id, characters: BODY_SHOWN_MAX })
  if (delivery === null) return null
  const made = await store.readAttempts(db, tenant, delivery)
  return { ...delivery, ...shownBody(delivery), made }
}
