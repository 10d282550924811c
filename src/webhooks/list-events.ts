import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type Page, type PageWanted, pageOf } from '../values/page.ts'
import {
  type DeliveryRead,
  type EventFilters,
  type EventRow,
  readDeliveriesOf,
  readEventRow,
  readEventRows,
} from './journal-store.ts'
import { type ShownBody, shownBody } from './shown-body.ts'

/** The most characters of an event's body that its page shows. */
const BODY_SHOWN_MAX = 16_000

/** An event in a list, with its delivery to each subscribed endpoint. */
export type ListedEvent = EventRow & { readonly deliveries: readonly DeliveryRead[] }

/** Lists a page of a merchant's events that match filters, newest first. */
export async function listEvents(
  db: Db,
  tenant: Tenant,
  filters: EventFilters,
  { limit, after }: PageWanted,
): Promise<Page<ListedEvent>> {
  const rows = await readEventRows(db, tenant, filters, { limit: limit + 1, after })
  const page = pageOf(rows, limit, ({ id }) => id)
  return { ...page, rows: await withDeliveries(db, tenant, page.rows) }
}

/** An event with the start of its body. */
export type ShownEvent = ListedEvent & ShownBody

/** Reads one event of a merchant. Null when there is none. */
export async function showEvent(db: Db, tenant: Tenant, id: string): Promise<ShownEvent | null> {
  const row = await readEventRow(db, tenant, { id, characters: BODY_SHOWN_MAX })
  if (row === null) return null
  const [event] = await withDeliveries(db, tenant, [row])
  return { ...row, ...event!, ...shownBody(row) }
}

async function withDeliveries(db: Db, tenant: Tenant, events: readonly EventRow[]): Promise<ListedEvent[]> {
  if (events.length === 0) return []
  const ids = events.map(({ id }) => id)
  const of = Map.groupBy(await readDeliveriesOf(db, tenant, ids), ({ event_id }) => event_id)
  return events.map((event) => ({ ...event, deliveries: of.get(event.id) ?? [] }))
}
