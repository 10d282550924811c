import type { IncomingHttpHeaders } from 'node:http'
import { errorMessages } from '../../values/error-codes.ts'
import { sha256 } from '../digest.ts'
import type { Idempotency } from './call.ts'
import type { RequestContext } from './request-context.ts'
import type { Route } from './route.ts'
import { canonicalJson } from './strict-json.ts'

/** Least and most characters of an `Idempotency-Key`: the least from the interface, the most from the database. */
const KEY_MIN = 8
const KEY_MAX = 255

/** The message about a wrong `Idempotency-Key` of a request, or null. It does not quote the key. */
export function explainKey(headers: IncomingHttpHeaders, idempotent: true | 'optional' | undefined): string | null {
  if (idempotent === undefined) return null
  const key = headers['idempotency-key']
  if (key === undefined) return idempotent === 'optional' ? null : errorMessages.idempotency_key_required
  const { length } = String(key)
  if (length < KEY_MIN) return `Idempotency-Key is too short (${length} of at least ${KEY_MIN} characters).`
  if (length > KEY_MAX) return `Idempotency-Key is too long (${length} of at most ${KEY_MAX} characters).`
  return typeof key === 'string' && /^[\x20-\x7e]*$/.test(key)
    ? null
    : 'Idempotency-Key may hold only letters, digits and signs of ASCII.'
}

/** Returns the key of a request and the fingerprint of what it asks for. Null: the route takes no key, or the request has none. */
export function idempotencyOf(context: RequestContext, route: Route, body: unknown): Idempotency | null {
  if (route.idempotent === undefined) return null
  const key = context.request.headers['idempotency-key']
  if (typeof key !== 'string') return null
  return { key, fingerprint: sha256(`${route.operation}\n${canonicalJson(body ?? null)}`) }
}
