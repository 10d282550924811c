import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A block of addresses from which a key may be used; a single address is a block too. `text`: the form in which the database writes it. */
export type AddressBlock = { readonly text: string; readonly range: readonly [Address, number] }

/**
 * Reads a block such as `196.201.0.0/16`, or a single address. An IPv4 address written as IPv6 (`::ffff:…`) becomes the IPv4 address. Bits
 * right of the mask are dropped: `10.1.2.3/8` becomes `10.0.0.0/8`. Null when the text is neither.
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

/** Reads a list of blocks. Null when one of them is invalid. */
export function parseAddressBlocks(written: readonly string[]): AddressBlock[] | null {
  const blocks = written.map(parseAddressBlock)
  return blocks.every((block) => block !== null) ? blocks : null
}

function blockOf(address: Address, bits: number): AddressBlock {
  const bytes = address.toByteArray().map((byte, at) => byte & (0xff << Math.min(8, Math.max(0, 8 * (at + 1) - bits))))
  const first = ipaddr.fromByteArray(bytes)
  return { text: `${first.toString()}/${bits}`, range: [first, bits] }
}

/** Reads an address in the form in which addresses are compared and stored. Null when the text is no address. */
export function parseAddress(text: string): Address | null {
  if (isIP(text) === 0) return null
  return ipaddr.process(text.split('%')[0]!)
}

/** Whether the address is in one of the blocks. */
export function isWithin(address: Address, blocks: readonly AddressBlock[]): boolean {
  return blocks.some(({ range: [first, bits] }) => first.kind() === address.kind() && address.match(first, bits))
}
