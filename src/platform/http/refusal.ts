import { type ErrorCode, errorMessages } from '../../values/error-codes.ts'

/** A refusal on its way out: the code that clients test, its status, and what this one case adds. */
export type Refusal = {
  readonly kind: 'refused'
  readonly status: number
  readonly code: ErrorCode
  /** Instead of the code's usual sentence. Clients never test it. */
  readonly message?: string | undefined
  /** Added to the answer, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * An answer with its body already written, so that a stored answer leaves exactly as it was kept. It is JSON, unless the
 * headers name a `Content-Type`; an empty one has no type. A header of its own stands instead of the usual one of that name.
 */
export type Answer = {
  readonly status: number
  readonly body: string | Buffer
  /**
   * A body that is made while it is sent, instead of `body`, which is then empty. When it throws, the connection is cut: the client sees that its
   * download failed, and never a short file. When the client leaves, or was answered before, it is returned from: one that
   * holds something has begun, because a generator that has not runs no `finally`.
   */
  readonly stream?: AsyncIterable<string | Uint8Array> | undefined
  /** The error code when this is a refusal or a fault, for the request log. */
  readonly error_code: ErrorCode | null
  readonly headers: Readonly<Record<string, string>> | null
}

// The usual sentences never change while the process lives, so their bodies are written once.
const usualBodies = new Map(
  Object.entries(errorMessages).map(([code, message]) => [code, JSON.stringify({ error: { code, message } })]),
)

/** The body of every refusal and fault (interface, Errors). */
function errorBody(code: ErrorCode, message?: string | undefined): string {
  return message === undefined ? usualBodies.get(code)! : JSON.stringify({ error: { code, message } })
}

/** The answer that carries a refusal. */
export function refusalAnswer(refusal: Omit<Refusal, 'kind'>): Answer {
  return {
    status: refusal.status,
    body: errorBody(refusal.code, refusal.message),
    error_code: refusal.code,
    headers: refusal.headers ?? null,
  }
}
