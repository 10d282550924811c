import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../../words/caller.ts'
import { errorMessages } from '../../words/error-codes.ts'
import type { Brand } from '../config.ts'
import { sha256 } from '../digest.ts'
import type { Admitted, Door, DoorName } from './door.ts'
import { API_VERSION, type Exchange } from './exchanges.ts'
import { describe } from './field-checker.ts'
import { type BodyRead, readBody } from './read-body.ts'
import { readForm } from './read-form.ts'
import { type Answer, refusalAnswer } from './refusal.ts'
import type { Idempotency, Route } from './route.ts'
import { canonicalJson, isCleanText, parseStrictJson } from './strict-json.ts'
import type { Turn, Turns } from './turns.ts'

/** Characters of an `Idempotency-Key`: the interface names the least, and the database keeps no more. */
const KEY_MIN = 8
const KEY_MAX = 255

export type RouteServerOptions<Deps> = {
  readonly brand: Brand
  readonly doors: Readonly<Partial<Record<DoorName, Door>>>
  readonly deps: Deps
  /**
   * Keys of requests under way in this process, of all routes, each with the fingerprint of its request: a second request with
   * one is told so at once.
   */
  readonly keysUnderWay: Map<string, Buffer>
  readonly turns: Turns
  /** The headers of a 429 that tell where a caller's key stands in this minute. */
  readonly rateHeaders: (caller: Caller) => Promise<Readonly<Record<string, string>>>
}

/** Answers a request that the router matched. What it throws is a fault of ours. */
export type ServeRoute = (exchange: Exchange, path: Matched) => Answer | Promise<Answer>

/** What the router found in the address. */
export type Matched = {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
}

/**
 * Serves one declared route, in the order of precedence: version, door (key, rate, scope), `Idempotency-Key`, ids of the
 * path, content type, bytes and JSON of the body, fields, and then its handler. The body is not read before the door
 * has opened.
 * @throws when the route stands behind a door that is not there
 */
export function serveRoute<Deps>(route: Route<Deps>, options: RouteServerOptions<Deps>): ServeRoute {
  const { refuse } = route
  const { header_prefix, legacy_header_prefix } = options.brand
  const versionHeaders = [header_prefix, legacy_header_prefix].map((prefix) => `${prefix.toLowerCase()}-version`)
  const wrongVersion = refusalAnswer({
    status: 400,
    code: 'invalid_request',
    message: `The only version is ${API_VERSION}. Send it in ${header_prefix}-Version, or leave the header out.`,
  })
  const door = doorOf(route, options.doors)

  function arrive(exchange: Exchange, matched: Matched): Answer | Promise<Answer> {
    if (door !== null && lacksId(matched)) return notListed
    exchange.route = route
    if (door === null) return enter(exchange, matched)
    const { headers } = exchange.request
    for (const name of versionHeaders) {
      if (headers[name] !== undefined && headers[name] !== API_VERSION) return wrongVersion
    }
    const admitted = door.admit({ headers, address: exchange.address, scope: route.scope })
    if ('kind' in admitted) return passDoor(exchange, matched, admitted)
    return admitted.then((decided) => passDoor(exchange, matched, decided))
  }

  function passDoor(exchange: Exchange, matched: Matched, admitted: Admitted): Answer | Promise<Answer> {
    exchange.caller = admitted.caller ?? null
    return admitted.kind === 'refused' ? refusalAnswer(admitted) : enter(exchange, matched)
  }

  function enter(exchange: Exchange, matched: Matched): Answer | Promise<Answer> {
    const { headers } = exchange.request
    const wrongKey = explainKey(headers, route.idempotent)
    if (wrongKey !== null) return refuse('idempotency_key_required', { message: wrongKey })
    const wrongId = route.wrongId(matched.params)
    if (wrongId !== null) return refuse('invalid_id', { message: wrongId })
    if (route.reads !== 'json') return readThenHandle(exchange, matched)
    if (route.body === undefined) {
      return inTurn(exchange, (turn) => handle(exchange, matched, undefined, undefined, turn))
    }
    const type = headers['content-type']
    if (!isJson(type)) {
      const sent = type === undefined ? 'Content-Type is missing.' : 'Content-Type names another type.'
      return refuse(route.unreadable, { message: `${sent} Send application/json, in UTF-8.` })
    }
    return readThenHandle(exchange, matched)
  }

  async function readThenHandle(exchange: Exchange, matched: Matched): Promise<Answer> {
    const read = await readBody(exchange, route.bodyMaxBytes)
    // A client that took too long was refused in the meantime; what it asked for must not be done after all.
    if (exchange.answered) return refuse(route.unreadable)
    if (read.kind !== 'whole') {
      return refuse(route.unreadable, { message: explainUnread(read.kind, route.bodyMaxBytes) })
    }
    // Reading what it says is work too, and part of the caller's turn.
    return inTurn(exchange, (turn) => {
      if (route.reads === 'raw') return handle(exchange, matched, read.bytes, undefined, turn)
      if (route.reads === 'form') {
        const form = readForm(read.bytes, exchange.request.headers['content-type'])
        return handle(exchange, matched, form, undefined, turn)
      }
      const body = parseStrictJson(read.bytes, route.lineBreaksIn)
      if (body.kind === 'refused') return refuse(route.unreadable, { message: body.problem })
      if (!isObject(body.judged)) {
        const message = `The body must be a JSON object, but ${describe(body.judged)} was sent.`
        return refuse(route.unreadable, { message })
      }
      const value = route.withoutNulls(body.value)
      const judged = body.judged === body.value ? value : route.withoutNulls(body.judged)
      return handle(exchange, matched, value, judged, turn)
    })
  }

  /** Does the work of a call when its merchant's turn has come. Open doors have no merchants, and no turns. */
  function inTurn(exchange: Exchange, work: (turn: Turn) => Answer | Promise<Answer>): Answer | Promise<Answer> {
    const { caller } = exchange
    if (caller === null) return work(noTurn)
    const key = exchange.request.headers['idempotency-key']
    // A call that repeats one under way is refused at once, and does not wait for its end.
    const repeats = typeof key === 'string' && options.keysUnderWay.has(keyName(caller, key))
    const isWanted = () => !exchange.answered && !exchange.response.destroyed
    const turn = options.turns.enter(caller, repeats ? 'alone' : route.concurrency, isWanted)
    if (turn === null) return tooManyAtOnce(caller)
    if (!(turn instanceof Promise)) return takingTurn(turn, work)
    exchange.inLine = true
    return turn.then((had) => {
      exchange.inLine = false
      exchange.waitingSince = performance.now()
      return had === null ? tooManyAtOnce(caller) : takingTurn(had, work)
    })
  }

  async function takingTurn(turn: Turn, work: (turn: Turn) => Answer | Promise<Answer>): Promise<Answer> {
    try {
      return await work(turn)
    } finally {
      turn.end()
    }
  }

  async function tooManyAtOnce(caller: Caller): Promise<Answer> {
    const headers = { ...(await options.rateHeaders(caller)), 'Retry-After': '1' }
    return refusalAnswer({ status: 429, code: 'rate_limit_exceeded', message: TOO_MANY_AT_ONCE, headers })
  }

  function handle(
    exchange: Exchange,
    { params, query }: Matched,
    body: unknown,
    judged: unknown,
    turn: Turn,
  ): Answer | Promise<Answer> {
    const wrong = (route.query === undefined ? null : route.wrongQuery(judgeQuery(query))) ?? route.wrongBody(judged)
    if (wrong !== null) return refuse(wrong.code, { message: wrong.message })
    const { caller, request_id, address } = exchange
    const { url, headers } = exchange.request
    const idempotency = idempotencyOf(exchange, route, body)
    const isWanted = () => !exchange.answered
    const about = { caller, params, query, body, idempotency, request_id, url, headers, address, isWanted, turn }
    const request = { ...about, reply: route.reply, refuse }
    if (idempotency === null || caller === null) return route.handle(request as never, options.deps)
    // Between processes the database decides, under the same name: merchant, mode and key.
    const name = keyName(caller, idempotency.key)
    const running = options.keysUnderWay.get(name)
    if (running !== undefined) {
      return refuse(running.equals(idempotency.fingerprint) ? 'idempotency_in_progress' : 'idempotency_key_reused')
    }
    options.keysUnderWay.set(name, idempotency.fingerprint)
    return holdingKey(name, () => route.handle(request as never, options.deps))
  }

  /** The key is ours. It is free again when the work has ended, also when its client was told a fault before. */
  async function holdingKey(name: string, work: () => Answer | Promise<Answer>): Promise<Answer> {
    try {
      return await work()
    } finally {
      options.keysUnderWay.delete(name)
    }
  }

  return arrive
}

/** The door that a route stands behind; null: none. @throws when it is not there */
function doorOf({ door: name, method, path }: Route, doors: Readonly<Partial<Record<DoorName, Door>>>): Door | null {
  const door = name === 'open' ? null : doors[name]
  if (door === undefined) throw new Error(`${method} ${path} stands behind a door that is not there.`)
  return door
}

/** Where nobody takes turns. */
const noTurn: Turn = { end: () => {}, without: (work) => work() }

const TOO_MANY_AT_ONCE =
  'Too many calls of this merchant wait at once. Wait for the answers to earlier calls, then repeat this one.'

/** One text for a key of a merchant in a mode. */
function keyName({ merchant_id, livemode }: Caller, key: string): string {
  return `${merchant_id} ${livemode} ${key}`
}

/** The answer at an address that does not exist, or where something is that is not the caller's. */
export const notListed = refusalAnswer({ status: 404, code: 'resource_not_found' })

/** Whether a path ends where an id belongs: that address is not listed, whatever the method. */
export function lacksId({ params }: Pick<Matched, 'params'>): boolean {
  for (const name in params) if (params[name] === '') return true
  return false
}

/** What is wrong with the `Idempotency-Key` of a request, or null. The key itself is not quoted. */
function explainKey(headers: IncomingHttpHeaders, idempotent: true | 'optional' | undefined): string | null {
  if (idempotent === undefined) return null
  const key = headers['idempotency-key']
  if (key === undefined) return idempotent === 'optional' ? null : errorMessages.idempotency_key_required
  const { length } = String(key)
  if (length < KEY_MIN) return `Idempotency-Key is too short (${length} of at least ${KEY_MIN} characters).`
  if (length > KEY_MAX) return `Idempotency-Key is too long (${length} of at most ${KEY_MAX} characters).`
  return typeof key === 'string' && /^[\x20-\x7e]*$/.test(key)
    ? null
    : 'Idempotency-Key may hold only letters, digits and signs of ASCII.'
}

/** Why a body was not read. */
function explainUnread(kind: Exclude<BodyRead['kind'], 'whole'>, limit: number): string {
  if (kind === 'too_long') return `The body is too long: at most ${limit} bytes here.`
  if (kind === 'crumbled') return 'The body came in too many small pieces. Send it in chunks of a kilobyte or more.'
  return 'The connection ended before the body did.'
}

function idempotencyOf(exchange: Exchange, route: Route, body: unknown): Idempotency | null {
  if (route.idempotent === undefined) return null
  const key = exchange.request.headers['idempotency-key']
  if (typeof key !== 'string') return null
  return { key, fingerprint: sha256(`${route.operation}\n${canonicalJson(body ?? null)}`) }
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true
  return contentType !== undefined && /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i.test(contentType)
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The query for validation: a name that is there twice, or a text that is not clean, is no text. */
function judgeQuery(query: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const judged: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(query)) {
    judged[name] = typeof value !== 'string' || isCleanText(value) ? value : UNCLEAN
  }
  return judged
}

const UNCLEAN = Symbol('a text with control characters')
