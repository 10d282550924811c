import type { AddressInfo } from 'node:net'

/** The URL of a server that listens, such as `http://127.0.0.1:3000`. */
export function addressToCall({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
