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

/** A secret for an authenticator app, to be scanned or typed. It is in force once its first code was entered. */
export type ShownSecret = { uri: string; secret_text: string }

/**
 * Makes a secret to show to a person, a new one each time. Somebody who saw an earlier page, by the link or in a stolen session, does not
 * know the secret that the person scans.
 */
export async function showNextSecret(
  tx: Tx,
  key: Buffer,
  { person_id, email, issuer }: { person_id: string; email: string; issuer: string },
): Promise<ShownSecret> {
  const secret = newTotpSecret()
  await store.insertOffered(tx, person_id, seal(key, secret.toString('hex'), placeOf(person_id)))
  return { uri: otpauthUri(secret, { issuer, email }), secret_text: secretText(secret) }
}

/** Puts the secret in force to which this code belongs, among those shown to the person within a day. */
export async function takeFirstCode(
  tx: Tx,
  { key, clock }: KeyAndClock,
  person_id: string,
  code: string,
): Promise<{ kind: 'taken' } | { kind: 'refused'; code: CodeRefusal }> {
  let clockIsWrong = false
  for (const sealed of await store.readOffered(tx, person_id)) {
    const read = readTotp(openSecret(key, person_id, sealed), code, null, clock.milliseconds())
    if (read.kind === 'right') {
      await store.putInForce(tx, person_id, sealed, read.step)
      return { kind: 'taken' }
    }
    clockIsWrong ||= read.kind === 'clock_wrong'
  }
  return { kind: 'refused', code: clockIsWrong ? 'clock_wrong' : 'wrong_code' }
}

function openSecret(key: Buffer, person_id: string, sealed: Buffer): Buffer {
  return Buffer.from(unseal(key, sealed, placeOf(person_id)), 'hex')
}
