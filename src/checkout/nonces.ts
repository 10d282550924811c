import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../platform/clock.ts'
import { derivedKey } from '../platform/config.ts'
import { idFrom } from '../values/ids.ts'
import type { Secret } from '../values/secret.ts'

/** The longest age of a form. An older one is shown again before it counts. */
const AGE_MAX_MS = 24 * 3_600_000

export type Nonces = {
  /** A new nonce for the form on the page of this session or link. */
  make(subject_id: string): string
  /** The time when we made a nonce (milliseconds since 1970). Null when it is not ours for this page, or too old. */
  read(subject_id: string, nonce: string): number | null
  /** The id of the session that a form of a link opens for one amount and reference. The same form gives the same id. */
  sessionOf(link_id: string, nonce: string, made_at: number, amount: number, reference?: string | null): string
  /** The id of the link that a form of a sale makes for one amount. The same form gives the same id. */
  linkOf(page: string, nonce: string, made_at: number, amount: number): string
  /** The idempotency key of an attempt. The same form with the same number and operator (empty: we choose it) makes one payment. */
  attemptKey(session_id: string, nonce: string, msisdn: string, operator: string): string
}

/**
 * Nonces prove that we made a form, and let one rendering of it make one payment. A nonce is a time, random bytes, and a
 * keyed hash of both and the page. Nothing is stored.
 */
export function createNonces({ secretKey, clock }: { secretKey: Secret; clock: Clock }): Nonces {
  const nonceKey = derivedKey(secretKey, 'checkout nonce')
  const sessionKey = derivedKey(secretKey, 'checkout session of a form')
  const attemptKey = derivedKey(secretKey, 'checkout attempt')
  const mark = (subject_id: string, body: string) =>
    createHmac('sha256', nonceKey).update(`${subject_id} ${body}`).digest('base64url').slice(0, 22)

  return {
    make(subject_id) {
      const body = `${clock.milliseconds().toString(36)}.${randomBytes(9).toString('base64url')}`
      return `${body}.${mark(subject_id, body)}`
    },
    read(subject_id, nonce) {
      const [, body, made, sent] = /^(([0-9a-z]{8,9})\.[\w-]{12})\.([\w-]{22})$/.exec(nonce) ?? []
      if (body === undefined || made === undefined || sent === undefined) return null
      if (!timingSafeEqual(Buffer.from(mark(subject_id, body)), Buffer.from(sent))) return null
      const made_at = Number.parseInt(made, 36)
      return clock.milliseconds() - made_at < AGE_MAX_MS ? made_at : null
    },
    sessionOf(link_id, nonce, made_at, amount, reference = null) {
      const asked = `${link_id} ${nonce} ${amount}${reference === null ? '' : ` ${reference}`}`
      const bytes = createHmac('sha256', sessionKey).update(asked).digest()
      return idFrom('cs', made_at, bytes)
    },
    linkOf(page, nonce, made_at, amount) {
      const bytes = createHmac('sha256', sessionKey).update(`link of ${page} ${nonce} ${amount}`).digest()
      return idFrom('lnk', made_at, bytes)
    },
    attemptKey: (session_id, nonce, msisdn, operator) =>
      `page_${createHmac('sha256', attemptKey).update(`${session_id} ${nonce} ${msisdn} ${operator}`).digest('hex')}`,
  }
}
