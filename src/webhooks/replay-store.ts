import type { Db, Statement, Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { EndpointKey } from './endpoints/endpoint.ts'
import type { DeliveryStatus } from './event.ts'
import { CHUNK } from './store.ts'

// Deliveries for the console, and the replay of one endpoint's deliveries.

/** A count stops at this number. */
export const COUNTED_MAX = 1_000

export type EndpointHealth = {
  endpoint_id: string
  /** Deliveries that wait for their first attempt, or for the first one of a replay, counted up to `COUNTED_MAX`. */
  sending: number
  /** Deliveries that wait for a retry, counted up to `COUNTED_MAX`. */
  retrying: number
  /** Deliveries that were given up. */
  failed: number
  /** Deliveries that wait until the endpoint is enabled. */
  held: number
  /** The next attempt of those that wait. */
  next_attempt_at: Date | null
  /** The time of the last rotation, while the old secret signs too. Otherwise null. */
  rotated_until: Date | null
}

/** Reads the state of a tenant's endpoints from the small indexes of undelivered deliveries. */
export function readEndpointHealth(db: Db, { merchant_id, livemode }: Tenant): Promise<EndpointHealth[]> {
  return db<EndpointHealth[]>`
    select e.id as endpoint_id, sending.count as sending, retrying.count as retrying, failed.count as failed, held.count as held,
           retrying.next_attempt_at,
           case when e.previous_secret_until > clock_now() then e.previous_secret_until end as rotated_until
      from endpoints e
     cross join lateral (
       select count(*)::integer
         from (select from deliveries
                where merchant_id = ${merchant_id} and livemode = ${livemode} and endpoint_id = e.id
                  and status = 'pending' and scheduled_attempts = 0
                limit ${COUNTED_MAX}) counted) sending
     cross join lateral (
       select count(*)::integer, min(next_attempt_at) as next_attempt_at
         from (select next_attempt_at
                 from deliveries
                where merchant_id = ${merchant_id} and livemode = ${livemode} and endpoint_id = e.id
                  and status = 'pending' and scheduled_attempts > 0
                limit ${COUNTED_MAX}) counted) retrying
     cross join lateral (
       select count(*)::integer
         from (select from deliveries
                where merchant_id = ${merchant_id} and livemode = ${livemode} and endpoint_id = e.id
                  and status = 'failed'
                limit ${COUNTED_MAX}) counted) failed
     cross join lateral (
       select count(*)::integer
         from (select from deliveries
                where merchant_id = ${merchant_id} and livemode = ${livemode} and endpoint_id = e.id
                  and status = 'held'
                limit ${COUNTED_MAX}) counted) held
     where e.merchant_id = ${merchant_id} and e.livemode = ${livemode}`
}

/** Starts a new schedule for up to a thousand deliveries of an endpoint that are not delivered, and returns their number. */
export function restartFailing(tx: Tx, endpoint: EndpointKey): Promise<number> {
  return restart(tx, endpoint, tx`and (status = 'failed' or (status = 'pending' and scheduled_attempts > 0))`)
}

/** Starts a new schedule for the deliveries of up to a thousand events to an endpoint, however they fared, and returns their number. */
export function restartOf(tx: Tx, endpoint: EndpointKey, eventIds: readonly string[]): Promise<number> {
  return restart(tx, endpoint, tx`and event_id = any(${[...eventIds]}::text[])`)
}

/** Their fencing token is raised, so that a late failure does not count. Locked in the order in which results are written. */
async function restart(
  tx: Tx,
  { merchant_id, livemode, endpoint_id }: EndpointKey,
  which: Statement<object[]>,
): Promise<number> {
  const rows = await tx`
    with chosen as materialized (
      select id
        from deliveries
       where merchant_id = ${merchant_id} and livemode = ${livemode} and endpoint_id = ${endpoint_id}
         ${which}
       order by merchant_id, livemode, id
       limit ${CHUNK}
         for no key update)
    update deliveries d
       set status = 'pending', next_attempt_at = (select clock_now()), scheduled_attempts = 0, fence = d.fence + 1,
           lease_until = null, finished_at = null
      from chosen c
     where d.merchant_id = ${merchant_id} and d.livemode = ${livemode} and d.id = c.id
    returning d.id`
  return rows.length
}

export type ShownDelivery = {
  id: string
  event_id: string
  event_type: string
  subject_id: string
  endpoint_id: string
  url: string
  status: DeliveryStatus
  attempts: number
  scheduled_attempts: number
  next_attempt_at: Date | null
  created_at: Date
  /** The first characters of the body that each attempt signs and sends, and the size of the whole in bytes. */
  body_start: string
  body_bytes: number
}

/** Reads one delivery with the start of its body, up to so many characters. Null when there is none. */
export async function readDelivery(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { id, characters }: { id: string; characters: number },
): Promise<ShownDelivery | null> {
  const [row] = await db<ShownDelivery[]>`
    select d.id, d.event_id, v.type as event_type, v.subject_id, d.endpoint_id, e.url, d.status, d.attempts,
           d.scheduled_attempts, d.next_attempt_at, d.created_at, left(v.body, ${characters}::integer) as body_start,
           octet_length(v.body) as body_bytes
      from deliveries d
      join events v on (v.merchant_id, v.livemode, v.id) = (d.merchant_id, d.livemode, d.event_id)
      join endpoints e on (e.merchant_id, e.livemode, e.id) = (d.merchant_id, d.livemode, d.endpoint_id)
     where d.id = ${id} and d.merchant_id = ${merchant_id} and d.livemode = ${livemode}`
  return row ?? null
}

export type ShownAttempt = {
  number: number
  attempted_at: Date
  status_code: number | null
  error: string | null
  duration_ms: number
  response_excerpt: string | null
}

/** Lists the attempts of a delivery that the log still has, oldest first. Allows for clocks that differ by an hour. */
export function readAttempts(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { id, created_at }: Pick<ShownDelivery, 'id' | 'created_at'>,
): Promise<ShownAttempt[]> {
  return db<ShownAttempt[]>`
    select number, attempted_at, status_code, error, duration_ms, response_excerpt
      from delivery_attempts
     where merchant_id = ${merchant_id} and livemode = ${livemode} and delivery_id = ${id}
       and attempted_at >= ${created_at}::timestamptz - interval '1 hour'
     order by number, attempted_at
     limit 100`
}
