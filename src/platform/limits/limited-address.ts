import ipaddr from 'ipaddr.js'

/**
 * The address under which calls are counted. An IPv6 network gives each of its subscribers 2^64 addresses (a /64), so
 * that is one; an IPv4 address is one however it is written.
 */
export function limitedAddress(address: string): string {
  if (!address.includes(':')) return address
  const known = ipaddr.process(address.split('%', 1)[0]!)
  if (known instanceof ipaddr.IPv4) return known.toString()
  const network = known.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
