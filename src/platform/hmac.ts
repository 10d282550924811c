import { hash } from 'node:crypto'

/** The length of a block of SHA-256, and of its result, in bytes. */
const BLOCK = 64
const DIGEST = 32

/** Computes the HMAC-SHA256 of a text under one key. */
export type Hmac = (text: string) => Buffer

/** The message of a call, behind its inner block. Calls never wait, so that they share it. A longer text gets memory of its own. */
const shared = Buffer.alloc(2_048)
/** The blocks of a key that is used once. */
const once = { inner: Buffer.alloc(BLOCK), outer: Buffer.alloc(BLOCK + DIGEST) }

/**
 * Returns a function that computes HMAC-SHA256 (RFC 2104). By two calls of `hash` into texts of one character a byte, because each payment needs two
 * HMACs: the objects of `createHmac` take 3 µs, results in Buffers 2.5, these 1.
 * @throws RangeError for a key of more than 64 bytes
 */
export function hmacSha256(key: Buffer): Hmac {
  const blocks = { inner: Buffer.alloc(BLOCK), outer: Buffer.alloc(BLOCK + DIGEST) }
  fill(blocks, key)
  return (text) => Buffer.from(digest(blocks, text, 'latin1'), 'latin1')
}

/** Returns the HMAC-SHA256 of one text in hexadecimal digits, under a key that is used once. @throws RangeError as above */
export function hmacHex(key: Buffer, text: string): string {
  fill(once, key)
  return digest(once, text, 'hex')
}

type Blocks = typeof once

function fill({ inner, outer }: Blocks, key: Buffer): void {
  if (key.length > BLOCK) throw new RangeError(`A key of HMAC-SHA256 has at most ${BLOCK} bytes here.`)
  inner.fill(0x36)
  outer.fill(0x5c)
  for (let at = 0; at < key.length; at += 1) {
    inner[at]! ^= key[at]!
    outer[at]! ^= key[at]!
  }
}

function digest({ inner, outer }: Blocks, text: string, form: 'latin1' | 'hex'): string {
  // No character of a text has more than three bytes in UTF-8.
  const message = text.length * 3 <= shared.length - BLOCK ? shared : Buffer.alloc(BLOCK + Buffer.byteLength(text))
  message.set(inner)
  const length = BLOCK + message.write(text, BLOCK)
  outer.write(hash('sha256', message.subarray(0, length), 'latin1'), BLOCK, 'latin1')
  return hash('sha256', outer, form)
}
