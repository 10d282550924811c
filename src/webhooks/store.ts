import type { Db, Sql, Statement, Tx } from '../platform/postgres/database.ts'
import { insertRows, matching, sameRow } from '../platform/postgres/rows.ts'
import { secondsSince } from '../platform/postgres/seconds-since.ts'
import type { Tenant } from '../values/caller.ts'
import { type Page, type PageWanted, pageOf } from '../values/page.ts'
import { type EndpointKey, PREVIOUS_SECRET_HOURS } from './endpoints/endpoint.ts'
import type { EndpointStatus } from './endpoints/states.ts'

/** The most deliveries that one statement holds or releases. */
export const CHUNK = 1_000
/** The most endpoints for which one sweep enqueues jobs. */
const ENDPOINTS_PER_SWEEP = 1_000

export type EndpointRow = EndpointKey & { url: string; event_types: string[]; secret_sealed: Buffer }

export async function insertEndpoint(db: Db, endpoint: EndpointRow): Promise<void> {
  const { merchant_id, livemode, endpoint_id, url, event_types, secret_sealed } = endpoint
  await db`
    insert into endpoints (merchant_id, livemode, id, url, event_types, secret_sealed)
    values (${merchant_id}, ${livemode}, ${endpoint_id}, ${url}, ${event_types}::text[], ${secret_sealed})`
}

/** Counts the endpoints of a merchant in one mode. Two that are created at once may exceed the limit by one, which does no harm. */
export async function countEndpoints(db: Db, { merchant_id, livemode }: Tenant): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count from endpoints where merchant_id = ${merchant_id} and livemode = ${livemode}`
  return row!.count
}

/** Replaces the secret and keeps the current one as the previous. */
export async function replaceSecret(
  tx: Tx,
  { merchant_id, livemode, endpoint_id }: EndpointKey,
  secretSealed: Buffer,
): Promise<void> {
  await tx`
    update endpoints
       set previous_secret_sealed = secret_sealed,
           previous_secret_until = clock_now() + make_interval(hours => ${PREVIOUS_SECRET_HOURS}),
           secret_sealed = ${secretSealed}
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${endpoint_id}`
}

/** Locks an endpoint for the rest of the transaction. Null when there is none. */
export async function lockEndpoint(
  tx: Tx,
  { merchant_id, livemode, endpoint_id }: EndpointKey,
): Promise<{ url: string; status: EndpointStatus } | null> {
  const [row] = await tx<{ url: string; status: EndpointStatus }[]>`
    select url, status
      from endpoints
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${endpoint_id}
       for no key update`
  return row ?? null
}

/** Enables an endpoint. Also clears its failure state, or the next failure would disable it at once. */
export async function enableEndpoint(tx: Tx, { merchant_id, livemode, endpoint_id }: EndpointKey): Promise<void> {
  await tx`
    update endpoints
       set status = 'enabled', disabled_at = null, failing_since = null
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${endpoint_id}`
}

/** Disables an endpoint. Keeps the first `disabled_at` of one that is disabled already. */
export async function disableEndpoint(tx: Tx, { merchant_id, livemode, endpoint_id }: EndpointKey): Promise<void> {
  await tx`
    update endpoints
       set status = 'disabled', disabled_at = coalesce(disabled_at, (select clock_now()))
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${endpoint_id}`
}

export type EndpointOfTenant = EndpointKey & { status: EndpointStatus; event_types: string[] }

/** Reads an endpoint of any merchant, for staff. Null when there is none. */
export async function findEndpoint(db: Db, endpoint_id: string): Promise<EndpointOfTenant | null> {
  const [row] = await db<EndpointOfTenant[]>`
    select merchant_id, livemode, id as endpoint_id, status, event_types
      from endpoints
     where id = ${endpoint_id}`
  return row ?? null
}

/** Lists all endpoints of the tenants. Disabled ones too, because events are held for them. */
export function readEndpointsOf(tx: Tx, tenants: readonly Tenant[]): Promise<EndpointOfTenant[]> {
  return tx<EndpointOfTenant[]>`
    select e.merchant_id, e.livemode, e.id as endpoint_id, e.status, e.event_types
      from ${matching(tx, 'endpoints e', tenants)}`
}

export type EventRow = Tenant & { id: string; type: string; subject_id: string; body: string; created_at: string }
export type DeliveryRow = EndpointKey & { id: string; event_id: string; status: 'pending' | 'held' }

/**
 * Inserts deliveries, without waiting for the answer. A delivery is due from the start of this transaction by the database's clock, which
 * is the column's default. A time of this process could be a moment after the job that looks for the delivery.
 */
export function insertEvents(tx: Tx, events: readonly EventRow[], deliveries: readonly DeliveryRow[]): void {
  const due = deliveries.filter(({ status }) => status === 'pending')
  const held = deliveries
    .filter(({ status }) => status === 'held')
    .map((delivery) => ({ ...delivery, next_attempt_at: null }))
  insertRows(tx, 'events', events)
  insertRows(tx, 'deliveries', due)
  insertRows(tx, 'deliveries', held)
}

/** Holds the waiting deliveries of a disabled endpoint, or with null of all disabled ones: up to 100 000, in short statements. */
export async function holdDeliveries(sql: Sql, endpoint: EndpointKey | null): Promise<number> {
  let held = 0
  for (let round = 0; round < 100; round += 1) {
    const some = await holdSomeDeliveries(sql, endpoint)
    held += some
    if (some < CHUNK) break
  }
  return held
}

/** Holds up to a thousand of them. An attempt in progress is not interrupted, and its result is written. */
export async function holdSomeDeliveries(db: Db, endpoint: EndpointKey | null): Promise<number> {
  const rows = await db`
    with chosen as materialized (${chooseDeliveries(db, endpoint, db`e.status = 'disabled'`, db`status = 'pending'`)})
    update deliveries d
       set status = 'held', next_attempt_at = null
      from chosen
     where ${sameRow(db, 'd', 'chosen', listOf(endpoint), 'id')}
    returning d.id`
  return rows.length
}

/** Releases up to a thousand held deliveries of an enabled endpoint, or with null of any. Returns their endpoints. */
export function releaseDeliveries(tx: Tx, endpoint: EndpointKey | null): Promise<EndpointKey[]> {
  return tx<EndpointKey[]>`
    with chosen as materialized (${chooseDeliveries(tx, endpoint, tx`e.status = 'enabled'`, tx`status = 'held'`)}),
    freed as (
      update deliveries d
         set status = 'pending', scheduled_attempts = 0, next_attempt_at = clock_now()
        from chosen
       where ${sameRow(tx, 'd', 'chosen', listOf(endpoint), 'id')}
      returning d.merchant_id, d.livemode, d.endpoint_id)
    select distinct merchant_id, livemode, endpoint_id from freed`
}

/** Locks up to a thousand deliveries in a state, of endpoints `e` in a state. Skips those that another transaction has locked. */
function chooseDeliveries(
  db: Db,
  endpoint: EndpointKey | null,
  ofEndpoints: Statement<object[]>,
  inState: Statement<object[]>,
): Statement<object[]> {
  return db`
    select w.merchant_id, w.livemode, w.id
      from endpoints e
     cross join lateral (
       select merchant_id, livemode, id
         from deliveries
        where ${sameRow(db, 'deliveries', 'e', listOf(endpoint), { endpoint_id: 'id' })} and ${inState}
        limit ${CHUNK}
          for update skip locked) w
     where ${ofEndpoints}
       ${ofEndpoint(db, endpoint)}
     limit ${CHUNK}`
}

/** Lists disabled endpoints with waiting deliveries, without the given ones. */
export function readEndpointsToHold(db: Db, without: readonly string[]): Promise<EndpointKey[]> {
  return readEndpointsWith(db, db`e.status = 'disabled'`, db`d.status = 'pending'`, without)
}

/** Lists enabled endpoints with held deliveries, without the given ones. */
export function readEndpointsHeld(db: Db, without: readonly string[]): Promise<EndpointKey[]> {
  return readEndpointsWith(db, db`e.status = 'enabled'`, db`d.status = 'held'`, without)
}

/** The two states are part of the statement's text: as parameters they would keep the planner from using the partial indexes. */
function readEndpointsWith(
  db: Db,
  endpointIs: Statement<object[]>,
  deliveryIs: Statement<object[]>,
  without: readonly string[],
) {
  return db<EndpointKey[]>`
    select e.merchant_id, e.livemode, e.id as endpoint_id
      from endpoints e
     where ${endpointIs} and e.id <> all(${without})
       and exists (
         select from deliveries d
          where d.merchant_id = e.merchant_id and d.livemode = e.livemode and d.endpoint_id = e.id
            and ${deliveryIs})
     limit ${ENDPOINTS_PER_SWEEP}`
}

function listOf(endpoint: EndpointKey | null): EndpointKey[] {
  return endpoint === null ? [] : [endpoint]
}

function ofEndpoint(db: Db, endpoint: EndpointKey | null) {
  if (endpoint === null) return db``
  const { merchant_id, livemode, endpoint_id } = endpoint
  return db`and e.merchant_id = ${merchant_id} and e.livemode = ${livemode} and e.id = ${endpoint_id}`
}

/**
 * Lists enabled endpoints with a due delivery that no process has claimed. One index lookup for each endpoint, in random order, so that a
 * thousand slow endpoints never hide the others.
 */
export function readEndpointsDue(tx: Tx): Promise<EndpointKey[]> {
  return tx<EndpointKey[]>`
    select e.merchant_id, e.livemode, e.id as endpoint_id
      from endpoints e
     where e.status = 'enabled'
       and exists (
         select from deliveries d
          where d.merchant_id = e.merchant_id and d.livemode = e.livemode and d.endpoint_id = e.id
            and d.status = 'pending'
            and d.next_attempt_at <= clock_now()
            and (d.lease_until is null or d.lease_until < clock_now()))
     order by random()
     limit ${ENDPOINTS_PER_SWEEP}`
}

/** Reads the deliveries of an event with the statuses that `restartDeliveries` gives them. */
export function readRestarted(
  db: Db,
  { merchant_id, livemode, event_id }: Tenant & { event_id: string },
): Promise<{ id: string; status: 'pending' | 'held' }[]> {
  return db<{ id: string; status: 'pending' | 'held' }[]>`
    select d.id, case when e.status = 'enabled' then 'pending' else 'held' end as status
      from deliveries d
      join endpoints e on e.merchant_id = d.merchant_id and e.livemode = d.livemode and e.id = d.endpoint_id
     where d.merchant_id = ${merchant_id} and d.livemode = ${livemode} and d.event_id = ${event_id}
     order by d.id`
}

/**
 * Starts a new schedule for the deliveries of an event, however the last one ended. The fencing token is raised, so that the result of
 * an attempt in progress counts only if it succeeds. Deliveries of a disabled endpoint are held. Locked in one order, because results
 * of many deliveries are written at the same time.
 */
export function restartDeliveries(
  tx: Tx,
  event: Tenant & { event_id: string },
): Promise<(EndpointKey & { id: string; status: string })[]> {
  return tx<(EndpointKey & { id: string; status: string })[]>`
    with locked as materialized (
      select d.merchant_id, d.livemode, d.id, d.endpoint_id
        from deliveries d
       where d.merchant_id = ${event.merchant_id} and d.livemode = ${event.livemode} and d.event_id = ${event.event_id}
       order by d.merchant_id, d.livemode, d.id
         for no key update of d)
    update deliveries d
       set status = case when e.status = 'enabled' then 'pending' else 'held' end,
           next_attempt_at = case when e.status = 'enabled' then (select clock_now()) end,
           scheduled_attempts = 0,
           fence = d.fence + 1,
           lease_until = null,
           finished_at = null
      from locked l
      join endpoints e on ${sameRow(tx, 'e', 'l', [event], { id: 'endpoint_id' })}
     where ${sameRow(tx, 'd', 'l', [event], 'id')}
    returning d.merchant_id, d.livemode, d.endpoint_id, d.id, d.status`
}

/** An endpoint in lists, without its secret. */
export type ListedEndpoint = EndpointKey & {
  url: string
  event_types: string[]
  status: EndpointStatus
  failing_since: Date | null
  disabled_at: Date | null
  created_at: Date
}

/** Lists endpoints, newest first. */
export async function readEndpointsPage(
  db: Db,
  { tenant, status, limit, after }: { tenant: Tenant | null; status: EndpointStatus | null } & PageWanted,
): Promise<Page<ListedEndpoint>> {
  const ofTenant =
    tenant === null ? db`` : db`and merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}`
  const inState = status === null ? db`` : db`and status = ${status}`
  const rows = await db<ListedEndpoint[]>`
    select merchant_id, livemode, id as endpoint_id, url, event_types, status, failing_since, disabled_at, created_at
      from endpoints
     where id < ${after ?? 'whe_z'} ${ofTenant} ${inState}
     order by id desc
     limit ${limit + 1}`
  return pageOf(rows, limit, ({ endpoint_id }) => endpoint_id)
}

/** A count of one endpoint's deliveries stops at this number. */
const COUNTED_MAX = 1_000

/** An endpoint that does not answer or is disabled, and the number of its held or retried events. */
export type TroubledEndpoint = Pick<
  ListedEndpoint,
  'endpoint_id' | 'url' | 'status' | 'failing_since' | 'disabled_at'
> & {
  /** A thousand at most. */
  waiting: number
}

/** Lists the endpoints of a merchant that need a person. */
export async function readTroubledEndpoints(db: Db, { merchant_id, livemode }: Tenant): Promise<TroubledEndpoint[]> {
  return db<TroubledEndpoint[]>`
    select e.id as endpoint_id, e.url, e.status, e.failing_since, e.disabled_at, w.waiting
      from endpoints e
     cross join lateral (
           select count(*)::integer as waiting
             from (select
                     from deliveries d
                    where d.merchant_id = ${merchant_id} and d.livemode = ${livemode} and d.endpoint_id = e.id
                      and d.status = case when e.status = 'disabled' then 'held' else 'pending' end
                    limit ${COUNTED_MAX}) counted) w
     where e.merchant_id = ${merchant_id} and e.livemode = ${livemode}
       and (e.failing_since is not null or (e.status = 'disabled' and w.waiting > 0))
     order by e.id`
}

/** Seconds for which the oldest delivery has been due. 0 when none is due. */
export async function readDeliveryLag(db: Db): Promise<number> {
  return secondsSince(db, db`select min(next_attempt_at) from deliveries where status = 'pending'`)
}
