import type { Dispatcher } from 'undici'
import { machineMilliseconds } from '../clock.ts'
import { type ConnectionFailure, codeOfError, failureOfCode } from './connection-failure.ts'
import { type Connections, createConnections } from './connections.ts'
import type { ProxySettings } from './connector.ts'
import { createGuard, type Guard } from './guard.ts'
import { createResolve, type Resolve, rememberAnswers } from './resolve.ts'

/** The reason for a missing answer. With `refused_address` and `dns` no connection was made. */
export type PostFailure = 'refused_address' | 'too_large' | ConnectionFailure

export type PostResult =
  | {
      readonly kind: 'answered'
      readonly status: number
      /** The first 4 KB as text, without control characters. */
      readonly excerpt: string
      /** The delay in `Retry-After`, from now. Null if it is absent or unreadable. */
      readonly retry_after_seconds: number | null
      readonly duration_ms: number
    }
  | { readonly kind: 'failed'; readonly reason: PostFailure; readonly duration_ms: number }

export type Post = {
  readonly url: string
  readonly body: string | Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly livemode: boolean
  /** The time limit for everything together: name, connection, headers and body. */
  readonly deadline_ms?: number
  /** The most bytes of the answer. A longer answer is cut there, and its connection closed. */
  readonly answer_bytes_max?: number
}

export type EgressOptions = {
  /** Blocks that are allowed although they are not public (EGRESS_ALLOW). Empty: none. */
  readonly allow: readonly string[]
  /** Whether live mode may call this machine over plain http, if `allow` contains it (EGRESS_LOOPBACK_HTTP). Absent: no. */
  readonly loopback_http?: boolean
  /** The service's own public `host` or `host:port`. */
  readonly own_hosts?: readonly string[]
  /** Resolves names, at every attempt. Absent: the name servers of this machine, whose answers are cached for 5 s. */
  readonly resolve?: Resolve
  /** The trusted certificates instead of the usual ones, as PEM. */
  readonly ca?: string
  /** The proxy for addresses that are not in `allow`. Absent: none. */
  readonly proxy?: ProxySettings | null
}

/** The only way to call a URL that a merchant gave us. */
export type Egress = {
  /** Checks whether a URL is allowed. Called at registration, and again by every `post`. */
  readonly vet: Guard
  /** Sends once. Follows no redirect and never throws: every outcome is a result. */
  post(post: Post): Promise<PostResult>
  /** Closes every connection. */
  close(): Promise<void>
}

const EXCERPT_BYTES_MAX = 4_096

/** Creates the sender. Each process has one, which keeps the connections and the answers of name servers. */
export function createEgress(options: EgressOptions): Egress {
  const { allow, loopback_http = false, own_hosts = [], resolve, ca, proxy = null } = options
  const vet = createGuard({
    allow,
    loopback_http,
    own_hosts,
    resolve: resolve ?? rememberAnswers(createResolve({ system: allow.length > 0 })),
  })
  const connections = createConnections({ vet, ca, proxy: proxy?.url ?? null })
  return {
    vet,
    close: () => connections.close(),
    async post(post) {
      const startedAt = performance.now()
      // Not AbortSignal.timeout: its timer would remain for ten seconds after each of a thousand answers a second.
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
    // A server may close an idle connection while we write to it. That is not a failure of the server, so we try again on a new
    // connection. The server may then get the message twice, which delivery at least once allows.
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
 * Makes one request and reads its answer. It uses the dispatcher's callbacks, because `request()` makes a stream for every answer, which is a
 * third of the cost of a post. It counts the bytes as they arrive. If there are too many, it keeps the status and closes the connection.
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
      // We neither request nor decompress compressed answers, so no answer can be larger than the bytes that we count.
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
      // The connection is free in the next turn of the event loop. If we answered now, the next request of the same queue would open
      // a second connection.
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

/** Converts bytes to a text for the database and the screen: replaces invalid UTF-8 and removes control characters. */
function excerptOf(bytes: Buffer): string {
  const text = new TextDecoder('utf-8').decode(bytes, { stream: bytes.length === EXCERPT_BYTES_MAX })
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}

function failure(error: unknown, deadline: AbortSignal): Outcome {
  if (deadline.aborted) return { kind: 'failed', reason: 'timeout' }
  const code = codeOfError(error)
  if (code === 'UNVETTED_ADDRESS') return { kind: 'failed', reason: 'refused_address' }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return { kind: 'failed', reason: 'too_large' }
  return { kind: 'failed', reason: failureOfCode(code) }
}

function isClosedConnection(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOfError(error))
}
