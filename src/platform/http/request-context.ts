import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Caller } from '../../values/caller.ts'
import type { ErrorCode } from '../../values/error-codes.ts'
import type { Clock } from '../clock.ts'
import type { BoundedRequest } from './bounded-request.ts'
import type { Route } from './route.ts'

/** One request in progress. */
export type RequestContext = {
  readonly request_id: string
  readonly request: BoundedRequest
  readonly response: ServerResponse
  /** The client's address, seen through the trusted proxies. */
  readonly address: string
  readonly requested_at: Date
  /** Milliseconds on the monotonic clock of this process. */
  readonly beganAt: number
  /** The time since which the client waits for our work, on the same clock. No deadline runs while `readingBody` or `inLine`. */
  waitingSince: number
  readingBody: boolean
  /** Whether the request waits for its merchant's turn, which has its own limit. */
  inLine: boolean
  route: Route | null
  caller: Caller | null
  /** Its entry in the list of idempotency keys in progress. Null: none. */
  keyHeld: string | null
  /** The signed-in person whose file this is. Its body may take longer than others. Null: no such body. */
  uploader: string | null
  answered: boolean
  /** Whether the connection closes after the answer, because we cannot or do not want to read the rest. */
  last: boolean
  /** Its index in the list of requests in flight. */
  place: number
}

/** One line of the request log. */
export type AnsweredRequest = {
  readonly request_id: string
  readonly caller: Caller | null
  readonly method: string
  /** The route's pattern, or the address asked for without its query where no route was found. */
  readonly path: string
  readonly status: number
  readonly error_code: ErrorCode | null
  /** The resource that a POST created or moved. Null when there is none. */
  readonly subject_id: string | null
  readonly address: string
  readonly duration_ms: number
  readonly requested_at: Date
}

/**
 * The context of a new request.
 * @param address the client's address, seen through the trusted proxies
 */
export function beginContext(
  request: BoundedRequest,
  response: ServerResponse,
  address: string,
  clock: Clock,
): RequestContext {
  const now = performance.now()
  return {
    request_id: randomUUID(),
    request,
    response,
    address,
    requested_at: clock.now(),
    beganAt: now,
    waitingSince: now,
    readingBody: false,
    inLine: false,
    route: null,
    caller: null,
    keyHeld: null,
    uploader: null,
    answered: false,
    last: false,
    place: -1,
  }
}

/**
 * The line of the request log for an answered request.
 * @param body the body of the answer
 */
export function lineOf(
  context: RequestContext,
  { status, error_code, body }: { status: number; error_code: ErrorCode | null; body: string | Buffer },
): AnsweredRequest {
  return {
    request_id: context.request_id,
    caller: context.caller,
    method: context.request.method!,
    path: pathToLog(context),
    status,
    error_code,
    subject_id: context.request.method === 'POST' && status < 300 ? subjectOf(body) : null,
    address: context.address,
    duration_ms: Math.round(performance.now() - context.beganAt),
    requested_at: context.requested_at,
  }
}

/** Characters before the id and its length, in the body of a resource: `{"id":"txn_` and 26 more. */
const ID_AT = 7
const ID_ENDS = /^[a-z]{2,3}_[0-9a-z]{26}"/

/**
 * The id at the beginning of a body, where every resource of the interface has it. Returns a copy, because a slice keeps
 * the whole string in memory as long as the log keeps the id.
 */
function subjectOf(body: string | Buffer): string | null {
  if (typeof body !== 'string' || !body.startsWith('{"id":"')) return null
  const from = body.slice(ID_AT, ID_AT + 31)
  const found = ID_ENDS.exec(from)
  return found === null ? null : Buffer.from(from, 'latin1').toString('latin1', 0, found[0].length - 1)
}

/**
 * The path for the request log: the requested path if its ids look like ids, otherwise the route's pattern. Text in place
 * of an id can be anything, such as a phone number, and outside the interface a secret.
 */
function pathToLog({ route, request }: RequestContext): string {
  const asked = pathOf(request.url!)
  if (route === null) return asked.slice(0, 500)
  if (route.auth === 'open' || asked === route.path) return route.path
  const shapes = asked.split('/').every((segment, at) => {
    const declared = route.path.split('/')[at]
    return (
      declared === segment ||
      (declared?.startsWith(':') === true && /^([a-z]{3}_[0-9a-z]{26}|[0-9a-f-]{36})$/.test(segment))
    )
  })
  return shapes ? asked : route.path
}

/** The path of a request's address, without the query. */
export function pathOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? url : url.slice(0, at)
}
