import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

// AES-256-GCM: version, 12 random bytes, 16 bytes of tag, then the sealed text.
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts a text with a 32-byte key (`derivedKey`), for a place that others may read or copy.
 * @param place the owner of the text, such as the row's key: the bytes cannot be decrypted for another place
 */
export function seal(key: Buffer, text: string, place: string): Buffer {
  return sealBytes(key, Buffer.from(text), place)
}

/** The same for bytes, such as a piece of a file. */
export function sealBytes(key: Buffer, bytes: Uint8Array, place: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(bytes), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed])
}

/**
 * Decrypts the text that was encrypted for this place.
 * @throws if the key is another one, or the bytes were changed or moved
 */
export function unseal(key: Buffer, bytes: Uint8Array, place: string): string {
  return unsealBytes(key, bytes, place).toString('utf8')
}

/** The same for bytes. @throws as `unseal` */
export function unsealBytes(key: Buffer, bytes: Uint8Array, place: string): Buffer {
  const textAt = 1 + NONCE_BYTES + TAG_BYTES
  if (bytes[0] !== VERSION || bytes.length < textAt) throw new Error('These bytes were not sealed by this version.')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(1 + NONCE_BYTES, textAt))
  return Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()])
}
