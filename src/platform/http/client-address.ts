import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/**
 * Reads the caller's address. Only the proxies named in `trusted` (addresses or blocks) are believed about their clients: we
 * go through `X-Forwarded-For` from its end, which the nearest proxy wrote, and stop at the first address that is not
 * theirs. A caller can write anything at the other end and changes nothing. Always answers a valid IP address.
 */
export function createAddressReader(trusted: readonly string[]): (request: IncomingMessage) => string {
  if (trusted.length === 0) return peerOf
  const proxies = new BlockList()
  for (const block of trusted) {
    const [address = '', bits] = block.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(bits), family)
  }
  const isProxy = (address: string): boolean => proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

  return (request) => {
    let address = peerOf(request)
    const forwarded = request.headers['x-forwarded-for']
    if (forwarded === undefined) return address
    for (const entry of String(forwarded).split(',').reverse()) {
      if (!isProxy(address)) return address
      const next = addressIn(entry.trim())
      if (next === null) return address
      address = next
    }
    return address
  }
}

/** The other end of the connection. A connection that is already gone has no address left. */
function peerOf(request: IncomingMessage): string {
  const address = request.socket.remoteAddress
  return address === undefined ? '0.0.0.0' : plain(address)
}

/** The address in one entry of `X-Forwarded-For`, which some proxies write with a port; null when there is none. */
function addressIn(entry: string): string | null {
  const address = /^\[(.+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry
  return isIP(address) === 0 ? null : plain(address)
}

/** One writing for one address: an IPv4 address inside IPv6 is an IPv4 address, and a zone means nothing to others. */
function plain(address: string): string {
  if (!address.includes(':')) return address
  const withoutZone = address.split('%', 1)[0]!.toLowerCase()
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(withoutZone)?.[1] ?? withoutZone
}
