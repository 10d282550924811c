import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { derivedKey } from '../platform/config.ts'
import { base32Bytes } from '../values/ids.ts'
import type { Secret } from '../values/secret.ts'

/** A token has 160 secret bits, and a check of 40 bits that only we can compute. */
const RANDOM_BYTES = 20
const CHECK_BYTES = 5
const LETTERS = 40

/**
 * The unguessable addresses of sessions and links. A token is derived from the id under the secret key, so it is stored
 * nowhere and can be added to a replayed answer. The database holds its hash, to find the id. The last letters are a
 * check that only we can compute. It reveals an invented token without a query, so that guesses are counted and a payer
 * with a real address never counts as guessing.
 */
export type Addresses = {
  /** `https://…/pay/<token>` for a session. */
  sessionUrl(session_id: string): string
  /** `https://…/link/<token>` */
  linkUrl(link_id: string): string
  /** `https://…/p/<handle>`, an address to type. It is no secret. */
  handleUrl(handle: string): string
  /** `https://…/till/join/<token>`, the invitation of a telephone of a till. */
  tillUrl(phone_id: string): string
  /** The paths of these addresses. */
  sessionPath(session_id: string): string
  linkPath(link_id: string): string
  tillPath(phone_id: string): string
  /** The hash that the lookup table holds for a session or a link. */
  tokenHash(subject_id: string): Buffer
  /** The hash of a token from an address. Null when we did not make the token. */
  hashOf(token: string): Buffer | null
  /** Scheme, host and port that payers see, without a slash at the end. */
  origin(): string
}

/** @param origin called for each address, because without PUBLIC_URL the origin is known only once the service listens */
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
  const tillPath = (phone_id: string) => `/till/join/${tokenOf(phone_id)}`
  const linkPath = (link_id: string) => `/link/${tokenOf(link_id)}`

  return {
    sessionPath,
    linkPath,
    tillPath,
    tillUrl: (phone_id) => base() + tillPath(phone_id),
    sessionUrl: (session_id) => base() + sessionPath(session_id),
    handleUrl: (handle) => `${base()}/p/${handle}`,
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

/** Decodes 40 letters to bytes. Null when the text is not 40 letters of the alphabet. */
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
