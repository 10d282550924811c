import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type DeliverySummary, type Event, viewEvent } from './event.ts'
import type { EventType } from './event-types.ts'
import * as journal from './journal-store.ts'

/**
 * The most bytes of a page of events, unless its first event alone has more. The event at the end of a batch holds five hundred lines,
 * and a hundred of those would make an answer of 35 MB.
 */
export const PAGE_BYTES = 1_000_000
/** The most bytes of an event's deliveries in the answer: some two hundred for each of sixteen endpoints. */
const DELIVERIES_BYTES = 4_096

/** Lists the newest events that match and fit a page, with their deliveries, and says whether older ones follow. */
export async function findEvents(
  db: Db,
  wanted: Omit<journal.EventsWanted, 'bytes' | 'bytes_beside'>,
): Promise<{ events: Event[]; has_more: boolean }> {
  const page = await journal.readEvents(db, { ...wanted, bytes: PAGE_BYTES, bytes_beside: DELIVERIES_BYTES })
  return { events: await withDeliveries(db, wanted, page.events), has_more: page.has_more }
}

/** Reads one event with its deliveries. Null when it is not this caller's, or of another type than requested. */
export async function findEvent(
  db: Db,
  wanted: Tenant & { id: string; types: readonly EventType[] },
): Promise<Event | null> {
  const found = await journal.readEvent(db, wanted)
  if (found === null) return null
  const [event] = await withDeliveries(db, wanted, [found])
  return event!
}

async function withDeliveries(db: Db, tenant: Tenant, events: { id: string; body: string }[]): Promise<Event[]> {
  if (events.length === 0) return []
  const ids = events.map(({ id }) => id)
  const of = Map.groupBy(await journal.readDeliveriesOf(db, tenant, ids), ({ event_id }) => event_id)
  return events.map(({ id, body }) => viewEvent(body, (of.get(id) ?? []).map(summary)))
}

function summary(delivery: journal.DeliveryRead): DeliverySummary {
  const { id, endpoint_id, status, attempts, last_response_status, next_attempt_at } = delivery
  return {
    id,
    endpoint_id,
    status,
    attempts,
    last_response_status,
    next_attempt_at: next_attempt_at?.toISOString() ?? null,
  }
}
