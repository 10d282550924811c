import { isIP } from 'node:net'
import { canonicalAddress, isLoopback, judgeAddress, parseBlocks } from './address.ts'
import type { Resolve } from './resolve.ts'

/**
 * The message for every refused address. It is the same for all reasons, so that a merchant does not learn which names and services exist in
 * our network.
 */
export const REFUSED_ADDRESS_MESSAGE = 'This address cannot be used: a public https address is expected.'

const URL_LENGTH_MAX = 2_048
const NAME_LENGTH_MAX = 253
const ADDRESSES_MAX = 64

export type VettedTarget = {
  readonly kind: 'vetted'
  readonly url: URL
  /** Every IP address of the host, in canonical form. Connect to no other. */
  readonly addresses: readonly string[]
  /** Whether all of them are in `allow`, so that no proxy stands between. */
  readonly inside: boolean
}
export type RefusedTarget = {
  readonly kind: 'refused'
  /** The reason for our log. The caller gets only `REFUSED_ADDRESS_MESSAGE`. */
  readonly reason: 'refused_address' | 'dns'
}

export type GuardOptions = {
  /** Blocks that are allowed although they are not public. Empty: none. */
  allow: readonly string[]
  /** Whether live mode may also call this machine over plain http, if `allow` contains it. Absent: no. */
  loopback_http?: boolean
  /** The service's own public `host` or `host:port`, so that no merchant makes the service call itself. */
  own_hosts?: readonly string[]
  resolve: Resolve
}

/** Checks a URL that a merchant gave us. It queries name servers, so never call it inside a transaction. */
export type Guard = (text: string, livemode: boolean) => Promise<VettedTarget | RefusedTarget>

/**
 * The guard in front of every connection to a merchant's URL. It allows:
 * - public addresses, over https on port 443;
 * - addresses in `allow`, on any port, and in test mode also over plain http;
 * - with `loopback_http`, plain http in live mode too, if the address is this machine.
 *
 * It refuses a name if one of its addresses is refused.
 */
export function createGuard({ allow, loopback_http = false, own_hosts = [], resolve }: GuardOptions): Guard {
  const allowed = parseBlocks(allow)
  const own = new Set(own_hosts.map((host) => host.toLowerCase()))

  return async (text, livemode) => {
    const url = readUrl(text)
    if (url === null || own.has(url.host)) return { kind: 'refused', reason: 'refused_address' }
    const usual = url.protocol === 'https:' && url.port === ''
    if (!usual && allowed.length === 0) return { kind: 'refused', reason: 'refused_address' }

    const literal = canonicalAddress(url.hostname.replace(/^\[|\]$/g, ''))
    const found = literal === null ? await resolve(url.hostname).catch(() => []) : [literal]
    if (found.length === 0) return { kind: 'refused', reason: 'dns' }

    const judgements = found.map((address) => judgeAddress(address, allowed))
    const allAllowed = judgements.every((judgement) => judgement === 'allowed')
    const allReachable = judgements.every((judgement) => judgement !== 'refused')
    const plainHttp = url.protocol === 'http:'
    const mayBePlain = !livemode || (loopback_http && found.every(isLoopback))
    const fits = allAllowed ? !plainHttp || mayBePlain : allReachable && usual
    if (!fits) return { kind: 'refused', reason: 'refused_address' }
    return {
      kind: 'vetted',
      url,
      inside: allAllowed,
      addresses: found.slice(0, ADDRESSES_MAX).map((address) => canonicalAddress(address)!),
    }
  }
}

/**
 * Parses a URL as browsers do, which converts every other form of a host (`0x7f.1`, `2130706433`, full-width digits) into the
 * canonical one. Null if it is not http(s), contains a user or password, or has a misleading form.
 */
function readUrl(text: string): URL | null {
  // Browsers remove tabs and line breaks, and read a backslash as a slash. We refuse such a URL.
  if (text.length > URL_LENGTH_MAX || /[\s\u0000-\u001f\u007f\\]/.test(text)) return null
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  if (url.username !== '' || url.password !== '') return null
  if (url.hostname === '' || url.hostname.length > NAME_LENGTH_MAX || url.hostname.endsWith('.')) return null
  // Brackets contain only complete IPv6 addresses.
  if (url.hostname.startsWith('[') && isIP(url.hostname.slice(1, -1)) !== 6) return null
  return url
}
