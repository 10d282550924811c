import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Addresses that a key may be used from: a single one is a block too. `text` is how the database writes it. */
export type AddressBlock = { readonly text: string; readonly range: readonly [Address, number] }

/**
 * Reads a block such as `196.201.0.0/16`, or a single address. An IPv4 address in its IPv6 form (`::ffff:…`) is the IPv4
 * address it is. Null when it is neither. Bits right of the mask are dropped: `10.1.2.3/8` is `10.0.0.0/8`.
 */
export function parseAddressBlock(written: string): AddressBlock | null {
  const [host = '', bitsWritten, ...rest] = written.trim().split('/')
  const family = isIP(host)
  if (family === 0 || host.includes('%') || rest.length > 0) return null
  const widest = family === 4 ? 32 : 128
  if (bitsWritten !== undefined && !/^\d{1,3}$/.test(bitsWritten)) return null
  const bits = bitsWritten === undefined ? widest : Number(bitsWritten)
  if (bits > widest) return null
  const address = ipaddr.parse(host)
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) {
    return bits < 96 ? null : blockOf(address.toIPv4Address(), bits - 96)
  }
  return blockOf(address, bits)
}

/** Reads a list of blocks; null when one of them cannot be read. */
export function parseAddressBlocks(written: readonly string[]): AddressBlock[] | null {
  const blocks = written.map(parseAddressBlock)
  return blocks.every((block) => block !== null) ? blocks : null
}

function blockOf(address: Address, bits: number): AddressBlock {
  const bytes = address.toByteArray().map((byte, at) => byte & (0xff << Math.min(8, Math.max(0, 8 * (at + 1) - bits))))
  const first = ipaddr.fromByteArray(bytes)
  return { text: `${first.toString()}/${bits}`, range: [first, bits] }
}

/** An address in the form in which it is compared and stored, or null when the text is not one. */
export function parseAddress(text: string): Address | null {
  if (isIP(text) === 0) return null
  return ipaddr.process(text.split('%')[0]!)
}

/** Whether the address lies in one of the blocks. */
export function isWithin(address: Address, blocks: readonly AddressBlock[]): boolean {
  return blocks.some(({ range: [first, bits] }) => first.kind() === address.kind() && address.match(first, bits))
}
