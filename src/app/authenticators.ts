import type { Authentication } from '../api-keys/authenticate.ts'
import type { AddressRate } from '../platform/http/address-rate.ts'
import type { Authenticator, AuthRequest, AuthResult } from '../platform/http/authenticator.ts'
import type { Refusal } from '../platform/http/refusal.ts'
import { limitedAddress } from '../platform/limits/limited-address.ts'
import { type Hit, headersFor, type Limits } from '../platform/limits/windows.ts'
import type { Caller } from '../values/caller.ts'

type MaybeLater<Value> = Value | Promise<Value>

export type ApiAuthenticatorOptions = {
  authenticate(authorization: string | undefined, address: string): MaybeLater<Authentication>
  limits: Pick<Limits, 'hit'>
  /** Most calls per minute with one key. */
  rate_per_key: number
}

/** All 401 answers have the same headers, so that only the code tells them apart. */
const challenge = { 'WWW-Authenticate': 'Bearer' }

/**
 * The authenticator of the API: it checks the key, then its rate, then its scope. A cached key within its rate is
 * answered synchronously, without a promise.
 */
export function createApiAuthenticator({ authenticate, limits, rate_per_key }: ApiAuthenticatorOptions): Authenticator {
  function judgeKey(found: Authentication, scope: AuthRequest['scope']): MaybeLater<AuthResult> {
    if (found.kind === 'refused') return { ...found, status: 401, headers: challenge }
    const { caller } = found
    const hit = limits.hit('key', caller.key_id, rate_per_key)
    return hit instanceof Promise ? hit.then((known) => judgeCall(known, caller, scope)) : judgeCall(hit, caller, scope)
  }

  return {
    authenticate({ headers, address, scope }) {
      const found = authenticate(headers.authorization, address)
      return found instanceof Promise ? found.then((known) => judgeKey(known, scope)) : judgeKey(found, scope)
    },
  }
}

function judgeCall(hit: Hit, caller: Caller, scope: AuthRequest['scope']): AuthResult {
  if (!hit.passed) return { ...tooMany(hit), caller }
  if (scope === undefined || scope === 'any' || scope === caller.scope) return { kind: 'authenticated', caller }
  return { kind: 'refused', status: 403, code: 'insufficient_scope', caller }
}

/**
 * Counts the calls from an address, before any other check. Those of payers' pages have a count of their own, because many payers share the
 * address of their network.
 */
export function createAddressLimit({
  limits,
  rate_per_address,
  pages_per_address,
}: {
  limits: Pick<Limits, 'hit' | 'giveBack'>
  /** Most calls per minute from one address, and most of payers' pages. */
  rate_per_address: number
  pages_per_address: number
}): AddressRate {
  const caps = { address: rate_per_address, page: pages_per_address }
  return {
    check(address, counts) {
      const hit = limits.hit(counts, limitedAddress(address), caps[counts])
      return hit instanceof Promise ? hit.then(refusalOf) : refusalOf(hit)
    },
    giveBack: (address, counted_at) => void limits.giveBack('address', limitedAddress(address), counted_at),
  }
}

function refusalOf(hit: Hit): Refusal | null {
  return hit.passed ? null : tooMany(hit)
}

function tooMany(hit: Hit): Refusal {
  return { kind: 'refused', status: 429, code: 'rate_limit_exceeded', headers: headersFor(hit) }
}
