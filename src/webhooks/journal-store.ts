import type { Db, Statement } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { idsBetween } from '../values/ids.ts'
import type { PageWanted } from '../values/page.ts'
import { ENDPOINTS_MAX } from './endpoints/endpoint.ts'
import type { DeliveryStatus } from './event.ts'
import type { EventType } from './event-types.ts'

// Events as merchants read them.

export type EventsWanted = Tenant & {
  /** The types of event that the caller may read. */
  types: readonly EventType[]
  /** The resource that the events are about; null: any. */
  subject_id: string | null
  /** The id to start before; null: start with the newest. */
  before: string | null
  /** The most events of the page. */
  limit: number
  /** The most bytes of the page. It always has at least one event. */
  bytes: number
  /** Bytes of each event in addition to its body. */
  bytes_beside: number
}

export type PageOfEvents = {
  events: { id: string; body: string }[]
  /** Whether older events follow. */
  has_more: boolean
}

/**
 * Reads a page of events, newest first. It reads the newest of each type from the end of its index, one more than the page's limit, and
 * keeps the newest of all. So three payments among a million payouts are found as fast. It measures the bodies before it reads any:
 * PostgreSQL stores the length of a large body in the row, so the measure costs the same for large and small bodies, and only the bodies of
 * the page are read.
 */
export async function readEvents(db: Db, wanted: EventsWanted): Promise<PageOfEvents> {
  const { merchant_id, livemode, types, subject_id, before, limit, bytes, bytes_beside } = wanted
  const about = subject_id === null ? db`` : db`and subject_id = ${subject_id}`
  const earlier = before === null ? db`` : db`and id < ${before}`
  const rows = await db<{ id: string; body: string; found: number }[]>`
    select e.id, e.body, fitting.found
      from (select id, found
              from (select newest.id,
                           count(*) over () as found,
                           row_number() over newest_first as place,
                           sum(size.bytes) over newest_first as bytes
                      from (select n.id
                              from unnest(${[...types]}::text[]) as t(type)
                             cross join lateral (
                               select id
                                 from events
                                where merchant_id = ${merchant_id} and livemode = ${livemode} and type = t.type
                                  ${about}
                                  ${earlier}
                                order by id desc
                                limit ${limit + 1}) n
                             order by n.id desc
                             limit ${limit + 1}) newest
                     cross join lateral (
                       select octet_length(body) + ${bytes_beside} as bytes
                         from events
                        where merchant_id = ${merchant_id} and livemode = ${livemode} and id = newest.id
                        limit 1) size
                    window newest_first as (order by newest.id desc)) measured
             where place = 1 or (place <= ${limit} and bytes <= ${bytes})) fitting
     cross join lateral (
       select id, body
         from events
        where merchant_id = ${merchant_id} and livemode = ${livemode} and id = fitting.id
        limit 1) e
     order by e.id desc`
  return { events: rows.map(({ id, body }) => ({ id, body })), has_more: rows.length < (rows[0]?.found ?? 0) }
}

/** The filters of a list of events. An event must match all that are given. */
export type EventFilters = {
  /** Types of event. */
  readonly types: readonly EventType[]
  /** Resources that the events are about; null: any. */
  readonly subject_ids: readonly string[] | null
  /** The period of the events, from the first moment until before the second; null: any time. */
  readonly created_from: Date | null
  readonly created_before: Date | null
}

/** An event without its body. */
export type EventRow = { id: string; type: EventType; subject_id: string; created_at: Date }

/** Lists events without their bodies, newest first. */
export async function readEventRows(
  db: Db,
  tenant: Tenant,
  filters: EventFilters,
  page: PageWanted,
): Promise<EventRow[]> {
  return await db<EventRow[]>`${newestEvents(db, tenant, filters, page)}`
}

/** The statement of a page of events. It reads the newest of each type from its index, between two identifiers. */
function newestEvents(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { types, subject_ids, created_from, created_before }: EventFilters,
  { limit, after }: PageWanted,
): Statement<object[]> {
  const { from, before } = idsBetween('evt', { created_from, created_before })
  return db`
    select n.id, n.type, n.subject_id, n.created_at
      from unnest(${[...types]}::text[]) as t(type)
     cross join lateral (
       select id, type, subject_id, created_at
         from events
        where merchant_id = ${merchant_id} and livemode = ${livemode} and type = t.type
          and id >= ${from} and id < ${before}
          ${after === null ? db`` : db`and id < ${after}`}
          ${subject_ids === null ? db`` : db`and subject_id = any(${[...subject_ids]}::text[])`}
          ${created_from === null ? db`` : db`and created_at >= ${created_from}`}
          ${created_before === null ? db`` : db`and created_at < ${created_before}`}
        order by id desc
        limit ${limit}) n
     order by n.id desc
     limit ${limit}`
}

/**
 * Counts the newest events that match, and their deliveries to each endpoint.
 * @param most the number at which the count stops
 */
export async function countDeliveriesOf(
  db: Db,
  tenant: Tenant,
  filters: EventFilters,
  most: number,
): Promise<{ events: number; deliveries: ReadonlyMap<string, number> }> {
  const { merchant_id, livemode } = tenant
  const rows = await db<{ endpoint_id: string | null; events: number; deliveries: number }[]>`
    with found as materialized (${newestEvents(db, tenant, filters, { limit: most, after: null })})
    select d.endpoint_id, (select count(*)::integer from found) as events, count(d.endpoint_id)::integer as deliveries
      from found f
      left join deliveries d
        on d.event_id = f.id and d.merchant_id = ${merchant_id} and d.livemode = ${livemode}
     group by d.endpoint_id`
  const deliveries = rows.flatMap((row) =>
    row.endpoint_id === null ? [] : [[row.endpoint_id, row.deliveries] as const],
  )
  return { events: rows[0]?.events ?? 0, deliveries: new Map(deliveries) }
}

/** Reads one event with the start of its body. Null when it is not this merchant's. */
export async function readEventRow(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { id, characters }: { id: string; characters: number },
): Promise<(EventRow & { body_start: string; body_bytes: number }) | null> {
  const [row] = await db<(EventRow & { body_start: string; body_bytes: number })[]>`
    select id, type, subject_id, created_at, left(body, ${characters}::integer) as body_start, octet_length(body) as body_bytes
      from events
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}`
  return row ?? null
}

type EventWanted = Tenant & { id: string; types: readonly EventType[] }

/** Whether the event exists. Does not read its body, which may be large. */
export async function hasEvent(db: Db, { merchant_id, livemode, id, types }: EventWanted): Promise<boolean> {
  const rows = await db`
    select id
      from events
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id} and type = any(${[...types]}::text[])`
  return rows.length === 1
}

/** Reads one event of these types. Null when it is not this caller's. */
export async function readEvent(
  db: Db,
  { merchant_id, livemode, id, types }: EventWanted,
): Promise<{ id: string; body: string } | null> {
  const [row] = await db<{ id: string; body: string }[]>`
    select id, body
      from events
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id} and type = any(${[...types]}::text[])`
  return row ?? null
}

export type DeliveryRead = {
  id: string
  event_id: string
  endpoint_id: string
  status: DeliveryStatus
  attempts: number
  /** The attempts of the current schedule; 0: the first is in progress. */
  scheduled_attempts: number
  last_response_status: number | null
  next_attempt_at: Date | null
}

/**
 * Reads the deliveries of these events, by event and endpoint. It looks for the last attempt only from an hour before the delivery was
 * made, so that it opens no older partition of attempts; the hour allows for clocks that differ.
 */
export function readDeliveriesOf(
  db: Db,
  { merchant_id, livemode }: Tenant,
  eventIds: readonly string[],
): Promise<DeliveryRead[]> {
  return db<DeliveryRead[]>`
    select d.id, d.event_id, d.endpoint_id, d.status, d.attempts, d.scheduled_attempts,
           a.status_code as last_response_status, d.next_attempt_at
      from unnest(${[...eventIds]}::text[]) as w(event_id)
     cross join lateral (
       select id, event_id, endpoint_id, status, attempts, scheduled_attempts, next_attempt_at, created_at
         from deliveries
        where merchant_id = ${merchant_id} and livemode = ${livemode} and event_id = w.event_id
        limit ${ENDPOINTS_MAX}) d
      left join lateral (
       select status_code
         from delivery_attempts
        where merchant_id = ${merchant_id} and livemode = ${livemode} and delivery_id = d.id
          and attempted_at >= d.created_at - interval '1 hour'
        order by number desc, attempted_at desc
        limit 1) a on true
     order by d.event_id, d.endpoint_id`
}

/** An event about a resource, and one of its deliveries. `delivery_id` null: no endpoint subscribed to it. */
export type EventAbout = {
  id: string
  type: EventType
  created_at: Date
  delivery_id: string | null
  url: string | null
  status: DeliveryStatus | null
  attempts: number | null
  scheduled_attempts: number | null
  next_attempt_at: Date | null
  last_attempt_at: Date | null
  last_response_status: number | null
  last_duration_ms: number | null
}

/** The most events of one resource on its page, with their deliveries. */
const EVENTS_SHOWN_MAX = 50

/**
 * Reads the first events about a resource, oldest first, one line for each endpoint that subscribed. It looks for the last attempt as
 * `readDeliveriesOf` does.
 */
export function readEventsAbout(db: Db, { merchant_id, livemode }: Tenant, subject_id: string): Promise<EventAbout[]> {
  return db<EventAbout[]>`
    select v.id, v.type, v.created_at, d.id as delivery_id, e.url, d.status, d.attempts, d.scheduled_attempts, d.next_attempt_at,
           a.attempted_at as last_attempt_at, a.status_code as last_response_status, a.duration_ms as last_duration_ms
      from (select id, type, created_at
              from events
             where subject_id = ${subject_id} and merchant_id = ${merchant_id} and livemode = ${livemode}
             order by id
             limit ${EVENTS_SHOWN_MAX}) v
      left join deliveries d
        on d.event_id = v.id and d.merchant_id = ${merchant_id} and d.livemode = ${livemode}
      left join endpoints e
        on e.merchant_id = ${merchant_id} and e.livemode = ${livemode} and e.id = d.endpoint_id
      left join lateral (
       select attempted_at, status_code, duration_ms
         from delivery_attempts
        where merchant_id = ${merchant_id} and livemode = ${livemode} and delivery_id = d.id
          and attempted_at >= d.created_at - interval '1 hour'
        order by number desc, attempted_at desc
        limit 1) a on true
     order by v.id, d.endpoint_id`
}
