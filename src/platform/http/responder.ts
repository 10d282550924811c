import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Histogram, type Registry } from 'prom-client'
import type { ErrorCode } from '../../values/error-codes.ts'
import type { Clock } from '../clock.ts'
import { NotWanted, Overloaded } from '../commands/batching/batcher.ts'
import type { Brand } from '../config.ts'
import type { Log } from '../log.ts'
import { isBusy } from '../postgres/failures.ts'
import type { AddressRate } from './address-rate.ts'
import type { BoundedRequest } from './bounded-request.ts'
import { createInFlight, watchDeadlines } from './in-flight.ts'
import { type Answer, refusalAnswer } from './refusal.ts'
import { type AnsweredRequest, beginContext, lineOf, type RequestContext } from './request-context.ts'
import { createHeaderWriter } from './response-headers.ts'
import { watchDownload } from './slow-downloads.ts'

export type ResponderOptions = {
  readonly brand: Brand
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Registry
  /** The code of a fault outside any declared route. */
  readonly fault: ErrorCode
  /** Milliseconds that the authenticator and the handler may take. */
  readonly handlerDeadlineMs: number
  readonly faultPage: (request: IncomingMessage, request_id: string) => Answer | null
  /** Milliseconds over which the client of a streamed body is measured. */
  readonly downloadWindowMs: number
  readonly onAnswered: ((entry: AnsweredRequest) => void) | null
  /** Gives the count of a call back to its address. */
  readonly giveBack: AddressRate['giveBack'] | null
}

export type Responder = ReturnType<typeof createResponder>

/**
 * Lists the requests in flight and answers each once. It writes answers directly to Node's response: the body is already text, and no
 * layer between can change it or the headers.
 */
export function createResponder(options: ResponderOptions) {
  const { clock, log, onAnswered } = options
  const inFlight = createInFlight(options.metrics)
  const observe = createDurations(options.metrics)
  const headersOf = createHeaderWriter(options.brand)
  let stopping = false

  function begin(request: BoundedRequest, response: ServerResponse, address: string): RequestContext {
    const context = beginContext(request, response, address, clock)
    inFlight.add(context)
    return context
  }

  function send(context: RequestContext, answer: Answer): void {
    if (context.answered) {
      endStream(answer)
      return
    }
    if (answer.uncounted === true) options.giveBack?.(context.address, context.requested_at)
    const headers = headersOf(context.request_id, answer)
    if (stopping || context.last) headers.push('Connection', 'close')
    context.response.writeHead(answer.status, headers)
    const isHead = context.request.method === 'HEAD'
    if (answer.stream === undefined || isHead) context.response.end(answer.body)
    context.request.dropRest()
    context.answered = true
    inFlight.remove(context)
    if (answer.stream === undefined || isHead) note(context, answer)
    else void sendStream({ ...options, note }, context, answer.status, answer.stream)
    if (isHead) endStream(answer)
  }

  function note(context: RequestContext, answer: Pick<Answer, 'status' | 'error_code' | 'body'>): void {
    observe(context, answer.status)
    onAnswered?.(lineOf(context, answer))
  }

  /** Answers a fault of ours. Only the log gets the cause. */
  function fail(context: RequestContext, error: unknown): void {
    const { request_id, route } = context
    // It is not a fault if work did not begin because its caller had already been answered.
    if (error instanceof NotWanted) return
    log.error(
      { error, request_id, operation: route?.operation ?? null, late: context.answered },
      'http: request failed',
    )
    send(context, faultAnswer(options, context, error))
  }

  const stopWatching = watchDeadlines(inFlight, options.handlerDeadlineMs, (context, deadline_ms) =>
    fail(context, new Error(`No answer within ${deadline_ms} ms.`)),
  )

  return {
    begin,
    send,
    fail,
    headersOf,
    inFlight: inFlight.size,
    isStopping: () => stopping,
    /** From now on every answer closes its connection. */
    startStopping() {
      stopping = true
    },
    close: stopWatching,
  }
}

/** Notes an answer that was given. */
type Note = (context: RequestContext, answer: Pick<Answer, 'status' | 'error_code' | 'body'>) => void

/** Sends a body as fast as it is generated and read. At a failure `pipeline` cuts the connection: the client knows that the body is incomplete. Never throws. */
async function sendStream(
  { log, downloadWindowMs, fault, note }: ResponderOptions & { readonly note: Note },
  context: RequestContext,
  status: number,
  stream: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const { request_id, route, response } = context
  let slow: Error | null = null
  watchDownload(response, downloadWindowMs, (error) => {
    slow = error
    response.destroy()
  })
  try {
    await pipeline(Readable.from(stream, { objectMode: false }), response)
    note(context, { status, error_code: null, body: '' })
  } catch (error) {
    log.warn({ error: slow ?? error, request_id, operation: route?.operation ?? null }, 'http: stream broke off')
    note(context, { status, error_code: route?.fault ?? fault, body: '' })
  }
}

/** The answer to a fault of ours: a page, or the route's own code. */
function faultAnswer({ fault, faultPage }: ResponderOptions, context: RequestContext, error: unknown): Answer {
  const code = context.route?.fault ?? fault
  const headers = error instanceof Overloaded || isBusy(error) ? { 'Retry-After': '1' } : undefined
  const page = faultPage(context.request, context.request_id)
  if (page === null) return refusalAnswer({ status: 500, code, headers })
  return { ...page, headers: { ...page.headers, ...headers } }
}

/** Ends the source of a body that nobody reads. */
function endStream({ stream }: Answer): void {
  stream?.[Symbol.asyncIterator]()
    .return?.()
    .catch(() => {})
}

/** Counts how long answers take. */
function createDurations(metrics: Registry) {
  const durations = new Histogram({
    name: 'bandama_http_request_duration_seconds',
    help: 'From the request line to the answer written, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [metrics],
  })
  return ({ route, beganAt }: RequestContext, status: number): void =>
    durations.observe({ operation: route?.operation ?? 'none', status }, (performance.now() - beganAt) / 1000)
}
