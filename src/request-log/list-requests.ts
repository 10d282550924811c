import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type LoggedRequest, readRequestsPage } from './store.ts'

/** The class of an answer's status: `4xx` was refused, `5xx` is a fault of ours. */
export type StatusClass = '2xx' | '4xx' | '5xx'

export type RequestsWanted = {
  readonly status: StatusClass | null
  /** A method and the pattern of a route, such as `POST /v1-payments`; null: any. */
  readonly operation: { readonly method: string; readonly path: string } | null
  readonly key_id: string | null
  /** The last call of the page before, as `nameOf` wrote it. */
  readonly after: string | null
  readonly limit: number
}

/** A place in the list: the time in milliseconds and the id, so that calls of one moment keep their order. */
export function placeOf({ requested_at, request_id }: LoggedRequest): string {
  return `${requested_at.getTime()}_${request_id}`
}

/**
 * Calls of a merchant, the newest first. A rare filter reads more of the log than it shows, so at most `SCANNED_MAX` calls are looked
 * through for a page; `after` goes on from there.
 */
export async function listRequests(
  db: Db,
  tenant: Tenant,
  wanted: RequestsWanted,
): Promise<{ requests: LoggedRequest[]; after: string | null }> {
  const place = /^(\d{1,15})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(wanted.after ?? '')
  const before = place === null ? null : { at: new Date(Number(place[1])), request_id: place[2]! }
  const filtered = wanted.status !== null || wanted.operation !== null || wanted.key_id !== null
  const scan = filtered ? SCANNED_MAX : wanted.limit + 1
  const { rows, scanned_to } = await readRequestsPage(db, tenant, { ...wanted, before, scan })
  const requests = rows.slice(0, wanted.limit)
  const last = requests.at(-1)
  if (rows.length > wanted.limit && last !== undefined) return { requests, after: placeOf(last) }
  return { requests, after: scanned_to === null ? null : placeOf(scanned_to) }
}

/** Calls that are looked through for one page at most. */
const SCANNED_MAX = 20_000
