import type { Log } from '../log.ts'
import type { CountedAs } from './about.ts'
import type { Refusal } from './refusal.ts'
import type { RequestContext } from './request-context.ts'
import type { Route } from './route.ts'

type MaybeLater<Value> = Value | Promise<Value>

/** The rate limit of an address. If it throws, the request passes: a broken limiter must not stop payments. */
export type AddressRate = {
  /** Counts a call before anything else is checked. Null lets it pass. */
  check(address: string, counts: CountedAs): MaybeLater<Refusal | null>
  /** Removes a call that was counted at this time. Never throws. */
  giveBack(address: string, counted_at: Date): void
}

/** Creates the check of each request. A limiter that fails lets the request pass, and the log says so. */
export function addressRateCheck(
  rate: AddressRate | undefined,
  routes: readonly Route<never>[],
  log: Log,
): (context: RequestContext) => MaybeLater<Refusal | null> {
  if (rate === undefined) return () => null
  const pages = addressesOf(routes.filter(({ counts }) => counts === 'page'))
  return ({ address, request_id, request }) => {
    const pass = (error: unknown): null => {
      log.error({ error, request_id }, 'http: rate limit check failed, request allowed')
      return null
    }
    try {
      const refusal = rate.check(address, pages.test(request.url!) ? 'page' : 'address')
      return refusal instanceof Promise ? refusal.catch(pass) : refusal
    } catch (error) {
      return pass(error)
    }
  }
}

/** An expression for the addresses of routes, as a client writes them. It runs before the router, on every call. */
export function addressesOf(routes: readonly Pick<Route, 'path'>[]): RegExp {
  const paths = routes.map(({ path }) => path.replaceAll(/[.*+?^$()[\]{}|\\]/g, '\\$&').replaceAll(/:\w+/g, '[^/?#]+'))
  return paths.length === 0 ? /(?!)/ : new RegExp(`^(?:${paths.join('|')})(?:\\?|$)`)
}
