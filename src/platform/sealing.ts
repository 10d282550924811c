import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

// AES-256-GCM: version, 12 random bytes, 16 bytes of tag, then the sealed text.
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Seals a text under a 32-byte key (`derivedKey`), for a place that may be read or copied by others.
 * @param place what the text belongs to, such as the row's key: sealed bytes moved to another place do not open there
 */
export function seal(key: Buffer, text: string, place: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed])
}

/**
 * The text that was sealed for this place.
 * @throws when the key is another one, or the bytes were changed or moved
 */
export function unseal(key: Buffer, bytes: Uint8Array, place: string): string {
  const textAt = 1 + NONCE_BYTES + TAG_BYTES
  if (bytes[0] !== VERSION || bytes.length < textAt) throw new Error('These bytes were not sealed by this version.')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(1 + NONCE_BYTES, textAt))
  return Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()]).toString('utf8')
}
