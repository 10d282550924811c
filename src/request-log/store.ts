import { type Db, records } from '../platform/postgres/database.ts'
import type { Tenant } from '../words/caller.ts'

/** A call as its merchant reads it in the console. */
export type LoggedRequest = Tenant & {
  readonly request_id: string
  readonly key_id: string
  readonly method: string
  /** The route, without what was asked of it: a query or a body never comes here. */
  readonly path: string
  readonly status: number
  readonly error_code: string | null
  readonly address: string
  readonly duration_ms: number
  readonly requested_at: Date
}

const columns = {
  merchant_id: 'bigint',
  livemode: 'boolean',
  request_id: 'uuid',
  key_id: 'text',
  method: 'text',
  path: 'text',
  status: 'smallint',
  error_code: 'text',
  address: 'inet',
  duration_ms: 'integer',
  requested_at: 'timestamptz',
} as const

/**
 * All rows or none.
 * @param again for a second try: a row that is there already was written by the first, whose answer was lost. Only then,
 *   because looking for such rows costs a third of the statement.
 */
export async function insertRequests(
  db: Db,
  requests: readonly LoggedRequest[],
  { again = false }: { again?: boolean } = {},
): Promise<void> {
  if (!again) {
    await db.copy('request_log', columns, requests)
    return
  }
  await db`
    insert into request_log (merchant_id, livemode, request_id, key_id, method, path, status, error_code, address,
                             duration_ms, requested_at)
    select merchant_id, livemode, request_id, key_id, method, path, status, error_code, address,
           duration_ms, requested_at
      from json_to_recordset(${records(db, requests)})
           as r (merchant_id bigint, livemode boolean, request_id uuid, key_id text, method text, path text,
                 status smallint, error_code text, address inet, duration_ms integer, requested_at timestamptz)
    on conflict do nothing`
}
