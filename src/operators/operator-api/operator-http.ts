import type { IncomingHttpHeaders } from 'node:http'
import { isIPv4 } from 'node:net'
import { buildConnector, type Dispatcher, Pool } from 'undici'
import { parseStrictJson } from '../../platform/http/strict-json.ts'
import type { Words } from '../../values/language.ts'

/** One request to an operator. Its headers and body may hold secrets and numbers: nothing of them is ever logged. */
export type OperatorRequest = {
  method: 'GET' | 'POST' | 'PUT'
  /** Behind the base address, with its query. */
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
  /** For everything together: name, connection, headers and body. Absent: 30 s. */
  deadline_ms?: number
  /** Bytes of the answer's body at most; a larger answer is lost. Absent: 64 KiB. */
  body_max?: number
}

/**
 * How a request ended.
 * - `answered`: the whole answer is here; its status decides nothing by itself, and a redirect is an answer like another. `body` is its
 *   text without control characters. `json` is absent where the body is not JSON that two readers read alike (`strict-json.ts`); a number
 *   in it that is no exact integer, such as `2500.00`, is a `WrittenNumber`;
 * - `not_sent`: this client knows that no byte of the request was written;
 * - `lost`: anything else. The operator may have carried it out.
 *
 * A `reason` is in our own words and may be kept as evidence.
 */
export type OperatorReply =
  | { kind: 'answered'; status: number; headers: IncomingHttpHeaders; body: string; json?: unknown }
  | { kind: 'not_sent'; reason: string }
  | { kind: 'lost'; reason: string }

/** The one way to operators: nothing is thrown, whatever happens is a reply. */
export type OperatorHttp = {
  call(request: OperatorRequest): Promise<OperatorReply>
  /** Takes no more requests, waits for those under way, each of which has its deadline, and ends every connection. */
  close(): Promise<void>
}

export type OperatorHttpOptions = {
  /** Scheme, host, port and perhaps a path that stands before every request's. `baseUrlProblem` says which are taken. */
  base_url: string
  /** Certificates trusted instead of the usual ones, as PEM. */
  ca?: string
}

const DEADLINE_MS = 30_000
const BODY_BYTES_MAX = 65_536
/** Objects and lists inside one another at most. The deepest answer that an operator documents has 15. */
const DEPTH_MAX = 32

/**
 * Connections at most; further requests wait for one, within their deadline. They are divided, because the client goes through all that a
 * pool has, twice for each request, to find one that is free.
 */
const POOLS = 16
const POOL = {
  connections: 16,
  // One request at a time on a connection: what ends a connection then ends one request, and nothing is written behind it.
  pipelining: 1,
  allowH2: false,
  maxHeaderSize: 16_384,
  // A name that moved is followed after a minute. Idle connections go before common servers hang up (five seconds), because a request
  // that meets the end of its connection is in doubt.
  clientTtl: 60_000,
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 60_000,
  // The deadline over the whole request ends these waits.
  headersTimeout: 0,
  bodyTimeout: 0,
}

/**
 * The way to one operator, with connections of its own: HTTP/1.1, TLS from 1.2, no redirect followed, no answer unpacked, and never a
 * second try. Logs nothing.
 * @throws TypeError for a base address that `baseUrlProblem` refuses
 */
export function createOperatorHttp({ base_url, ca }: OperatorHttpOptions): OperatorHttp {
  const problem = baseUrlProblem(base_url)
  if (problem !== null) throw new TypeError(`base_url ${problem[1]}`)
  const { origin, pathname } = new URL(base_url)
  const prefix = pathname.replace(/\/$/, '')
  // One for all of them, because it remembers sessions of TLS.
  const connect = buildConnector({
    timeout: 10_000,
    allowH2: false,
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca }),
  })
  const pools = Array.from({ length: POOLS }, () => ({ pool: new Pool(origin, { ...POOL, connect }), requests: 0 }))
  const underWay = new Set<Promise<unknown>>()
  let closed = false
  return {
    async call(request) {
      if (closed) return { kind: 'not_sent', reason: 'this way to the operator is closed' }
      const chosen = pools.find(({ requests }) => requests < POOL.connections) ?? leastBusy(pools)
      const reply = dispatch(chosen.pool, { ...request, path: prefix + request.path })
      chosen.requests += 1
      underWay.add(reply)
      try {
        return await reply
      } finally {
        chosen.requests -= 1
        underWay.delete(reply)
      }
    },
    async close() {
      closed = true
      await Promise.all(underWay)
      await Promise.all(pools.map(({ pool }) => pool.destroy()))
    },
  }
}

function leastBusy<Busy extends { readonly requests: number }>(pools: readonly Busy[]): Busy {
  return pools.reduce((least, one) => (one.requests < least.requests ? one : least))
}

/**
 * Says why a text cannot be the base address of an operator, to follow the name of its setting; null: it can. Plain http is for this
 * machine alone: a twin, a test.
 */
export function baseUrlProblem(text: string): Words | null {
  if (!URL.canParse(text)) {
    return [
      'n’est pas une adresse ; donnez par exemple https://api.example.com.',
      'is not a URL; give one such as https://api.example.com.',
    ]
  }
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  if (username !== '' || password !== '') {
    return ['ne doit contenir ni utilisateur ni mot de passe.', 'must not hold a user or a password.']
  }
  if (search !== '' || hash !== '') return ['doit finir avant tout ? ou #.', 'must end before any ? or #.']
  if (protocol === 'https:') return null
  if (protocol !== 'http:') return ['doit commencer par https://.', 'must begin with https://.']
  if (isLoopback(hostname)) return null
  return [
    'doit commencer par https:// ; http:// ne va que vers cette machine.',
    'must begin with https://; http:// is for an address of this machine only.',
  ]
}

/** Whether the host of an address is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
}

/**
 * Sends one request once. The proof that nothing left is the client's own: it tells the handler in `onRequestStart` before it writes the
 * first byte of a request, on a connection that stands and whose certificate is good. A request that was not started has not left, and
 * one that starts after its reply was given, or a second time, is stopped there, before that byte.
 */
function dispatch(pool: Pool, request: OperatorRequest): Promise<OperatorReply> {
  const { promise, resolve } = Promise.withResolvers<OperatorReply>()
  const chunks: Buffer[] = []
  let bytes = 0
  let started: Dispatcher.DispatchController | null = null
  let head: { status: number; headers: IncomingHttpHeaders } | null = null
  let ended = false

  function end(reply: OperatorReply): void {
    if (ended) return
    ended = true
    clearTimeout(timer)
    resolve(reply)
  }
  function fail(reason: string): void {
    end({ kind: started === null ? 'not_sent' : 'lost', reason })
  }
  const timer = setTimeout(() => {
    fail(started === null ? 'no connection in time' : 'no whole answer in time')
    started?.abort(new Error('deadline'))
  }, request.deadline_ms ?? DEADLINE_MS)

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      if (ended || started !== null) throw new Error('not to be written')
      started = controller
    },
    onResponseStart(_controller, status, headers) {
      if (status >= 200) head = { status, headers }
    },
    onResponseData(controller, chunk) {
      bytes += chunk.length
      if (bytes <= (request.body_max ?? BODY_BYTES_MAX)) chunks.push(chunk)
      else {
        fail('the answer is too large')
        controller.abort(new Error('too large'))
      }
    },
    onResponseEnd() {
      if (head === null) return fail('no answer')
      const answered = { kind: 'answered' as const, ...head, ...read(Buffer.concat(chunks)) }
      // The client frees the connection in the turn after this one, which it asks for behind this call: the next request then finds it,
      // rather than open a second one.
      queueMicrotask(() => setImmediate(end, answered))
    },
    onResponseError: (_controller, error) => fail(reasonOf(error)),
  }
  const { method, path, headers, body } = request
  try {
    // Compressed answers are not asked for, so that none can be larger than it is counted.
    const sent = { ...headers, 'accept-encoding': 'identity' }
    pool.dispatch({ method, path, headers: sent, ...(body === undefined ? {} : { body }) }, handler)
  } catch (error) {
    fail(reasonOf(error))
  }
  return promise
}

function read(bytes: Buffer): { body: string; json?: unknown } {
  const body = bytes.toString('utf8').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
  const json = parseStrictJson(bytes, 'everywhere', DEPTH_MAX)
  return json.kind === 'parsed' ? { body, json: json.value } : { body }
}

/** The code of an error is a word of Node's or of the client's; its message may quote an address or bytes of the answer. */
function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown }
  const known = typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)
  return known ? `the connection failed (${code})` : 'the connection failed'
}
