import type { Clock } from '../../platform/clock.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { seal, unseal } from '../../platform/sealing.ts'
import * as store from './factor-store.ts'
import { newTotpSecret, otpauthUri, readTotp, secretText } from './totp.ts'

/**
 * Why a code is not taken. `code_used`: it was right, and a code of its half minute or a later one was taken before. `clock_wrong`: the
 * code of another time within ten minutes; the clock of the telephone, or ours, is wrong.
 */
export type CodeRefusal = 'wrong_code' | 'code_used' | 'clock_wrong'

const refusals = { used: 'code_used', clock_wrong: 'clock_wrong', wrong: 'wrong_code' } as const

/** Of whom the secret is: sealed bytes moved to another person's row do not open there. */
const placeOf = (person_id: string) => `telephone of ${person_id}`

type KeyAndClock = { key: Buffer; clock: Clock }

/**
 * Takes a code of the telephone, once: its step is marked in this transaction, and neither it nor one before it is taken again, for
 * whatever act.
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

/** A secret to be scanned or typed into an authenticator app; it counts once a first code of it came. */
export type ShownSecret = { uri: string; secret_text: string }

/**
 * A secret to show to a person, a new one each time: who has seen the page of a link before its person, or a page of theirs in a stolen
 * session, knows nothing of the one that the person scans.
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

/** Puts the secret in force, of those that were shown to the person within a day, to which this code belongs. */
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
