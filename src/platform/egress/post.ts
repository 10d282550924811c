import type { Dispatcher } from 'undici'
import { machineMilliseconds } from '../clock.ts'
import { type Connections, createConnections } from './connections.ts'
import { createGuard, type Guard } from './guard.ts'
import { createResolve, type Resolve, rememberAnswers } from './resolve.ts'

/** Why no answer came. `refused_address` and `dns`: nothing was dialled. */
export type PostFailure = 'refused_address' | 'dns' | 'timeout' | 'connection' | 'tls' | 'too_large'

export type PostResult =
  | {
      readonly kind: 'answered'
      readonly status: number
      /** The first 4 KB as text, without control characters. */
      readonly excerpt: string
      /** The delay that `Retry-After` asked for, from now; null when it is absent or unreadable. */
      readonly retry_after_seconds: number | null
      readonly duration_ms: number
    }
  | { readonly kind: 'failed'; readonly reason: PostFailure; readonly duration_ms: number }

export type Post = {
  readonly url: string
  readonly body: string | Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly livemode: boolean
  /** For everything together: name, connection, headers and body. */
  readonly deadline_ms?: number
  /** Bytes of the answer that are read; a longer answer is cut there and its connection closed. */
  readonly answer_bytes_max?: number
}

export type EgressOptions = {
  /** Blocks that may be reached although they are not public (EGRESS_ALLOW); empty: none. */
  readonly allow: readonly string[]
  /** Whether live mode may reach this machine over plain http, where `allow` names it (EGRESS_LOOPBACK_HTTP); absent: not. */
  readonly loopback_http?: boolean
  /** The service's own `host` or `host:port` as the world sees it. */
  readonly own_hosts?: readonly string[]
  /** Asked at every attempt; absent: the name servers of this machine, whose answers are used again for 5 s. */
  readonly resolve?: Resolve
  /** Certificates trusted instead of the usual ones, as PEM. */
  readonly ca?: string
}

/** The one way out to addresses that a merchant gave us. */
export type Egress = {
  /** Whether an address may be called at all. Called at registration, and again by every `post`. */
  readonly vet: Guard
  /** Sends once. Redirects are not followed and nothing is thrown: whatever happens is a result. */
  post(post: Post): Promise<PostResult>
  /** Ends every connection. */
  close(): Promise<void>
}

const EXCERPT_BYTES_MAX = 4_096

/** The way out. One for each process: connections and answers of name servers are kept inside. */
export function createEgress({ allow, loopback_http = false, own_hosts = [], resolve, ca }: EgressOptions): Egress {
  const vet = createGuard({
    allow,
    loopback_http,
    own_hosts,
    resolve: resolve ?? rememberAnswers(createResolve({ system: allow.length > 0 })),
  })
  const connections = createConnections({ vet, ca })
  return {
    vet,
    close: () => connections.close(),
    async post(post) {
      const startedAt = performance.now()
      // Not AbortSignal.timeout, whose timers would stay for ten seconds after each of a thousand answers a second.
      const deadline = new AbortController()
      const timer = setTimeout(() => deadline.abort(), post.deadline_ms ?? 10_000)
      const { signal } = deadline
      const outcome = await send(vet, connections, post, signal).catch((error) => failure(error, signal))
      clearTimeout(timer)
      return { ...outcome, duration_ms: Math.round(performance.now() - startedAt) }
    },
  }
}

type WithoutDuration<Result> = Result extends unknown ? Omit<Result, 'duration_ms'> : never
type Outcome = WithoutDuration<PostResult>

async function send(vet: Guard, connections: Connections, post: Post, deadline: AbortSignal): Promise<Outcome> {
  const { promise: passed, reject } = Promise.withResolvers<never>()
  passed.catch(() => {})
  deadline.onabort = () => reject(deadline.reason)
  const target = await Promise.race([vet(post.url, post.livemode), passed])
  if (target.kind === 'refused') return { kind: 'failed', reason: target.reason }
  const { origin } = target.url
  const reused = connections.isOpen(origin)
  try {
    return await exchange(connections.kept, target.url, post, deadline)
  } catch (error) {
    // A server may close an idle connection in the moment we write into it. That says nothing about the server, so it
    // gets a second try on a connection of its own; that it may then see the message twice is in the contract.
    if (!reused || deadline.aborted || !isClosedConnection(error)) throw error
    const fresh = connections.fresh(origin)
    try {
      return await exchange(fresh, target.url, post, deadline)
    } finally {
      void fresh.close()
    }
  }
}

/**
 * One request and its answer. Read by hand, because `request()` makes a stream of every answer, which costs a third of all that a post costs.
 * The bytes are counted as they come: the status came whole, and what follows too much is thrown away with its connection.
 */
function exchange(way: Dispatcher, url: URL, post: Post, deadline: AbortSignal): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  const start: Buffer[] = []
  let bytes = 0
  let status = 0
  let retryAfter: string | null = null
  let controller: Dispatcher.DispatchController | null = null
  deadline.onabort = () => {
    reject(deadline.reason)
    controller?.abort(deadline.reason)
  }
  const answered = (): Outcome => ({
    kind: 'answered',
    status,
    excerpt: excerptOf(Buffer.concat(start)),
    retry_after_seconds: secondsFromNow(retryAfter),
  })
  way.dispatch(
    {
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      // Compressed answers are not asked for and never unpacked, so no answer can be larger than what we count.
      headers: { ...post.headers, 'accept-encoding': 'identity' },
      body: post.body,
    },
    {
      onRequestStart(started) {
        controller = started
        if (deadline.aborted) started.abort(deadline.reason)
      },
      onResponseStart(_controller, statusCode, headers) {
        if (statusCode < 200) return
        status = statusCode
        retryAfter = firstOf(headers['retry-after'])
      },
      onResponseData(reading, chunk) {
        if (bytes < EXCERPT_BYTES_MAX) start.push(chunk.subarray(0, EXCERPT_BYTES_MAX - bytes))
        bytes += chunk.length
        if (bytes <= (post.answer_bytes_max ?? 65_536)) return
        resolve(answered())
        reading.abort(new Error('The answer is longer than we read.'))
      },
      // The connection is free again one turn after this one. Answering after it lets the next request of the same line find
      // it, where answering now would open a second one.
      onResponseEnd: () => void setImmediate(() => setImmediate(resolve, answered())),
      onResponseError: (_controller, error) => reject(error),
    },
  )
  return promise
}

function firstOf(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null
}

function secondsFromNow(retryAfter: string | null): number | null {
  if (retryAfter === null) return null
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter)
  const at = Date.parse(retryAfter)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - machineMilliseconds()) / 1_000))
}

/** Bytes as text that a database and a screen can hold: what is not UTF-8 is replaced, control characters are dropped. */
function excerptOf(bytes: Buffer): string {
  const text = new TextDecoder('utf-8').decode(bytes, { stream: bytes.length === EXCERPT_BYTES_MAX })
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}

const TLS_CODES =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_|PATH_LENGTH_|ERROR_IN_CERT|EPROTO)/

function failure(error: unknown, deadline: AbortSignal): Outcome {
  if (deadline.aborted) return { kind: 'failed', reason: 'timeout' }
  const code = codeOf(error)
  if (code === 'UNVETTED_ADDRESS') return { kind: 'failed', reason: 'refused_address' }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return { kind: 'failed', reason: 'too_large' }
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return { kind: 'failed', reason: 'timeout' }
  return { kind: 'failed', reason: TLS_CODES.test(code) ? 'tls' : 'connection' }
}

function isClosedConnection(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
