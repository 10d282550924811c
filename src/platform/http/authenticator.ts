import type { IncomingHttpHeaders } from 'node:http'
import type { Caller, Scope } from '../../values/caller.ts'
import type { Refusal } from './refusal.ts'

/**
 * Every way in which a route can ask for its caller, and the caller that comes of it. `open` asks for nothing: pages, callbacks and
 * documentation, which stand beside the interface. They have no version, and their addresses may hold secrets, so that only the pattern
 * is written down.
 */
export type Callers = { api: Caller; open: null }
export type AuthenticatorName = keyof Callers

/** The parts of a request that an authenticator may look at. The body has not been read yet. */
export type AuthRequest = {
  readonly headers: IncomingHttpHeaders
  /** The client's address, seen through the trusted proxies; always a valid IP address. */
  readonly address: string
  /** The scope that the route requires of the key; undefined: any valid key. */
  readonly scope: Scope | 'any' | undefined
}

export type AuthResult =
  | { readonly kind: 'authenticated'; readonly caller: Caller }
  /** `caller`: known although refused (wrong scope, over the rate), so that the request log can say whose request it was. */
  | (Refusal & { readonly caller?: Caller | undefined })

/**
 * Decides whether a request may go on: key, then rate of the key, then scope. It may answer without a promise, which
 * spares a busy service one turn of the event loop for each request.
 */
export type Authenticator = { authenticate(request: AuthRequest): AuthResult | Promise<AuthResult> }
