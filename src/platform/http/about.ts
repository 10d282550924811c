import type { IncomingHttpHeaders } from 'node:http'
import { sha256 } from '../digest.ts'
import { limitedAddress } from '../limits/limited-address.ts'

/**
 * The thing that a call without a merchant is about. Its calls take turns in front of the database, as the calls of a merchant do, so that
 * one link or one address that is called often keeps nobody else waiting:
 * - `nothing`: the call never reaches the database, and takes no turn;
 * - `address`: the address of its caller;
 * - a parameter of its path, such as the token of an invitation;
 * - the session that its headers name; without one, the address.
 */
export type About =
  | 'nothing'
  | 'address'
  | { readonly parameter: string }
  | { readonly session: (headers: IncomingHttpHeaders) => string | null }

/** The count of its address that a call adds to: that of payers' pages, or that of everything else, unknown addresses too. */
export type CountedAs = 'address' | 'page'

/** The message about a declaration whose `about` is wrong, or null. Every open route has one, and no other route. */
export function explainAbout(
  { auth, about }: { readonly auth: string; readonly about?: About },
  params: readonly string[],
): string | null {
  if ((auth === 'open') !== (about !== undefined)) return 'an open route, and no other, says what it is about.'
  const isElsewhere = typeof about === 'object' && 'parameter' in about && !params.includes(about.parameter)
  return isElsewhere ? 'it is about a parameter that is not in the path.' : null
}

/** The most characters of a name. A longer one, which is none of ours, is kept as its hash. */
const NAME_MAX = 200

/** The name of the thing that a call is about. Null: it is about nothing. */
export function thingOf(
  about: About,
  {
    params,
    headers,
    address,
  }: { params: Readonly<Record<string, string>>; headers: IncomingHttpHeaders; address: string },
): string | null {
  if (about === 'nothing') return null
  const name = nameOf()
  return name.length <= NAME_MAX ? name : sha256(name).toString('base64url')

  function nameOf(): string {
    const session = typeof about === 'object' && 'session' in about ? about.session(headers) : null
    if (session !== null) return `session ${session}`
    return typeof about === 'object' && 'parameter' in about
      ? `${about.parameter} ${params[about.parameter] ?? ''}`
      : `address ${limitedAddress(address)}`
  }
}
