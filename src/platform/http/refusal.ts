import { type ErrorCode, errorMessages } from '../../values/error-codes.ts'

/** A refusal: the code that clients test, its status, and the details of this one case. */
export type Refusal = {
  readonly kind: 'refused'
  readonly status: number
  readonly code: ErrorCode
  /** Replaces the usual sentence of the code. Clients never test it. */
  readonly message?: string | undefined
  /** Added to the answer, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * An answer whose body is already text, so that a stored answer is sent byte for byte. It is JSON, unless the headers contain a
 * `Content-Type`; an empty body has no type. A header here replaces the usual header of the same name.
 */
export type Answer = {
  readonly status: number
  readonly body: string | Buffer
  /**
   * A body that is generated while it is sent, instead of `body`, which is then empty. If it throws, the connection is cut, so that the client
   * sees a failed download and never a short file. If the client leaves, or was answered before, the generator's `return` is called. A generator
   * that holds a resource must have begun, because one that has not begun runs no `finally`.
   */
  readonly stream?: AsyncIterable<string | Uint8Array> | undefined
  /** The error code when this is a refusal or a fault, for the request log. */
  readonly error_code: ErrorCode | null
  readonly headers: Readonly<Record<string, string>> | null
  /** True: the call gives its count back to its address, because its caller has proven who it is. */
  readonly uncounted?: true
}

// The usual sentences never change, so each body is written once.
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
