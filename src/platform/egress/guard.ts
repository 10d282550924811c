import { isIP } from 'node:net'
import { canonicalAddress, isLoopback, judgeAddress, parseBlocks } from './address.ts'
import type { Resolve } from './resolve.ts'

/**
 * The message for every refused address. One sentence for all reasons: a merchant must not learn from us
 * which names exist inside our network, or what listens there.
 */
export const REFUSED_ADDRESS_MESSAGE = 'This address cannot be used: a public https address is expected.'

const URL_LENGTH_MAX = 2_048
const NAME_LENGTH_MAX = 253
const ADDRESSES_MAX = 64

export type VettedTarget = {
  readonly kind: 'vetted'
  readonly url: URL
  /** Every address of the host, in canonical writing. Nothing else may be dialled. */
  readonly addresses: readonly string[]
}
export type RefusedTarget = {
  readonly kind: 'refused'
  /** For our own records; the caller is told only `REFUSED_ADDRESS_MESSAGE`. */
  readonly reason: 'refused_address' | 'dns'
}

export type GuardOptions = {
  /** Blocks that may be reached although they are not public; empty: none. */
  allow: readonly string[]
  /** Whether live mode, too, may reach this machine over plain http, where `allow` names it; absent: not. */
  loopback_http?: boolean
  /** The service's own `host` or `host:port` as the world sees it: nobody makes it call itself. */
  own_hosts?: readonly string[]
  resolve: Resolve
}

/** Judges an address a merchant gave us. Asks the name servers, so it is never called inside a transaction. */
export type Guard = (text: string, livemode: boolean) => Promise<VettedTarget | RefusedTarget>

/**
 * A guard in front of every connection we make because a merchant told us to. Public addresses are reached over https
 * on port 443; addresses in `allow` on any port, and in test mode over plain http as well, with `loopback_http` in live mode too where they
 * are this machine, which no network carries. A name is refused when any one of its addresses is.
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
      addresses: found.slice(0, ADDRESSES_MAX).map((address) => canonicalAddress(address)!),
    }
  }
}

/**
 * Reads an address as browsers do, which turns every other writing of a host (`0x7f.1`, `2130706433`, full-width digits)
 * into the plain one. Null when it is not http(s), carries a name and password, or is written to be misread.
 */
function readUrl(text: string): URL | null {
  // Browsers drop tabs and line ends and take a backslash for a slash; we do not guess what was meant.
  if (text.length > URL_LENGTH_MAX || /[\s\u0000-\u001f\u007f\\]/.test(text)) return null
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  if (url.username !== '' || url.password !== '') return null
  if (url.hostname === '' || url.hostname.length > NAME_LENGTH_MAX || url.hostname.endsWith('.')) return null
  // Only whole addresses stand in brackets, and a name in them is none.
  if (url.hostname.startsWith('[') && isIP(url.hostname.slice(1, -1)) !== 6) return null
  return url
}
