import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type LoggedRequest, readRequestsPage } from './store.ts'

/** The class of an answer's status: `4xx` is a refusal, `5xx` is our fault. */
export type StatusClass = '2xx' | '4xx' | '5xx'

/** The filters of the log. A call must match all that are given. */
export type RequestFilters = {
  readonly status: StatusClass | null
  /** A method and a route's pattern, such as `POST /v1-payments`. Null: any. */
  readonly operation: { readonly method: string; readonly path: string } | null
  readonly key_id: string | null
}

export type RequestsWanted = RequestFilters & {
  /** The last call of the previous page, in the form of `placeOf`. Null: from the newest. */
  readonly after: string | null
  readonly limit: number
}

/** Returns a call's place in the list: its time in milliseconds and its id, so that calls of one moment have a fixed order. */
export function placeOf({ requested_at, request_id }: LoggedRequest): string {
  return `${requested_at.getTime()}_${request_id}`
}

/** The pattern of a place in the list, as `placeOf` writes it. */
export const PLACE_PATTERN = '^([0-9]{1,15})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$'
const PLACE = new RegExp(PLACE_PATTERN)

/** Whether a text is a place in the list. */
export function isPlace(text: string): boolean {
  return PLACE.test(text)
}

/**
 * Lists calls of a merchant, newest first. A filter may match few calls, so a page reads at most `SCANNED_MAX` of them. `after` then
 * continues from the last one that was read.
 */
export async function listRequests(
  db: Db,
  tenant: Tenant,
  wanted: RequestsWanted,
): Promise<{ requests: LoggedRequest[]; after: string | null }> {
  const place = PLACE.exec(wanted.after ?? '')
  const before = place === null ? null : { at: new Date(Number(place[1])), request_id: place[2]! }
  const filtered = wanted.status !== null || wanted.operation !== null || wanted.key_id !== null
  const scan = filtered ? SCANNED_MAX : wanted.limit + 1
  const { rows, scanned_to } = await readRequestsPage(db, tenant, { ...wanted, before, scan })
  const requests = rows.slice(0, wanted.limit)
  const last = requests.at(-1)
  if (rows.length > wanted.limit && last !== undefined) return { requests, after: placeOf(last) }
  return { requests, after: scanned_to === null ? null : placeOf(scanned_to) }
}

/** The most calls that one page reads. */
const SCANNED_MAX = 20_000
