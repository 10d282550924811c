import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { derivedKey } from '../platform/config.ts'
import { base32Bytes } from '../values/ids.ts'
import type { Secret } from '../values/secret.ts'

/** 160 bits that nobody can guess, and 40 more that only we can add. */
const RANDOM_BYTES = 20
const CHECK_BYTES = 5
const LETTERS = 40

/**
 * The unguessable addresses of sessions and links. A token is derived from the id under the secret key, so that it is kept
 * nowhere and can be put back into a replayed answer; the database holds its hash, to find the id. Its last letters are a
 * check that only we can compute: an invented token is told from a real one without asking the database, so that guesses
 * can be counted and a payer with a real address is never taken for somebody who guesses.
 */
export type Addresses = {
  /** `https://…/pay/<token>` for a session. */
  sessionUrl(session_id: string): string
  /** `https://…/link/<token>` */
  linkUrl(link_id: string): string
  /** The same without scheme and host. */
  sessionPath(session_id: string): string
  linkPath(link_id: string): string
  /** The hash that the lookup table holds for a session or a link. */
  tokenHash(subject_id: string): Buffer
  /** The hash of a token from an address, or null when it is none of ours. */
  hashOf(token: string): Buffer | null
  /** Scheme, host and port that payers see, without a slash at the end. */
  origin(): string
}

/** @param origin asked when an address is made: without PUBLIC_URL it is known only once the service listens */
export function createAddresses({ secretKey, origin }: { secretKey: Secret; origin: () => string }): Addresses {
  const tokenKey = derivedKey(secretKey, 'checkout token')
  const checkKey = derivedKey(secretKey, 'checkout token check')
  const base = () => origin().replace(/\/+$/, '')

  function lettersOf(random: Buffer): string {
    const check = createHmac('sha256', checkKey).update(random).digest().subarray(0, CHECK_BYTES)
    return base32Bytes(Buffer.concat([random, check]))
  }
  function tokenOf(subject_id: string): string {
    return lettersOf(createHmac('sha256', tokenKey).update(subject_id).digest().subarray(0, RANDOM_BYTES))
  }
  const sessionPath = (session_id: string) => `/pay/${tokenOf(session_id)}`
  const linkPath = (link_id: string) => `/link/${tokenOf(link_id)}`

  return {
    sessionPath,
    linkPath,
    sessionUrl: (session_id) => base() + sessionPath(session_id),
    linkUrl: (link_id) => base() + linkPath(link_id),
    tokenHash: (subject_id) => hashToken(tokenOf(subject_id)),
    hashOf(token) {
      const random = bytesIn(token)?.subarray(0, RANDOM_BYTES)
      if (random === undefined) return null
      return timingSafeEqual(Buffer.from(lettersOf(random)), Buffer.from(token)) ? hashToken(token) : null
    },
    origin: base,
  }
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** The bytes that 40 letters stand for, or null when they are not 40 letters of ours. */
function bytesIn(token: string): Buffer | null {
  if (token.length !== LETTERS) return null
  const bytes = Buffer.alloc(RANDOM_BYTES + CHECK_BYTES)
  let held = 0
  let bits = 0
  let at = 0
  for (const letter of token) {
    const value = ALPHABET.indexOf(letter)
    if (value === -1) return null
    held = ((held << 5) | value) & 0xfff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[at] = (held >> bits) & 0xff
      at += 1
    }
  }
  return bytes
}
