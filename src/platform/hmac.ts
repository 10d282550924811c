import { hash } from 'node:crypto'

/** The length of a block of SHA-256, and of its result, in bytes. */
const BLOCK = 64
const DIGEST = 32

/** Computes the HMAC-SHA256 of a text under one key. */
export type Hmac = (text: string) => Buffer

/**
 * Returns a function that computes HMAC-SHA256 (RFC 2104) under a key of at most 64 bytes. By two calls of `hash`: an object of `createHmac` costs
 * twice the time, and each payment needs two.
 */
export function hmacSha256(key: Buffer): Hmac {
  const inner = Buffer.alloc(BLOCK, 0x36)
  const outer = Buffer.alloc(BLOCK + DIGEST, 0x5c)
  for (const [at, byte] of key.entries()) {
    inner[at]! ^= byte
    outer[at]! ^= byte
  }
  return (text) => {
    const message = Buffer.allocUnsafe(BLOCK + Buffer.byteLength(text))
    inner.copy(message)
    message.write(text, BLOCK)
    hash('sha256', message, 'buffer').copy(outer, BLOCK)
    return hash('sha256', outer, 'buffer')
  }
}
