import type { Sql, Statement, Tx } from '../../platform/postgres/database.ts'
import { given, matching, sameRow } from '../../platform/postgres/rows.ts'
import type { EndpointKey } from '../endpoints/endpoint.ts'
import { FAILING_DAYS_MAX } from './retry-schedule.ts'

// The SQL of attempts: statements that run for every attempt, each for many attempts at once.

/** The log of attempts, with a partition for each day. */
export const attemptLog = 'delivery_attempts'

/** How long a process holds the deliveries that it claimed. An attempt takes ten seconds at most. */
export const LEASE_SECONDS = 30

/** A claimed delivery, with all that an attempt needs. */
export type TakenDelivery = EndpointKey & {
  readonly id: string
  readonly fence: number
  readonly attempts: number
  readonly scheduled_attempts: number
  readonly url: string
  readonly secret_sealed: Buffer
  /** Only while the previous secret still signs. */
  readonly previous_secret_sealed: Buffer | null
  readonly event_id: string
  readonly event_created_at: Date
  readonly body: string
}

export type Wanted = EndpointKey & { readonly slots: number }

/**
 * Claims up to `slots` due deliveries of each endpoint, oldest first, and returns them in the order of the endpoints. It skips
 * deliveries that another process is claiming or holds. A claim is a lease: when it ends, the delivery is due again.
 *
 * The lateral reads by the whole key are for the planner. With plain joins it derived that merchant and mode are equal everywhere, and
 * joined every event with every endpoint of the merchant first (1.2 s for 40 deliveries, now 2 ms).
 */
export async function takeDeliveries(sql: Sql, wanted: readonly Wanted[]): Promise<TakenDelivery[][]> {
  const numbered = wanted.map((one, at) => ({ ...one, at }))
  const rows = await sql<(TakenDelivery & { at: number; next_attempt_at: Date })[]>`
    with due as materialized (
      select w.at::integer as at, e.url, e.secret_sealed, e.previous_secret_sealed, d.merchant_id, d.livemode, d.id
        from ${given(sql, 'deliveries w', numbered, ['at', 'merchant_id', 'livemode', 'endpoint_id', 'slots'])}
       cross join lateral (
         select url, secret_sealed,
                case when previous_secret_until > clock_now() then previous_secret_sealed end as previous_secret_sealed
           from endpoints
          where ${sameRow(sql, 'endpoints', 'w', wanted, { id: 'endpoint_id' })} and status = 'enabled'
          limit 1) e
       cross join lateral (
         select merchant_id, livemode, id
           from deliveries
          where ${sameRow(sql, 'deliveries', 'w', wanted, 'endpoint_id')}
            and status = 'pending'
            and next_attempt_at <= clock_now()
            and (lease_until is null or lease_until < clock_now())
          order by next_attempt_at
          limit w.slots::integer
            for update skip locked) d),
    taken as (
      update deliveries d
         set fence = d.fence + 1, lease_until = clock_now() + make_interval(secs => ${LEASE_SECONDS})
        from due
       where ${sameRow(sql, 'd', 'due', wanted, 'id')}
      returning due.at, due.url, due.secret_sealed, due.previous_secret_sealed, d.merchant_id, d.livemode, d.id,
                d.endpoint_id, d.event_id, d.fence, d.attempts, d.scheduled_attempts, d.next_attempt_at)
    select t.at, t.url, t.secret_sealed, t.previous_secret_sealed, t.merchant_id, t.livemode, t.id, t.endpoint_id,
           t.event_id, t.fence, t.attempts, t.scheduled_attempts, t.next_attempt_at,
           v.created_at as event_created_at, v.body
      from taken t
     cross join lateral (
       select created_at, body
         from events
        where ${sameRow(sql, 'events', 't', wanted, { id: 'event_id' })}
        limit 1) v`
  const taken: (typeof rows)[number][][] = wanted.map(() => [])
  for (const row of rows) taken[row.at]!.push(row)
  for (const line of taken) line.sort((a, b) => a.next_attempt_at.getTime() - b.next_attempt_at.getTime())
  return taken
}

/** Releases claimed deliveries that were not tried. Locks them in one order, because a replay may lock the same rows. */
export async function giveBackDeliveries(sql: Sql, taken: readonly TakenDelivery[]): Promise<void> {
  await sql`
    with locked as materialized (
      select d.merchant_id, d.livemode, d.id
        from ${matching(sql, 'deliveries d', taken, ['id', 'fence'])}
       order by d.merchant_id, d.livemode, d.id
         for no key update of d)
    update deliveries d
       set lease_until = null
      from locked l
     where ${sameRow(sql, 'd', 'l', taken, 'id')}`
}

/** The result of one attempt. */
export type AttemptRow = EndpointKey & {
  readonly id: string
  readonly fence: number
  /** The number of the attempt among all of this delivery, from 1. */
  readonly number: number
  readonly scheduled_attempts: number
  readonly status: 'delivered' | 'pending' | 'failed'
  /** Seconds until the next attempt. Null when there is none. */
  readonly delay_seconds: number | null
  readonly status_code: number | null
  readonly error: string | null
  readonly duration_ms: number
  readonly response_excerpt: string | null
}

/**
 * Writes the results of many attempts and returns the endpoints that they disabled. Does not wait for the answer, so that a caller that
 * needs the endpoints later can send the statement together with the commit.
 */
export function recordAttempts(tx: Tx, attempts: readonly AttemptRow[]): Promise<EndpointKey[]> {
  insertAttempts(tx, attempts)
  const moved = moveDeliveries(tx, attempts)
  tx.send(moved)
  return moved
}

const attemptFields = [
  'merchant_id',
  'livemode',
  'id',
  'number',
  'status_code',
  'error',
  'duration_ms',
  'response_excerpt',
] as const
const resultFields = [
  'merchant_id',
  'livemode',
  'endpoint_id',
  'id',
  'fence',
  'scheduled_attempts',
  'status',
  'delay_seconds',
] as const

function insertAttempts(tx: Tx, attempts: readonly AttemptRow[]): void {
  tx.send(tx`
    insert into delivery_attempts (merchant_id, livemode, delivery_id, number, attempted_at, status_code, error, duration_ms,
                                   response_excerpt)
    select merchant_id, livemode, id, number, clock_now() - make_interval(secs => duration_ms / 1000.0), status_code,
           error, duration_ms, response_excerpt
      from ${given(tx, 'delivery_attempts a', attempts, attemptFields)}
        on conflict do nothing`)
}

/**
 * A failure changes its delivery only while the fencing token of the claim is current: another process may have claimed it since. A
 * success always counts, because the merchant has the event. The failure state of an endpoint is written only when it changes, so that
 * an endpoint that answers costs no write. Deliveries and endpoints are locked in one order, because several processes, and replays,
 * write to the same rows.
 */
function moveDeliveries(tx: Tx, attempts: readonly AttemptRow[]): Statement<EndpointKey[]> {
  return tx<EndpointKey[]>`
    with attempt as materialized (
      select merchant_id, livemode, endpoint_id, id, fence, scheduled_attempts, status, clock_now() as ended_at,
             clock_now() + make_interval(secs => delay_seconds::double precision) as again_at
        from ${given(tx, 'deliveries a', attempts, resultFields)}),
    locked as materialized (
      select a.merchant_id, a.livemode, a.id, a.fence, a.scheduled_attempts, a.status, a.ended_at, a.again_at
        from attempt a
        join deliveries d on ${sameRow(tx, 'd', 'a', attempts, 'id')}
       order by d.merchant_id, d.livemode, d.id
         for no key update of d),
    moved as (
      update deliveries d
         set status = case when d.status = 'held' and a.status = 'pending' then 'held' else a.status end,
             attempts = d.attempts + 1,
             scheduled_attempts = a.scheduled_attempts,
             next_attempt_at = case when d.status = 'pending' then a.again_at end,
             lease_until = null,
             finished_at = case when a.status <> 'pending' then a.ended_at end
        from locked a
       where ${sameRow(tx, 'd', 'a', attempts, 'id')}
         and ((d.fence = a.fence and d.status in ('pending', 'held')) or (a.status = 'delivered' and d.status <> 'delivered'))),
    seen as (
      select merchant_id, livemode, endpoint_id, bool_or(status = 'delivered') as answered, min(ended_at) as ended_at
        from attempt
       group by merchant_id, livemode, endpoint_id),
    changed as materialized (
      select e.merchant_id, e.livemode, e.id, s.answered, s.ended_at,
             e.status = 'enabled' and not s.answered
               and e.failing_since <= clock_now() - make_interval(days => ${FAILING_DAYS_MAX}) as given_up
        from endpoints e
        join seen s on ${sameRow(tx, 'e', 's', attempts, { id: 'endpoint_id' })}
       where case when s.answered then e.failing_since is not null
                  else e.failing_since is null
                       or (e.status = 'enabled'
                           and e.failing_since <= clock_now() - make_interval(days => ${FAILING_DAYS_MAX})) end
       order by e.merchant_id, e.livemode, e.id
         for no key update of e),
    noted as (
      update endpoints e
         set failing_since = case when c.answered then null else coalesce(e.failing_since, c.ended_at) end,
             status = case when c.given_up then 'disabled' else e.status end,
             disabled_at = case when c.given_up then c.ended_at else e.disabled_at end
        from changed c
       where ${sameRow(tx, 'e', 'c', attempts, 'id')}
      returning e.merchant_id, e.livemode, e.id, c.given_up)
    select merchant_id, livemode, id as endpoint_id from noted where given_up`
}
