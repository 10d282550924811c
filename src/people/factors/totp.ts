import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

// Time-based one-time passwords (RFC 6238) as every authenticator app makes them: SHA-1, 30 seconds, six digits.
const STEP_SECONDS = 30
const DIGITS = 6
/** Bytes of a secret: the length of the hash, as RFC 4226 recommends. */
const SECRET_BYTES = 20

/** Steps before and after the current one whose codes are accepted, because people type slowly and phones' clocks differ a little. */
const STEPS_TAKEN = 1
/** Steps in ten minutes. A code of this time is the person's, from a phone whose clock is wrong. */
const STEPS_RECOGNISED = 20

/** RFC 4648, which authenticator apps read; identifiers of ours have other letters. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The result of reading a code. The caller uses the step, once. */
export type TotpRead =
  | { kind: 'right'; step: number }
  /** A correct code whose step, or a later one, was used before. */
  | { kind: 'used' }
  /** A code of another time: the phone's clock is wrong. */
  | { kind: 'clock_wrong' }
  | { kind: 'wrong' }

/** Makes a new secret of 20 bytes. */
export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
}

/** The step of a moment (milliseconds since 1970). */
export function stepAt(milliseconds: number): number {
  return Math.floor(milliseconds / (STEP_SECONDS * 1_000))
}

/** The code of a step (RFC 4226, 5.3). */
export function codeOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac[mac.length - 1]! & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** Whether a text has the form of a code: six digits, in any grouping. */
export function looksLikeTotp(code: string): boolean {
  return /^\d{6}$/.test(plain(code))
}

/**
 * Reads a code as typed. All possible steps are compared, also after a match, so that the time taken reveals nothing.
 * @param last_step the step used last; null: none yet
 * @param milliseconds the current time, since 1970
 */
export function readTotp(secret: Buffer, code: string, last_step: number | null, milliseconds: number): TotpRead {
  const typed = plain(code)
  if (!looksLikeTotp(typed)) return { kind: 'wrong' }
  const present = stepAt(milliseconds)
  let right: number | null = null
  let recognised = false
  for (let step = present - STEPS_RECOGNISED; step <= present + STEPS_RECOGNISED; step += 1) {
    if (!timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(typed))) continue
    if (Math.abs(step - present) > STEPS_TAKEN) recognised = true
    // Of two steps with the same code the later one counts, because the earlier may be used.
    else right = step
  }
  if (right === null) return { kind: recognised ? 'clock_wrong' : 'wrong' }
  return last_step !== null && right <= last_step ? { kind: 'used' } : { kind: 'right', step: right }
}

/** Writes a secret for people to type: base 32, without padding. */
export function secretText(secret: Buffer): string {
  let bits = ''
  for (const byte of secret) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

/** The URL that an authenticator app reads from a QR code. */
export function otpauthUri(secret: Buffer, { issuer, email }: { issuer: string; email: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`
  return `otpauth://totp/${label}?secret=${secretText(secret)}&issuer=${encodeURIComponent(issuer)}`
}

function plain(code: string): string {
  return code.replace(/[\s-]/g, '')
}
