import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/**
 * Reads the caller's IP address; always a valid one. It trusts only the proxies in `trusted` (addresses or blocks). It reads
 * `X-Forwarded-For` from its end, which the nearest proxy wrote, and stops at the first address that is not a trusted proxy. Text that a
 * caller writes at the beginning has no effect.
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

/** The address of the other end of the connection. A closed connection has none. */
function peerOf(request: IncomingMessage): string {
  const address = request.socket.remoteAddress
  return address === undefined ? '0.0.0.0' : plain(address)
}

/** The address in one entry of `X-Forwarded-For`, which some proxies write with a port. Null if there is none. */
function addressIn(entry: string): string | null {
  const address = /^\[(.+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry
  return isIP(address) === 0 ? null : plain(address)
}

/** The canonical form of an address: an IPv4 address inside IPv6 becomes IPv4, and a zone is removed. */
function plain(address: string): string {
  if (!address.includes(':')) return address
  const withoutZone = address.split('%', 1)[0]!.toLowerCase()
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(withoutZone)?.[1] ?? withoutZone
}
