import { randomBytes } from 'node:crypto'
import { sha256 } from '../platform/digest.ts'
import { base32Bytes } from '../values/ids.ts'
import { Secret } from '../values/secret.ts'

/**
 * A key reads `<prefix>_sk_<test|live>_` and then, without a break, 13 letters that name it (its `key_id`, 64 random
 * bits), 52 letters of secret (256 random bits) and 6 letters of checksum. The checksum lets a scanner of source code
 * tell a real key from a text that looks like one, and spares the database the typing errors.
 */
const PATTERN = /^[a-z]{2,8}_sk_(?:test|live)_([0-9a-hjkmnp-tv-z]{13})[0-9a-hjkmnp-tv-z]{58}$/

const CHECKSUM_LENGTH = 6

/** Longer than any key: of what is longer only this much is looked at. */
export const KEY_LENGTH_MAX = 128

/** A new key. It is known only here: the database gets its digest. */
export function newKey(key_prefix: string, livemode: boolean): { key_id: string; key: Secret } {
  const key_id = base32Bytes(randomBytes(8))
  const unchecked = `${key_prefix}_sk_${livemode ? 'live' : 'test'}_${key_id}${base32Bytes(randomBytes(32))}`
  return { key_id, key: new Secret(unchecked + checksum(unchecked)) }
}

/** The digest that the database keeps of a key. A fast one is enough for 256 random bits, and it runs on every request. */
export function keyDigest(key: string): Buffer {
  return sha256(key)
}

/**
 * The `key_id` in a key as it was sent, or null when it is not written like a key. The prefix of the brand is not
 * compared: the digest covers it, and keys outlive a change of brand.
 */
export function keyIdIn(sent: string): string | null {
  const key_id = PATTERN.exec(sent)?.[1]
  if (key_id === undefined) return null
  const end = sent.length - CHECKSUM_LENGTH
  return checksum(sent.slice(0, end)) === sent.slice(end) ? key_id : null
}

/** Not a secret: anyone can compute it, so it is compared like any text. */
function checksum(text: string): string {
  return base32Bytes(sha256(text).subarray(0, 4)).slice(0, CHECKSUM_LENGTH)
}
