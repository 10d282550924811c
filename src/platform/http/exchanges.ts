import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Registry } from 'prom-client'
import { Gauge, Histogram } from 'prom-client'
import type { Caller } from '../../words/caller.ts'
import type { ErrorCode } from '../../words/error-codes.ts'
import type { Clock } from '../clock.ts'
import type { Brand } from '../config.ts'
import type { Log } from '../log.ts'
import { NotWanted, Overloaded } from '../postgres/batcher.ts'
import type { BoundedRequest } from './bounded-request.ts'
import { type Answer, refusalAnswer } from './refusal.ts'
import type { Route } from './route.ts'

/** The version of the interface. Every answer carries it. */
export const API_VERSION = '2026-08-25'

/** How often late exchanges are looked for: they are answered by so much after their deadline at most. */
const WATCH_EVERY_MS = 250

/** One request and the answer it waits for. */
export type Exchange = {
  readonly request_id: string
  readonly request: BoundedRequest
  readonly response: ServerResponse
  /** The client's address, seen through the trusted proxies. */
  readonly address: string
  readonly requested_at: Date
  /** On the monotonic clock of this process, in milliseconds. */
  readonly beganAt: number
  /** Since when somebody waits for us, on the same clock. Nobody does while `readingBody`, nor while it stands `inLine`. */
  waitingSince: number
  readingBody: boolean
  /** It waits for its merchant's turn, which is bounded by itself. */
  inLine: boolean
  route: Route | null
  caller: Caller | null
  answered: boolean
  /** What follows on this connection cannot be understood, or is not wanted: it closes after the answer. */
  last: boolean
  /** Where it stands among those under way. */
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
  readonly address: string
  readonly duration_ms: number
  readonly requested_at: Date
}

export type ExchangesOptions = {
  readonly brand: Brand
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Registry
  /** The code of a fault outside any declared route. */
  readonly fault: ErrorCode
  /** Milliseconds that the door and the handler may take. */
  readonly handlerDeadlineMs: number
  readonly onAnswered: ((entry: AnsweredRequest) => void) | null
}

export type Exchanges = ReturnType<typeof createExchanges>

/**
 * Keeps the requests under way and answers them, each once. Answers are written to Node's response directly: a body is
 * already text, its headers are the same on every answer, and nothing stands between that could change either.
 */
export function createExchanges(options: ExchangesOptions) {
  const { brand, clock, log, fault, handlerDeadlineMs, onAnswered } = options
  const requestIdHeader = `${brand.header_prefix}-Request-Id`
  const legacyRequestIdHeader = `${brand.legacy_header_prefix}-Request-Id`
  const versionHeader = `${brand.header_prefix}-Version`
  const legacyVersionHeader = `${brand.legacy_header_prefix}-Version`
  // Not a set: one that changes with every request is written anew every few hundred of them, and what it was written in before, grown
  // old, keeps all that stood there from being collected while it is young.
  const underWay: Exchange[] = []
  let stopping = false

  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the request line to the answer written, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [options.metrics],
  })
  new Gauge({
    name: 'http_requests_under_way',
    help: 'Requests that wait for their answer.',
    registers: [options.metrics],
    collect() {
      this.set(underWay.length)
    },
  })

  function begin(request: BoundedRequest, response: ServerResponse, address: string): Exchange {
    const now = performance.now()
    const exchange: Exchange = {
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
      answered: false,
      last: false,
      place: underWay.length,
    }
    underWay.push(exchange)
    return exchange
  }

  /** The headers of an answer, as name, value, name, value. Those that every answer carries are among them. */
  function headersOf(requestId: string, { body, headers: own }: Answer): string[] {
    const headers = [
      requestIdHeader,
      requestId,
      legacyRequestIdHeader,
      requestId,
      versionHeader,
      API_VERSION,
      legacyVersionHeader,
      API_VERSION,
      'Cache-Control',
      own?.['Cache-Control'] ?? 'no-store',
      'X-Content-Type-Options',
      'nosniff',
      'Content-Length',
      String(Buffer.byteLength(body)),
    ]
    if (body.length > 0) headers.push('Content-Type', own?.['Content-Type'] ?? 'application/json; charset=utf-8')
    for (const name in own) if (name !== 'Content-Type' && name !== 'Cache-Control') headers.push(name, own[name]!)
    return headers
  }

  function send(exchange: Exchange, answer: Answer): void {
    if (exchange.answered) return
    const headers = headersOf(exchange.request_id, answer)
    if (stopping || exchange.last) headers.push('Connection', 'close')
    exchange.response.writeHead(answer.status, headers).end(answer.body)
    exchange.request.dropRest()
    finish(exchange, answer.status, answer.error_code)
  }

  /** The last one takes its place. */
  function leave({ place }: Exchange): void {
    const last = underWay.pop()!
    if (last.place === place) return
    underWay[place] = last
    last.place = place
  }

  function finish(exchange: Exchange, status: number, errorCode: ErrorCode | null): void {
    exchange.answered = true
    leave(exchange)
    const milliseconds = performance.now() - exchange.beganAt
    durations.observe({ operation: exchange.route?.operation ?? 'none', status }, milliseconds / 1000)
    onAnswered?.({
      request_id: exchange.request_id,
      caller: exchange.caller,
      method: exchange.request.method!,
      path: pathToLog(exchange),
      status,
      error_code: errorCode,
      address: exchange.address,
      duration_ms: Math.round(milliseconds),
      requested_at: exchange.requested_at,
    })
  }

  /** Answers a fault of ours with the route's own code. The cause goes to the log and nowhere else. */
  function fail(exchange: Exchange, error: unknown): void {
    const { request_id, route } = exchange
    // Work that was not begun, because its caller had been answered, is no fault.
    if (error instanceof NotWanted) return
    log.error({ error, request_id, operation: route?.operation ?? null, late: exchange.answered }, 'A request failed.')
    const code = route?.fault ?? fault
    const headers = error instanceof Overloaded ? { 'Retry-After': '1' } : undefined
    send(exchange, refusalAnswer({ status: 500, code, headers }))
  }

  // One glance over the exchanges under way does instead of a timer for each. A body that does not come is not our
  // delay: Node sees to it that requests arrive in time.
  const watch = setInterval(() => {
    const now = performance.now()
    for (const exchange of [...underWay]) {
      const deadline = exchange.route?.deadlineMs ?? handlerDeadlineMs
      const late = now - exchange.waitingSince > deadline && !exchange.readingBody && !exchange.inLine
      if (late) fail(exchange, new Error(`No answer within ${deadline} ms.`))
    }
  }, WATCH_EVERY_MS).unref()

  return {
    begin,
    send,
    fail,
    headersOf,
    underWay: () => underWay.length,
    isStopping: () => stopping,
    /** From now on every answer closes its connection. */
    startStopping() {
      stopping = true
    },
    close: () => clearInterval(watch),
  }
}

/**
 * The path for the request log: as it was asked for when its ids look like ids, and otherwise the route's pattern, because
 * what somebody puts where an id belongs can be anything, a telephone number too. Beside the interface it may be a secret.
 */
function pathToLog({ route, request }: Exchange): string {
  const asked = pathOf(request.url!)
  if (route === null) return asked.slice(0, 500)
  if (route.door === 'open' || asked === route.path) return route.path
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
