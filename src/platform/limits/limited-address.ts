import ipaddr from 'ipaddr.js'

/**
 * Returns the address under which calls are counted. An IPv6 subscriber has 2^64 addresses (a /64), which count as one. An IPv4
 * address counts as one in every notation.
 */
export function limitedAddress(address: string): string {
  if (!address.includes(':')) return address
  const known = ipaddr.process(address.split('%', 1)[0]!)
  if (known instanceof ipaddr.IPv4) return known.toString()
  const network = known.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
