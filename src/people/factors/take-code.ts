import type { Clock } from '../../platform/clock.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { seal, unseal } from '../../platform/sealing.ts'
import * as store from './factor-store.ts'
import { newTotpSecret, otpauthUri, readTotp, secretText } from './totp.ts'

/**
 * The reason why a code is refused. `code_used`: it is correct, but a code of its half minute or a later one was used before.
 * `clock_wrong`: it is the code of another time within ten minutes, so the clock of the phone, or of the server, is wrong.
 */
export type CodeRefusal = 'wrong_code' | 'code_used' | 'clock_wrong'

/**
 * Present when at most five tries are left, so that a page can warn before the limit. `after_that` is the way on after the last one: the password
 * again, a new sign-in, or a wait of a day.
 */
export type TriesLeft = { tries_left?: number; after_that?: 'password' | 'sign_in' | 'day' }

const WARNED_FROM = 5

export function warnOf(tries_left: number, after_that: NonNullable<TriesLeft['after_that']>): TriesLeft {
  return tries_left <= WARNED_FROM ? { tries_left, after_that } : {}
}

const refusals = { used: 'code_used', clock_wrong: 'clock_wrong', wrong: 'wrong_code' } as const

/** Binds a sealed secret to its person: sealed bytes in another person's row do not open. */
const placeOf = (person_id: string) => `telephone of ${person_id}`
const shownPlaceOf = (person_id: string) => `telephone shown to ${person_id}`

type KeyAndClock = { key: Buffer; clock: Clock }

/**
 * Uses a code of the phone. Its step is marked in this transaction, so that neither it nor an earlier one is accepted again for any
 * act.
 */
export async function takeTotp(
  tx: Tx,
  { key, clock }: KeyAndClock,
  person_id: string,
  code: string,
): Promise<{ kind: 'taken'; step: number } | { kind: 'refused'; code: CodeRefusal }> {
  const row = await store.lockTotp(tx, person_id)
  if (row === null) return { kind: 'refused', code: 'wrong_code' }
  const read = readTotp(openSecret(key, person_id, row.secret), code, row.last_step, clock.milliseconds())
  if (read.kind !== 'right') return { kind: 'refused', code: refusals[read.kind] }
  await store.markStep(tx, person_id, read.step)
  return { kind: 'taken', step: read.step }
}

/**
 * A secret for an authenticator app, to be scanned or typed. It is in force once its first code was entered. `sealed`: the same secret,
 * encrypted for its person. The form carries it, so that a page stores nothing, however often it is opened.
 */
export type ShownSecret = { uri: string; secret_text: string; sealed: string }

/** Milliseconds for which a shown secret can be confirmed. */
const SHOWN_MS = 24 * 3_600_000

/**
 * Makes a secret to show to a person, a new one for each page. Somebody who saw an earlier page, by the link or in a stolen session, does
 * not know the secret that the person scans.
 * @param again the sealed secret of a form that was refused, which is shown once more because the person may have scanned it
 */
export function showSecret(
  { key, clock }: KeyAndClock,
  { person_id, email, issuer }: { person_id: string; email: string; issuer: string },
  again = '',
): ShownSecret {
  const known = openShown({ key, clock }, person_id, again)
  const secret = known ?? newTotpSecret()
  const text = `${clock.milliseconds()} ${secret.toString('hex')}`
  const sealed = known === null ? seal(key, text, shownPlaceOf(person_id)).toString('base64url') : again
  return { uri: otpauthUri(secret, { issuer, email }), secret_text: secretText(secret), sealed }
}

/** A shown secret whose first code was right. */
export type FirstCode = { kind: 'right'; secret: Buffer; step: number }

/** `attempt_over`: the page is older than a day, or it is not this person's. */
export type FirstCodeRefusal = CodeRefusal | 'attempt_over'

/** Compares a code with the secret that its form carries. It reads no row, so it comes before every costly check. */
export function readFirstCode(
  keyAndClock: KeyAndClock,
  person_id: string,
  { sealed, code }: { sealed: string; code: string },
): FirstCode | { kind: 'refused'; code: FirstCodeRefusal } {
  const secret = openShown(keyAndClock, person_id, sealed)
  if (secret === null) return { kind: 'refused', code: 'attempt_over' }
  const read = readTotp(secret, code, null, keyAndClock.clock.milliseconds())
  return read.kind === 'right'
    ? { kind: 'right', secret, step: read.step }
    : { kind: 'refused', code: refusals[read.kind] }
}

/** Puts a shown secret in force, with the step of its first code. */
export function takeTelephone(tx: Tx, key: Buffer, person_id: string, { secret, step }: FirstCode): Promise<void> {
  return store.putInForce(tx, person_id, seal(key, secret.toString('hex'), placeOf(person_id)), step)
}

function openShown({ key, clock }: KeyAndClock, person_id: string, sealed: string): Buffer | null {
  try {
    const [shown_at, secret] = unseal(key, Buffer.from(sealed, 'base64url'), shownPlaceOf(person_id)).split(' ')
    return clock.milliseconds() - Number(shown_at) < SHOWN_MS ? Buffer.from(secret!, 'hex') : null
  } catch {
    return null
  }
}

function openSecret(key: Buffer, person_id: string, sealed: Buffer): Buffer {
  return Buffer.from(unseal(key, sealed, placeOf(person_id)), 'hex')
}
