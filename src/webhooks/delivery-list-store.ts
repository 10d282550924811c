import type { Db, Statement } from '../platform/postgres/database.ts'
import { findKeyById } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import { idsBetween } from '../values/ids.ts'
import type { DeliveryStatus } from './event.ts'
import type { EventType } from './event-types.ts'

// Deliveries as a merchant's people list them.

/** The states of a delivery for people: a pending one waits for the first attempt of its schedule (`sending`), or for a retry. */
export type DeliveryState = 'sending' | 'retrying' | 'failed' | 'held' | 'delivered'

/** The filters of a list of deliveries; null: any. A delivery must match all that are given. */
export type DeliveryFilters = {
  /** Event types. */
  readonly types: readonly EventType[]
  readonly endpoint_id: string | null
  readonly state: DeliveryState | null
  /** The event happened from this moment on, and before that one. */
  readonly created_from: Date | null
  readonly created_before: Date | null
}

/** A delivery in a list. `created_at`: the time of its event. */
export type DeliveryRow = {
  id: string
  event_id: string
  type: EventType
  subject_id: string
  endpoint_id: string
  status: DeliveryStatus
  attempts: number
  scheduled_attempts: number
  next_attempt_at: Date | null
  created_at: Date
  /** Null: no attempt was answered, or the log has none any more. */
  last_response_status: number | null
}

/** The place of a delivery in the list. */
export type DeliveryPlace = Pick<DeliveryRow, 'event_id' | 'endpoint_id'>

/** The conditions of the states, as the partial indexes of undelivered deliveries have them. */
const conditions = {
  sending: (db: Db) => db`and d.status = 'pending' and d.scheduled_attempts = 0`,
  retrying: (db: Db) => db`and d.status = 'pending' and d.scheduled_attempts > 0`,
  failed: (db: Db) => db`and d.status = 'failed'`,
  held: (db: Db) => db`and d.status = 'held'`,
  delivered: (db: Db) => db`and d.status = 'delivered'`,
} as const satisfies Record<DeliveryState, (db: Db) => Statement<object[]>>

/**
 * The deliveries that filters match, those of the newest event first. Undelivered ones are found in the small index of their endpoint. Otherwise
 * the events of each kind are read from the end of their index, because delivered ones are nearly all.
 *
 * The last attempt is looked for since the delivery was made only, so that older partitions of attempts are not opened; an hour is left for
 * clocks that differ.
 */
export function readDeliveriesPage(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { types, endpoint_id, state, ...moments }: DeliveryFilters,
  { limit, after }: { limit: number; after: DeliveryPlace | null },
): Promise<DeliveryRow[]> {
  const { created_from, created_before } = moments
  const { from, before } = idsBetween('evt', moments)
  const undelivered = state !== null && state !== 'delivered'
  const source = undelivered
    ? db`(select id from endpoints where merchant_id = ${merchant_id} and livemode = ${livemode}) as source`
    : db`unnest(${[...types]}::text[]) as source(type)`
  const ofSource = undelivered
    ? db`and d.endpoint_id = source.id and e.type = any(${[...types]}::text[])`
    : db`and e.type = source.type`
  return db<DeliveryRow[]>`
    select d.id, d.event_id, d.type, d.subject_id, d.endpoint_id, d.status, d.attempts, d.scheduled_attempts, d.next_attempt_at,
           d.created_at, a.status_code as last_response_status
      from (select found.id, found.event_id, found.type, found.subject_id, found.endpoint_id, found.status, found.attempts,
                   found.scheduled_attempts, found.next_attempt_at, found.created_at, found.made_at
              from ${source}
             cross join lateral (
               select d.id, d.event_id, e.type, e.subject_id, d.endpoint_id, d.status, d.attempts, d.scheduled_attempts,
                      d.next_attempt_at, e.created_at, d.created_at as made_at
                 from events e
                 join deliveries d
                   on d.event_id = e.id and d.merchant_id = ${merchant_id} and d.livemode = ${livemode}
                where e.merchant_id = ${merchant_id} and e.livemode = ${livemode}
                  ${ofSource}
                  and e.id >= ${from} and e.id < ${before}
                  and d.event_id >= ${from} and d.event_id < ${before}
                  ${after === null ? db`` : db`and e.id <= ${after.event_id}`}
                  ${after === null ? db`` : db`and (d.event_id, d.endpoint_id) < (${after.event_id}, ${after.endpoint_id})`}
                  ${state === null ? db`` : conditions[state](db)}
                  ${endpoint_id === null ? db`` : db`and d.endpoint_id = ${endpoint_id}`}
                  ${created_from === null ? db`` : db`and e.created_at >= ${created_from}`}
                  ${created_before === null ? db`` : db`and e.created_at < ${created_before}`}
                order by d.event_id desc, d.endpoint_id desc
                limit ${limit}) found
             order by found.event_id desc, found.endpoint_id desc
             limit ${limit}) d
      left join lateral (
       select status_code
         from delivery_attempts
        where merchant_id = ${merchant_id} and livemode = ${livemode} and delivery_id = d.id
          and attempted_at >= d.made_at - interval '1 hour'
        order by number desc, attempted_at desc
        limit 1) a on true
     order by d.event_id desc, d.endpoint_id desc`
}

/** Finds the merchant of a delivery by its identifier, for the staff. */
export const findDeliveryAnywhere = (db: Db, id: string): Promise<Tenant | null> =>
  findKeyById(db, 'deliveries', 'id', id)

/** Finds the merchant of an endpoint by its identifier, for the staff. */
export const findEndpointAnywhere = (db: Db, id: string): Promise<Tenant | null> =>
  findKeyById(db, 'endpoints', 'id', id)
