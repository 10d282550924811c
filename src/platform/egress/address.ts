import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The verdict on an IP address: `public` is a global unicast address of the internet, `allowed` is one in `EGRESS_ALLOW`. Every other
 * address is refused.
 */
export type Judgement = 'public' | 'allowed' | 'refused'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Block = readonly [Address, number]

// The registries of special-purpose addresses (IANA, RFC 6890 and later), listed here so that no release of a library can allow one
// of them. The library's own check applies too, and either can refuse an address.
const closedV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; also 100.100.100.200, the metadata of Alibaba Cloud
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // the host of every machine at Azure; looks public, and answers only from inside
  '169.254.0.0/16', // link-local; also 169.254.169.254, the metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // multicast tunnels (AMT)
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
].map(parseBlock)

// All global unicast addresses are in 2000::/3; the refused ones in it follow. Everything else (loopback, fe80::/10, fc00::/7,
// ff00::/8, ::/96, 64:ff9b:1::/48, 100::/64, 5f00::/16…) is outside.
const globalV6 = parseBlock('2000::/3')
const closedV6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID, AMT, AS112
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: contains an IPv4 address and goes through an unknown relay
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // the old test network
  '3fff::/20', // documentation
].map(parseBlock)

/** The prefix of NAT64: networks without IPv4 reach an IPv4 address through it, in the last 32 bits. */
const nat64 = parseBlock('64:ff9b::/96')

/**
 * Returns the canonical form of an IP address, for comparisons. An IPv4 address in the form `::ffff:a.b.c.d` becomes the IPv4 address,
 * because the machine connects to that. Null for a text that is not an address, or names a network interface (`fe80::1%eth0`).
 */
export function canonicalAddress(text: string): string | null {
  const family = isIP(text)
  if (family === 0 || text.includes('%')) return null
  // Four numbers without leading zeros have no other form.
  return family === 4 ? text : ipaddr.process(withoutDots(text)).toString()
}

/** Writes the address in hexadecimal, because the library confuses `::127.0.0.1` with `::ffff:127.0.0.1`, another address. */
function withoutDots(text: string): string {
  return text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_dotted, ...parts: string[]) => {
    const [a, b, c, d] = parts.slice(0, 4).map(Number) as [number, number, number, number]
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
}

/** Reads blocks such as `10.0.0.0/8`. A single address is a block of one. */
export function parseBlocks(texts: readonly string[]): readonly Block[] {
  return texts.map(parseBlock)
}

function parseBlock(text: string): Block {
  const whole = isIP(text) === 4 ? `${text}/32` : isIP(text) === 6 ? `${text}/128` : text
  return ipaddr.parseCIDR(whole)
}

/** Returns the verdict on one address in any form. It refuses a text that is not an address. */
export function judgeAddress(text: string, allowed: readonly Block[]): Judgement {
  const canonical = canonicalAddress(text)
  if (canonical === null) return 'refused'
  const address = ipaddr.parse(canonical)
  if (within(address, allowed)) return 'allowed'
  return isPublic(address) ? 'public' : 'refused'
}

const loopback = parseBlocks(['127.0.0.0/8', '::1'])

/** Whether an address is this machine itself, so that nothing crosses a network. */
export function isLoopback(text: string): boolean {
  const canonical = canonicalAddress(text)
  return canonical !== null && within(ipaddr.parse(canonical), loopback)
}

function isPublic(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return !within(address, closedV4) && address.range() === 'unicast'
  if (within(address, [nat64])) return isPublic(new ipaddr.IPv4(address.toByteArray().slice(12)))
  if (!within(address, [globalV6]) || within(address, closedV6)) return false
  return address.range() === 'unicast' && !carriesIsatap(address)
}

/** Whether it is an ISATAP address: any prefix, then `0:5efe` and an IPv4 address, to which a tunnel sends the packet. */
function carriesIsatap(address: ipaddr.IPv6): boolean {
  const [, , , , first = 0, second = 0] = address.parts
  return (first & ~0x0200) === 0 && second === 0x5efe
}

function within(address: Address, blocks: readonly Block[]): boolean {
  return blocks.some(([start, bits]) => start.kind() === address.kind() && address.match(start as never, bits))
}
