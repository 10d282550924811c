import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../words/caller.ts'
import { type DeliverySummary, type Event, viewEvent } from './event.ts'
import type { EventType } from './event-types.ts'
import * as journal from './journal-store.ts'

/** The newest events that are wanted, with how they fare. */
export async function findEvents(db: Db, wanted: journal.EventsWanted): Promise<Event[]> {
  return withDeliveries(db, wanted, await journal.readEvents(db, wanted))
}

/** One event with how it fares; null when it is not this caller's, or of no kind that is asked for. */
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
