import type { IncomingHttpHeaders } from 'node:http'
import type { Caller, Scope } from '../../values/caller.ts'
import type { Refusal } from './refusal.ts'

/**
 * The kinds of authentication of a route, with the caller that each returns. `open` authenticates nobody: it is for pages, callbacks and
 * documentation, which are not part of the interface. They have no version. Their addresses may contain secrets, so the service logs only the
 * pattern of the address.
 */
export type Callers = { api: Caller; open: null }
export type AuthenticatorName = keyof Callers

/** The parts of a request that an authenticator may use. The body has not been read yet. */
export type AuthRequest = {
  readonly headers: IncomingHttpHeaders
  /** The client's address, seen through the trusted proxies; always a valid IP address. */
  readonly address: string
  /** The scope that the route requires of the key; undefined: any valid key. */
  readonly scope: Scope | 'any' | undefined
}

export type AuthResult =
  | { readonly kind: 'authenticated'; readonly caller: Caller }
  /** `caller`: the caller, if known although refused (wrong scope, over the rate limit), for the request log. */
  | (Refusal & { readonly caller?: Caller | undefined })

/**
 * Decides whether a request may continue: key, then rate limit of the key, then scope. It may answer without a promise, which
 * saves a busy service one turn of the event loop for each request.
 */
export type Authenticator = { authenticate(request: AuthRequest): AuthResult | Promise<AuthResult> }
