import type { IncomingMessage } from 'node:http'
import { type Caller, rowKey } from '../../values/caller.ts'
import type { Brand } from '../config.ts'
import { thingOf } from './about.ts'
import type { Authenticator, AuthenticatorName, AuthResult } from './authenticator.ts'
import { describe } from './field-checker.ts'
import { explainKey, idempotencyOf } from './idempotency-key.ts'
import { type BodyRead, readBody } from './read-body.ts'
import { readForm } from './read-form.ts'
import { type Answer, type Refusal, refusalAnswer } from './refusal.ts'
import { contradictoryAnswer, decidingHeaders, settleRepeated } from './repeated-headers.ts'
import type { RequestContext } from './request-context.ts'
import { API_VERSION } from './response-headers.ts'
import type { Route } from './route.ts'
import { isCleanText, parseStrictJson } from './strict-json.ts'
import type { Turn, Turns } from './turns.ts'

export type RouteServerOptions<Deps> = {
  readonly brand: Brand
  readonly authenticators: Readonly<Partial<Record<AuthenticatorName, Authenticator>>>
  readonly deps: Deps
  /**
   * Keys of requests in progress in this process, of all routes, with the fingerprint of each request. A second request with
   * the same key is refused at once.
   */
  readonly keysUnderWay: Map<string, Buffer>
  readonly turns: Turns
  /** Turns of the things that calls of open routes are about. */
  readonly openTurns: Turns
  /** The page for a person who is refused with a 429. Null: the common refusal. */
  readonly rateLimitedPage?: (request: IncomingMessage, refusal: Refusal, request_id: string) => Answer | null
  /** The headers of a 429, with the use of the caller's key in this minute. */
  readonly rateHeaders: (caller: Caller) => Promise<Readonly<Record<string, string>>>
}

/**
 * Answers a request that the router matched.
 * @throws only for a fault of ours
 */
export type ServeRoute = (context: RequestContext, path: Matched) => Answer | Promise<Answer>

/** The parameters and the query that the router found in the address. */
export type Matched = {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
}

/**
 * Serves one declared route, in the order of precedence: version, authenticator (key, rate, scope), headers that stand
 * twice with different values, `Idempotency-Key`, ids of the
 * path, content type, bytes and JSON of the body, fields, and then its handler. Reads the body only after the caller is
 * authenticated.
 * @throws when the server has no authenticator of this name
 */
export function serveRoute<Deps>(route: Route<Deps>, options: RouteServerOptions<Deps>): ServeRoute {
  const server = new RouteServer(route, options)
  return (context, matched) => server.serve(context, matched)
}

/** The steps of one route. Every request takes them, so they avoid closures. */
class RouteServer<Deps> {
  readonly #route: Route<Deps>
  readonly #options: RouteServerOptions<Deps>
  /** Null for an open route. */
  readonly #authenticator: Authenticator | null
  readonly #versionHeaders: readonly string[]
  readonly #decidingHeaders: readonly string[]
  readonly #wrongVersion: Answer

  constructor(route: Route<Deps>, options: RouteServerOptions<Deps>) {
    const { header_prefix, legacy_header_prefix } = options.brand
    this.#route = route
    this.#options = options
    this.#authenticator = authenticatorOf(route, options.authenticators)
    this.#versionHeaders = [header_prefix, legacy_header_prefix].map((prefix) => `${prefix.toLowerCase()}-version`)
    this.#decidingHeaders = [...this.#versionHeaders, ...decidingHeaders]
    this.#wrongVersion = refusalAnswer({
      status: 400,
      code: 'invalid_request',
      message: `The only version is ${API_VERSION}. Send it in ${header_prefix}-Version, or leave the header out.`,
    })
  }

  serve(context: RequestContext, matched: Matched): Answer | Promise<Answer> {
    const authenticator = this.#authenticator
    if (authenticator !== null && lacksId(matched)) return notListed
    context.route = this.#route
    const { headers } = context.request
    const contradictory = settleRepeated(context.request, this.#decidingHeaders)
    if (authenticator === null) return this.#enterUnless(contradictory, context, matched)
    for (const name of this.#versionHeaders) {
      if (headers[name] !== undefined && headers[name] !== API_VERSION) return this.#wrongVersion
    }
    const found = authenticator.authenticate({ headers, address: context.address, scope: this.#route.scope })
    if ('kind' in found) return this.#goOnAs(context, matched, found, contradictory)
    return found.then((decided) => this.#goOnAs(context, matched, decided, contradictory))
  }

  #goOnAs(
    context: RequestContext,
    matched: Matched,
    found: AuthResult,
    contradictory: string | null,
  ): Answer | Promise<Answer> {
    context.caller = found.caller ?? null
    return found.kind === 'refused' ? refusalAnswer(found) : this.#enterUnless(contradictory, context, matched)
  }

  /** @param contradictory the name of a header with different values, or null */
  #enterUnless(contradictory: string | null, context: RequestContext, matched: Matched): Answer | Promise<Answer> {
    return contradictory === null ? this.#enter(context, matched) : contradictoryAnswer(contradictory)
  }

  #enter(context: RequestContext, matched: Matched): Answer | Promise<Answer> {
    const route = this.#route
    const { headers } = context.request
    const wrongKey = explainKey(headers, route.idempotent)
    if (wrongKey !== null) return route.refuse('idempotency_key_required', { message: wrongKey })
    const wrongId = route.wrongId(matched.params)
    if (wrongId !== null) return route.refuse('invalid_id', { message: wrongId })
    if (route.reads !== 'json') return this.#readThenHandle(context, matched)
    if (route.body === undefined) {
      return this.#inTurn(context, matched, (turn) => this.#handle(context, matched, undefined, undefined, turn))
    }
    const type = headers['content-type']
    if (!isJson(type)) {
      const sent = type === undefined ? 'Content-Type is missing.' : 'Content-Type names another type.'
      return route.refuse(route.unreadable, { message: `${sent} Send application/json, in UTF-8.` })
    }
    return this.#readThenHandle(context, matched)
  }

  async #readThenHandle(context: RequestContext, matched: Matched): Promise<Answer> {
    const { bodyMaxBytes, reads, refuse, unreadable } = this.#route
    if (reads === 'upload') {
      context.request.dropsMore = true
      const refused = await this.#inTurn(context, matched, () => this.#admit(context, matched))
      if (refused !== null) return refused
    }
    const read = await readBody(context, bodyMaxBytes)
    // A client that took too long was refused in the meantime, so its request must not be carried out.
    if (context.answered) return refuse(unreadable)
    if (read.kind === 'too_long' && reads === 'upload')
      return this.#inTurn(context, matched, (turn) => this.#handle(context, matched, null, undefined, turn))
    if (read.kind !== 'whole') return refuse(unreadable, { message: explainUnread(read.kind, bodyMaxBytes) })
    // Parsing the body is work too, and part of the caller's turn.
    return this.#inTurn(context, matched, (turn) => {
      if (reads === 'raw' || reads === 'upload') return this.#handle(context, matched, read.bytes, undefined, turn)
      if (reads === 'json') return this.#handleJson(context, matched, read.bytes, turn)
      const form = readForm(read.bytes, context.request.headers['content-type'])
      return this.#handle(context, matched, form, undefined, turn)
    })
  }

  /** Admits an upload, or returns the answer that refuses it. */
  async #admit(context: RequestContext, { params }: Matched): Promise<Answer | null> {
    const { request_id, address } = context
    const { url, headers } = context.request
    const unread = { params, request_id, url: url!, headers, address, isWanted: () => !context.answered }
    const admission = await this.#route.admit?.(unread, this.#options.deps)
    if (admission?.kind === 'refused') return admission.answer
    context.uploader = admission?.uploader ?? null
    return null
  }

  #handleJson(context: RequestContext, matched: Matched, bytes: Buffer, turn: Turn): Answer | Promise<Answer> {
    const { lineBreaksIn, refuse, unreadable, withoutNulls } = this.#route
    const body = parseStrictJson(bytes, lineBreaksIn)
    if (body.kind === 'refused') return refuse(unreadable, { message: body.problem })
    if (!isObject(body.judged)) {
      const message = `The body must be a JSON object, but ${describe(body.judged)} was sent.`
      return refuse(unreadable, { message })
    }
    const value = withoutNulls(body.value)
    const judged = body.judged === body.value ? value : withoutNulls(body.judged)
    return this.#handle(context, matched, value, judged, turn)
  }

  /** Does the work of a call at the turn of its merchant, or of the thing that it is about. */
  #inTurn<Result extends Answer | null>(
    context: RequestContext,
    { params }: Matched,
    work: (turn: Turn) => Result | Promise<Result>,
  ): Result | Answer | Promise<Result | Answer> {
    const { caller, request, response, address } = context
    const { turns, openTurns, keysUnderWay } = this.#options
    const { about, concurrency } = this.#route
    const { headers } = request
    const isWanted = () => !context.answered && !response.destroyed
    if (caller === null) {
      const thing = about === null ? null : thingOf(about, { params, headers, address })
      return thing === null ? work(noTurn) : this.#atTurn(context, openTurns.enter(thing, concurrency, isWanted), work)
    }
    const key = headers['idempotency-key']
    // Refuses a repetition of a running call at once, without waiting for its end.
    const repeats = typeof key === 'string' && keysUnderWay.has(rowKey(caller, key))
    return this.#atTurn(context, turns.enter(caller, repeats ? 'alone' : concurrency, isWanted), work)
  }

  #atTurn<Result extends Answer | null>(
    context: RequestContext,
    turn: Turn | Promise<Turn | null> | null,
    work: (turn: Turn) => Result | Promise<Result>,
  ): Promise<Result | Answer> {
    if (turn === null) return this.#tooManyAtOnce(context)
    if (!(turn instanceof Promise)) return this.#takingTurn(context, turn, work)
    context.inLine = true
    return turn.then((had): Promise<Result | Answer> => {
      context.inLine = false
      context.waitingSince = performance.now()
      return had === null ? this.#tooManyAtOnce(context) : this.#takingTurn(context, had, work)
    })
  }

  /** Holds the turn, and the key that the work takes, until the work has ended, also when the client got the answer of a fault before. */
  async #takingTurn<Result>(
    context: RequestContext,
    turn: Turn,
    work: (turn: Turn) => Result | Promise<Result>,
  ): Promise<Result> {
    try {
      return await work(turn)
    } finally {
      turn.end()
      if (context.keyHeld !== null) this.#options.keysUnderWay.delete(context.keyHeld)
    }
  }

  async #tooManyAtOnce({ caller, request, request_id }: RequestContext): Promise<Answer> {
    const { rateHeaders, rateLimitedPage } = this.#options
    const headers = { ...(caller === null ? {} : await rateHeaders(caller)), 'Retry-After': '1' }
    const message = caller === null ? TOO_MANY_OF_THING : TOO_MANY_AT_ONCE
    const refusal: Refusal = { kind: 'refused', status: 429, code: 'rate_limit_exceeded', message, headers }
    return (caller === null ? rateLimitedPage?.(request, refusal, request_id) : null) ?? refusalAnswer(refusal)
  }

  #handle(
    context: RequestContext,
    { params, query }: Matched,
    body: unknown,
    judged: unknown,
    turn: Turn,
  ): Answer | Promise<Answer> {
    const route = this.#route
    const { keysUnderWay, deps } = this.#options
    const wrong = (route.query === undefined ? null : route.wrongQuery(judgeQuery(query))) ?? route.wrongBody(judged)
    if (wrong !== null) return route.refuse(wrong.code, { message: wrong.message })
    const { caller, request_id, address } = context
    const { url, headers } = context.request
    const idempotency = idempotencyOf(context, route, body)
    const isWanted = () => !context.answered
    const call = { caller, idempotency, isWanted }
    const { reply, refuse } = route
    // Written out, because a copy of another object with two more fields costs as much again.
    const request = {
      caller,
      call,
      params,
      query,
      body,
      request_id,
      url,
      headers,
      address,
      isWanted,
      turn,
      reply,
      refuse,
    }
    if (idempotency === null || caller === null) return route.handle(request as never, deps)
    // Between processes the database decides, by the same merchant, mode and key.
    const name = rowKey(caller, idempotency.key)
    const running = keysUnderWay.get(name)
    if (running !== undefined) {
      return route.refuse(
        running.equals(idempotency.fingerprint) ? 'idempotency_in_progress' : 'idempotency_key_reused',
      )
    }
    keysUnderWay.set(name, idempotency.fingerprint)
    // A call with a caller has a turn, whose end gives the key back.
    context.keyHeld = name
    return route.handle(request as never, deps)
  }
}

/**
 * The authenticator of a route. Null for an open route.
 * @throws when the server has no authenticator of this name
 */
function authenticatorOf(
  { auth, method, path }: Route,
  authenticators: Readonly<Partial<Record<AuthenticatorName, Authenticator>>>,
): Authenticator | null {
  const authenticator = auth === 'open' ? null : authenticators[auth]
  if (authenticator === undefined) throw new Error(`${method} ${path} asks for an authenticator that is not there.`)
  return authenticator
}

/** The turn of a call that takes no turns. */
const noTurn: Turn = { end: () => {}, without: (work) => work() }

const TOO_MANY_AT_ONCE =
  'Too many calls of this merchant wait at once. Wait for the answers to earlier calls, then repeat this one.'

const TOO_MANY_OF_THING = 'Too many calls about the same thing wait at once. Wait a second, then repeat this one.'

/** The answer for an unknown address, and for a resource of another caller. */
export const notListed = refusalAnswer({ status: 404, code: 'resource_not_found' })

/** Whether a path ends where an id belongs. This address does not exist, for any method. */
export function lacksId({ params }: Pick<Matched, 'params'>): boolean {
  for (const name in params) if (params[name] === '') return true
  return false
}

/** The message about an unread body. */
function explainUnread(kind: Exclude<BodyRead['kind'], 'whole'>, limit: number): string {
  if (kind === 'too_long') return `The body is too long: at most ${limit} bytes here.`
  if (kind === 'crumbled') return 'The body came in too many small pieces. Send it in chunks of a kilobyte or more.'
  return 'The connection ended before the body did.'
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true
  return contentType !== undefined && /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i.test(contentType)
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The query for validation. A repeated name, and a text with forbidden characters, do not count as text. */
function judgeQuery(query: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const judged: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(query)) {
    judged[name] = typeof value !== 'string' || isCleanText(value) ? value : UNCLEAN
  }
  return judged
}

const UNCLEAN = Symbol('a text with control characters')
