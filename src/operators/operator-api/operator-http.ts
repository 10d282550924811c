import type { IncomingHttpHeaders } from 'node:http'
import { isIP, isIPv4, type LookupFunction } from 'node:net'
import { type Dispatcher, Pool } from 'undici'
import { judgeAddress, parseBlocks } from '../../platform/egress/address.ts'
import { codeOfError } from '../../platform/egress/connection-failure.ts'
import { createConnector, type ProxySettings, proxyFor } from '../../platform/egress/connector.ts'
import { parseStrictJson } from '../../platform/http/strict-json.ts'
import type { Words } from '../../values/language.ts'
import { compressionOf, inUtf8 } from './answer-encoding.ts'

/** One request to an operator. We never log its headers or body, because they can contain secrets and phone numbers. */
export type OperatorRequest = {
  method: 'GET' | 'POST' | 'PUT'
  /** The path after the base address, with the query. */
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
  /** Milliseconds for everything together: name, connection, headers and body. Absent means 30 s. */
  deadline_ms?: number
  /** Most bytes of the answer's body. A larger answer counts as lost. Absent means 64 KiB. */
  body_max?: number
}

/**
 * How a request ended.
 * - `answered`: the whole answer is here; its status decides nothing by itself, and a redirect is an answer like another. `body` is its
 *   text without control characters. `json` is absent where the body is not JSON that two readers read alike (`strict-json.ts`); a number
 *   in it that is no exact integer, such as `2500.00`, is a `WrittenNumber`. `compressed` names the compression of a body that we cannot read;
 * - `not_sent`: this client knows that no byte of the request was written;
 * - `lost`: anything else. The operator may have carried it out.
 *
 * A `reason` is in our own words and may be kept as evidence.
 */
export type OperatorReply =
  | {
      kind: 'answered'
      status: number
      headers: IncomingHttpHeaders
      body: string
      json?: unknown
      compressed?: string
    }
  | { kind: 'not_sent'; reason: string }
  | { kind: 'lost'; reason: string }

/** The only HTTP client for operators. It never throws: every outcome is a reply. */
export type OperatorHttp = {
  call(request: OperatorRequest): Promise<OperatorReply>
  /** Accepts no more requests, waits for those in progress until their deadlines, and ends every connection. */
  close(): Promise<void>
}

export type OperatorHttpOptions = {
  /** Scheme, host, port, and an optional path before that of each request. Checked by `baseUrlProblem`. */
  base_url: string
  /** Trusted certificates as PEM, instead of the default ones. */
  ca?: string
  /** How calls leave this machine. Absent: directly, and over plain http to this machine only. */
  way?: WayToOperators
  /** Finds the addresses of a name. Absent: the system does. */
  lookup?: LookupFunction
}

/** How calls to operators leave the company's network. */
export type WayToOperators = {
  readonly proxy: ProxySettings | null
  /** Blocks of addresses that may be called over plain http (OPERATOR_HTTP_ALLOW): a VPN encrypts the line to them. */
  readonly http_allow: readonly string[]
}

const DIRECTLY: WayToOperators = { proxy: null, http_allow: [] }

const DEADLINE_MS = 30_000
const BODY_BYTES_MAX = 65_536
/** Most levels of nested objects and lists. The deepest answer in an operator's documentation has 15. */
const DEPTH_MAX = 32

/**
 * Most connections. Further requests wait for one, within their deadline. The connections are divided into pools, because
 * for each request the client searches all connections of a pool twice.
 */
const POOLS = 16
const POOL = {
  connections: 16,
  // One request at a time on a connection, so that the end of a connection ends only one request.
  pipelining: 1,
  allowH2: false,
  maxHeaderSize: 16_384,
  // We follow a changed DNS name after a minute. We close idle connections before common servers do (five seconds), because
  // the outcome of a request on a closing connection is uncertain.
  clientTtl: 60_000,
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 60_000,
  // The deadline of the whole request ends these waits.
  headersTimeout: 0,
  bodyTimeout: 0,
}

/**
 * Creates the client of one operator with its own connections: HTTP/1.1, TLS 1.2 or later. It follows no redirect,
 * decompresses no answer, never sends a request twice, and logs nothing.
 * @throws TypeError for a base address that `baseUrlProblem` refuses
 */
export function createOperatorHttp({ base_url, ca, way = DIRECTLY, lookup }: OperatorHttpOptions): OperatorHttp {
  const problem = baseUrlProblem(base_url, way.http_allow)
  if (problem !== null) throw new TypeError(`base_url ${problem[1]}`)
  const { origin, hostname, pathname } = new URL(base_url)
  const proxy = proxyFor(way.proxy, hostname)
  const prefix = pathname.replace(/\/$/, '')
  // One connector for all pools, because it keeps the TLS sessions.
  const connect = createConnector({
    ca,
    lookup,
    minVersion: 'TLSv1.2',
    tunnel: proxy === null ? null : { proxy },
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
 * The reason why a text cannot be the base address of an operator, to follow the name of its setting. Null when it can.
 * Plain http is only for this machine, for a twin or a test, and for the addresses in `http_allow`, which a VPN protects.
 */
export function baseUrlProblem(text: string, http_allow: readonly string[] = []): Words | null {
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
  if (isLoopback(hostname) || isIn(http_allow, hostname)) return null
  return [
    'doit commencer par https:// ; http:// ne va que vers cette machine, ou vers une adresse IP de OPERATOR_HTTP_ALLOW.',
    'must begin with https://; http:// is only for this machine, or for an IP address in OPERATOR_HTTP_ALLOW.',
  ]
}

/** Whether the host of an address is an IP address in these blocks. A name can lead elsewhere tomorrow. */
function isIn(blocks: readonly string[], hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) !== 0 && judgeAddress(host, parseBlocks(blocks)) === 'allowed'
}

/** Whether the host of an address is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
}

/**
 * Sends one request once. The client calls `onRequestStart` on an open connection with a valid certificate, before it
 * writes the first byte. So a request that was not started was not sent. A request that starts after its reply was
 * given, or a second time, is stopped there, before that byte.
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
      const answered = { kind: 'answered' as const, ...head, ...read(Buffer.concat(chunks), head.headers) }
      // The client frees the connection in the next turn of the event loop. After that turn the next request finds it free,
      // and opens no second one.
      queueMicrotask(() => setImmediate(end, answered))
    },
    onResponseError: (_controller, error) => fail(reasonOf(error)),
  }
  const { method, path, headers, body } = request
  try {
    // We ask for no compression, so that no answer is larger than the bytes that we count.
    const sent = { ...headers, 'accept-encoding': 'identity' }
    pool.dispatch({ method, path, headers: sent, ...(body === undefined ? {} : { body }) }, handler)
  } catch (error) {
    fail(reasonOf(error))
  }
  return promise
}

function read(received: Buffer, headers: IncomingHttpHeaders): { body: string; json?: unknown; compressed?: string } {
  const compressed = compressionOf(received, headers)
  if (compressed !== null) return { body: '', compressed }
  const bytes = inUtf8(received, headers)
  const body = bytes.toString('utf8').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
  const json = parseStrictJson(bytes, 'everywhere', DEPTH_MAX)
  return json.kind === 'parsed' ? { body, json: json.value } : { body }
}

/** The code of an error, from Node or the client. We never use its message, which can quote an address or bytes of the answer. */
function reasonOf(error: unknown): string {
  const code = codeOfError(error)
  const known = /^[A-Z][A-Z0-9_]{1,60}$/.test(code)
  return known ? `the connection failed (${code})` : 'the connection failed'
}
