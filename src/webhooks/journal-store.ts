import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../words/caller.ts'
import { ENDPOINTS_MAX } from './endpoint.ts'
import type { DeliveryStatus } from './event.ts'
import type { EventType } from './event-types.ts'

// What merchants read of the events that were written.

export type EventsWanted = Tenant & {
  /** Kinds that may be in the answer. */
  types: readonly EventType[]
  /** Only those about this resource; null: about any. */
  subject_id: string | null
  /** Only those before this id; null: from the newest. */
  before: string | null
  limit: number
}

/**
 * Events, the newest first. Of each kind as many as are wanted are found at the end of its index, and the newest of them
 * all are kept: a merchant with a million payouts reads its three payments as quickly.
 */
export function readEvents(db: Db, wanted: EventsWanted): Promise<{ id: string; body: string }[]> {
  const { merchant_id, livemode, types, subject_id, before, limit } = wanted
  const about = subject_id === null ? db`` : db`and subject_id = ${subject_id}`
  const earlier = before === null ? db`` : db`and id < ${before}`
  return db<{ id: string; body: string }[]>`
    select e.id, e.body
      from (select n.id
              from unnest(${[...types]}::text[]) as t(type)
             cross join lateral (
               select id
                 from events
                where merchant_id = ${merchant_id} and livemode = ${livemode} and type = t.type
                  ${about}
                  ${earlier}
                order by id desc
                limit ${limit}) n
             order by n.id desc
             limit ${limit}) newest
     cross join lateral (
       select id, body
         from events
        where merchant_id = ${merchant_id} and livemode = ${livemode} and id = newest.id
        limit 1) e
     order by e.id desc`
}

/** One event of these kinds; null when it is not this caller's. */
export async function readEvent(
  db: Db,
  { merchant_id, livemode, id, types }: Tenant & { id: string; types: readonly EventType[] },
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
  last_response_status: number | null
  next_attempt_at: Date | null
}

/**
 * How these events fare, by event and endpoint. The last attempt is looked for since the delivery was made only, so that
 * older partitions of attempts are not opened; an hour is left for clocks that differ.
 */
export function readDeliveriesOf(
  db: Db,
  { merchant_id, livemode }: Tenant,
  eventIds: readonly string[],
): Promise<DeliveryRead[]> {
  return db<DeliveryRead[]>`
    select d.id, d.event_id, d.endpoint_id, d.status, d.attempts, a.status_code as last_response_status, d.next_attempt_at
      from unnest(${[...eventIds]}::text[]) as w(event_id)
     cross join lateral (
       select id, event_id, endpoint_id, status, attempts, next_attempt_at, created_at
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
