import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type Page, type PageWanted, pageOf } from '../values/page.ts'
import { type DeliveryFilters, type DeliveryRow, readDeliveriesPage } from './delivery-list-store.ts'
import { ENDPOINTS_MAX } from './endpoints/endpoint.ts'
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

/**
 * Lists a page of the deliveries that filters match, those of the newest event first.
 * @param after the last delivery of the page before, as `after` of that page names it
 */
export async function listDeliveries(
  db: Db,
  tenant: Tenant,
  filters: DeliveryFilters,
  { limit, after }: PageWanted,
): Promise<Page<DeliveryRow>> {
  const [event_id = '', endpoint_id = ''] = after?.split('.') ?? []
  const place = after === null ? null : { event_id, endpoint_id }
  const rows = await readDeliveriesPage(db, tenant, filters, { limit: limit + 1, after: place })
  return pageOf(rows, limit, (row) => `${row.event_id}.${row.endpoint_id}`)
}

export type ShownDeliveryWithAttempts = store.ShownDelivery & ShownBody & { made: store.ShownAttempt[] }

/** Reads one delivery with its attempts. Null when there is none. Phone numbers in its body are masked. */
export async function showDelivery(db: Db, tenant: Tenant, id: string): Promise<ShownDeliveryWithAttempts | null> {
  const delivery = await store.readDelivery(db, tenant, { id, characters: BODY_SHOWN_MAX })
  if (delivery === null) return null
  const made = await store.readAttempts(db, tenant, delivery)
  return { ...delivery, ...shownBody(delivery), made }
}
