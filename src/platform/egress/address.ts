import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The judgement on an address: `public` is a global unicast address of the internet, `allowed` one that the operator of the
 * service listed, and every other is refused.
 */
export type Judgement = 'public' | 'allowed' | 'refused'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Block = readonly [Address, number]

// The registries of special-purpose addresses (IANA, RFC 6890 and after), written out here so that no release of a
// library can open one of them. The library's own opinion is asked as well, and either can refuse.
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

// All global unicast lies in 2000::/3; what is closed inside it follows. Everything else (loopback, fe80::/10, fc00::/7,
// ff00::/8, ::/96, 64:ff9b:1::/48, 100::/64, 5f00::/16…) is outside.
const globalV6 = parseBlock('2000::/3')
const closedV6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID, AMT, AS112
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4 carries an IPv4 address to a relay that nobody can vet
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // the old test network
  '3fff::/20', // documentation
].map(parseBlock)

/** Networks without IPv4 reach it through this prefix; their resolver writes the IPv4 address into the last 32 bits. */
const nat64 = parseBlock('64:ff9b::/96')

/**
 * The one writing of an address, so that two can be compared; an IPv4 address wrapped as `::ffff:a.b.c.d` is the IPv4
 * address, because that is what the machine dials. Null for what is no address, or names a network card (`fe80::1%eth0`).
 */
export function canonicalAddress(text: string): string | null {
  const family = isIP(text)
  if (family === 0 || text.includes('%')) return null
  // Four numbers without leading zeros have no other writing.
  return family === 4 ? text : ipaddr.process(withoutDots(text)).toString()
}

/** The library takes `::127.0.0.1` for `::ffff:127.0.0.1`, which is another address; in hexadecimal it does not. */
function withoutDots(text: string): string {
  return text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_dotted, ...parts: string[]) => {
    const [a, b, c, d] = parts.slice(0, 4).map(Number) as [number, number, number, number]
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
}

/** Reads blocks such as `10.0.0.0/8`; an address alone is a block of one. */
export function parseBlocks(texts: readonly string[]): readonly Block[] {
  return texts.map(parseBlock)
}

function parseBlock(text: string): Block {
  const whole = isIP(text) === 4 ? `${text}/32` : isIP(text) === 6 ? `${text}/128` : text
  return ipaddr.parseCIDR(whole)
}

/** Judges one address, written in any form. A text that is no address is refused. */
export function judgeAddress(text: string, allowed: readonly Block[]): Judgement {
  const canonical = canonicalAddress(text)
  if (canonical === null) return 'refused'
  const address = ipaddr.parse(canonical)
  if (within(address, allowed)) return 'allowed'
  return isPublic(address) ? 'public' : 'refused'
}

const loopback = parseBlocks(['127.0.0.0/8', '::1'])

/** Whether an address is this machine itself: what is sent there passes no network. */
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

/** ISATAP writes an IPv4 address after `0:5efe` in the last 64 bits of any prefix, and a tunnel takes the packet there. */
function carriesIsatap(address: ipaddr.IPv6): boolean {
  const [, , , , first = 0, second = 0] = address.parts
  return (first & ~0x0200) === 0 && second === 0x5efe
}

function within(address: Address, blocks: readonly Block[]): boolean {
  return blocks.some(([start, bits]) => start.kind() === address.kind() && address.match(start as never, bits))
}
