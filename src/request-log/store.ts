import type { Db, Sql } from '../platform/postgres/database.ts'
import { given, insertRows } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'

/** A call as its merchant reads it in the console. */
export type LoggedRequest = Tenant & {
  readonly request_id: string
  readonly key_id: string
  readonly method: string
  /** The route's pattern. Queries and bodies are never stored. */
  readonly path: string
  readonly status: number
  readonly error_code: string | null
  /** The resource that a POST made or moved. Null: none. */
  readonly subject_id: string | null
  readonly address: string
  readonly duration_ms: number
  readonly requested_at: Date
}

/** The table of calls, with a partition for each day. */
export const requestLog = 'request_log'

/**
 * Writes all calls or none.
 * @param again true for a second attempt: it skips rows that the first attempt committed although its answer was lost. Not for the first
 *   attempt, because this check costs a third of the statement.
 */
export async function insertRequests(
  db: Sql,
  requests: readonly LoggedRequest[],
  { again = false }: { again?: boolean } = {},
): Promise<void> {
  if (!again) {
    await db.begin((tx) => insertRows(tx, requestLog, requests))
    return
  }
  const fields = Object.keys(requests[0]!) as (keyof LoggedRequest)[]
  await db`
    insert into request_log (${db(fields)})
    select ${db(fields)}
      from ${given(db, 'request_log r', requests, fields)}
    on conflict do nothing`
}

/** Lists the days of the request log, newest first, as `YYYYMMDD`, the end of their partitions' names. */
export async function readLogDays(db: Db): Promise<string[]> {
  const rows = await db<{ day: string }[]>`
    select right(inhrelid::regclass::text, 8) as day
      from pg_inherits
     where inhparent = 'request_log'::regclass and right(inhrelid::regclass::text, 8) ~ '^\\d{8}$'
     order by day desc`
  return rows.map(({ day }) => day)
}

/**
 * Finds a call of one day by the id of its answer. Without the merchant it reads the whole index of the day, so the caller asks day by day.
 * Null when the day has none.
 */
export async function readRequestOf(
  db: Db,
  { request_id, day, tenant }: { request_id: string; day: string; tenant: Tenant | null },
): Promise<LoggedRequest | null> {
  const ofTenant =
    tenant === null ? db`` : db`and merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}`
  const [row] = await db<LoggedRequest[]>`
    select merchant_id, livemode, request_id, key_id, method, path, status, error_code, subject_id, host(address) as address,
           duration_ms, requested_at
      from request_log
     where requested_at >= ${day}::date::timestamp at time zone 'UTC'
       and requested_at < (${day}::date + 1)::timestamp at time zone 'UTC'
       and request_id = ${request_id} ${ofTenant}
     limit 1`
  return row ?? null
}

/** Seconds before and after the creation of a resource in which its call may have arrived, because clocks of machines differ. */
const CALL_BEFORE_SECONDS = 30
const CALL_AFTER_SECONDS = 2

/**
 * Finds the call that made a resource: the first one around its creation that answered with it. Null when the log no longer has it, or no
 * call made it. The query uses the primary key, so that calls do not pay for another index.
 */
export async function readCallThatMade(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { subject_id, made_at }: { subject_id: string; made_at: Date },
): Promise<LoggedRequest | null> {
  const [row] = await db<LoggedRequest[]>`
    select merchant_id, livemode, request_id, key_id, method, path, status, error_code, subject_id, host(address) as address,
           duration_ms, requested_at
      from request_log
     where merchant_id = ${merchant_id} and livemode = ${livemode}
       and requested_at between ${made_at}::timestamptz - make_interval(secs => ${CALL_BEFORE_SECONDS})
                            and ${made_at}::timestamptz + make_interval(secs => ${CALL_AFTER_SECONDS})
       and subject_id = ${subject_id}
     order by requested_at, request_id
     limit 1`
  return row ?? null
}

type PageOfRequests = {
  status: '2xx' | '4xx' | '5xx' | null
  operation: { method: string; path: string } | null
  key_id: string | null
  before: { at: Date; request_id: string } | null
  limit: number
  /** The most calls to read. */
  scan: number
}

/**
 * Lists a merchant's calls that match, newest first, one more than the limit. `scanned_to` is the oldest call that was read, if `scan` ended
 * the query before the log did. The query reads the primary key backwards from the start of the page.
 */
export async function readRequestsPage(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { status, operation, key_id, before, limit, scan }: PageOfRequests,
): Promise<{ rows: LoggedRequest[]; scanned_to: LoggedRequest | null }> {
  const earlier =
    before === null ? db`` : db`and (requested_at, request_id) < (${before.at}, ${before.request_id}::uuid)`
  const inClass = status === null ? db`` : db`and status / 100 = ${Number(status[0])}`
  const ofOperation = operation === null ? db`` : db`and method = ${operation.method} and path = ${operation.path}`
  const ofKey = key_id === null ? db`` : db`and key_id = ${key_id}`
  const rows = await db<(LoggedRequest & { fits: boolean })[]>`
    with looked as materialized (
      select request_id, key_id, method, path, status, error_code, subject_id, address, duration_ms, requested_at
        from request_log
       where merchant_id = ${merchant_id} and livemode = ${livemode} ${earlier}
       order by requested_at desc, request_id desc
       limit ${scan})
    select merchant_id, livemode, request_id, key_id, method, path, status, error_code, subject_id, address, duration_ms,
           requested_at, fits
      from (select ${merchant_id}::bigint as merchant_id, ${livemode}::boolean as livemode, request_id, key_id, method, path,
                   status, error_code, subject_id, host(address) as address, duration_ms, requested_at, true as fits
              from looked
             where true ${inClass} ${ofOperation} ${ofKey}
             order by requested_at desc, request_id desc
             limit ${limit + 1}) found
    union all
    select ${merchant_id}::bigint, ${livemode}::boolean, request_id, key_id, method, path, status, error_code, subject_id,
           host(address), duration_ms, requested_at, false
      from (select request_id, key_id, method, path, status, error_code, subject_id, address, duration_ms, requested_at,
                   count(*) over () as seen, row_number() over (order by requested_at, request_id) as place
              from looked) ended
     where seen = ${scan} and place = 1`
  const found = rows.filter(({ fits }) => fits).map(({ fits: _, ...row }) => row)
  found.sort((a, b) => b.requested_at.getTime() - a.requested_at.getTime() || (a.request_id < b.request_id ? 1 : -1))
  return { rows: found, scanned_to: rows.find(({ fits }) => !fits) ?? null }
}
