import type { Db, Sql } from '../platform/postgres/database.ts'
import { given, insertRows } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'

/** A call as its merchant reads it in the console. */
export type LoggedRequest = Tenant & {
  readonly request_id: string
  readonly key_id: string
  readonly method: string
  /** The pattern of the route: a query or a body never comes here. */
  readonly path: string
  readonly status: number
  readonly error_code: string | null
  readonly address: string
  readonly duration_ms: number
  readonly requested_at: Date
}

/** The log of the calls, a partition for each day. */
export const requestLog = 'request_log'

/**
 * All rows or none.
 * @param again for a second try: a row that is there already was written by the first, whose answer was lost. Only then,
 *   because looking for such rows costs a third of the statement.
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

/** Days that a request log has, the newest first, as the names of their partitions end. */
export async function readLogDays(db: Db): Promise<string[]> {
  const rows = await db<{ day: string }[]>`
    select right(inhrelid::regclass::text, 8) as day
      from pg_inherits
     where inhparent = 'request_log'::regclass and right(inhrelid::regclass::text, 8) ~ '^\\d{8}$'
     order by day desc`
  return rows.map(({ day }) => day)
}

/**
 * A call of one day, by the id that its answer carried. Without its merchant the whole index of that day is read, so days are asked one
 * after the other. Null when that day has none.
 */
export async function readRequestOf(
  db: Db,
  { request_id, day, tenant }: { request_id: string; day: string; tenant: Tenant | null },
): Promise<LoggedRequest | null> {
  const ofTenant =
    tenant === null ? db`` : db`and merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}`
  const [row] = await db<LoggedRequest[]>`
    select merchant_id, livemode, request_id, key_id, method, path, status, error_code, host(address) as address,
           duration_ms, requested_at
      from request_log
     where requested_at >= ${day}::date::timestamp at time zone 'UTC'
       and requested_at < (${day}::date + 1)::timestamp at time zone 'UTC'
       and request_id = ${request_id} ${ofTenant}
     limit 1`
  return row ?? null
}
