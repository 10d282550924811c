import type { Scope } from '../../src/values/caller.ts'
import type { ErrorCode } from '../../src/values/error-codes.ts'
import type { Owner } from './sweep-owner.ts'

// The building blocks of the promises for routes: `interface.ts` has the routes of the interface, `extensions.ts` our additions.

export type Refusals = Readonly<Record<number, readonly ErrorCode[]>>

export type RouteInterface = {
  method: 'GET' | 'POST'
  path: string
  /** The keys that it takes. */
  keys: Scope | 'any'
  /** A request that succeeds, besides an id of the owner in the path. */
  good?: {
    body?(owner: Owner): unknown
    query?: string
    /** The place of the id among the owner's, if it is not the first, because another route changes the first one before. */
    at?: number
  }
  /** The statuses of a success. */
  successes: readonly number[]
  /** Status to codes, as the interface's own table of the route has them. */
  refusals: Refusals
  /** Where that table is silent, what we decided (docs/en). */
  added: Refusals
}

/** The refusals of every route behind a key, from the interface's conventions and its table of errors. */
export const everywhere = {
  401: ['authentication_required', 'invalid_api_key'],
  429: ['rate_limit_exceeded'],
} as const satisfies Refusals
/** The answer to another version in the header, a decision of ours. */
export const version = { 400: ['invalid_request'] } as const satisfies Refusals
export const scope = { 403: ['insufficient_scope'] } as const satisfies Refusals

/** Said on all of our additions. */
export const extension = { ...everywhere, ...version } as const satisfies Refusals
