import { randomBytes } from 'node:crypto'
import { sha256 } from '../platform/digest.ts'
import { base32Bytes } from '../values/ids.ts'
import { Secret } from '../values/secret.ts'

/**
 * A key is `<prefix>_sk_<test|live>_` followed, without a separator, by 13 letters of its `key_id` (64 random bits), 52 letters of secret
 * (256 random bits) and 6 letters of checksum. With the checksum a scanner of source code recognises real keys, and typing errors cause no
 * read of the database.
 */
const PATTERN = /^[a-z]{2,8}_sk_(?:test|live)_([0-9a-hjkmnp-tv-z]{13})[0-9a-hjkmnp-tv-z]{58}$/

const CHECKSUM_LENGTH = 6

/** The most characters that are read of a key. Every key is shorter. */
export const KEY_LENGTH_MAX = 128

/** Makes a new key. The database gets only its digest. */
export function newKey(key_prefix: string, livemode: boolean): { key_id: string; key: Secret } {
  const key_id = base32Bytes(randomBytes(8))
  const unchecked = `${key_prefix}_sk_${livemode ? 'live' : 'test'}_${key_id}${base32Bytes(randomBytes(32))}`
  return { key_id, key: new Secret(unchecked + checksum(unchecked)) }
}

/** The digest of a key, as the database stores it. A fast digest is enough for 256 random bits, and every request computes it. */
export function keyDigest(key: string): Buffer {
  return sha256(key)
}

/**
 * Reads the `key_id` of a key as sent. Null when the text does not have the form of a key. The prefix is not compared: the digest covers
 * it, and keys stay valid when the brand changes.
 */
export function keyIdIn(sent: string): string | null {
  const key_id = PATTERN.exec(sent)?.[1]
  if (key_id === undefined) return null
  const end = sent.length - CHECKSUM_LENGTH
  return checksum(sent.slice(0, end)) === sent.slice(end) ? key_id : null
}

/** The checksum of a key. Anybody can compute it, so it needs no comparison in constant time. */
function checksum(text: string): string {
  return base32Bytes(sha256(text).subarray(0, 4)).slice(0, CHECKSUM_LENGTH)
}
