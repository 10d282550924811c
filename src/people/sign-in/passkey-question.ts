import { randomBytes } from 'node:crypto'
import type { Tx } from '../../platform/postgres/database.ts'
import { seal, unseal } from '../../platform/sealing.ts'
import { Secret } from '../../values/secret.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { type AnsweredQuestion, insertAnswered } from './attempt-store.ts'
import { ATTEMPT_MINUTES } from './open-attempt.ts'

type Purpose = 'passkey' | 'registration'

/** A question to a passkey. `person_id`: null at a sign-in, when the person is not known yet. */
export type PasskeyQuestion = AnsweredQuestion

const CHALLENGE_BYTES = 32

/** Binds a question to its purpose, so that an answer to one is none to the other. */
const placeOf = (purpose: Purpose) => `question to a passkey: ${purpose}`

/**
 * Asks a passkey. The question travels sealed in the form, so that a page stores nothing, however often it is opened. It is valid for one
 * answer and at most ten minutes.
 */
export function askPasskey(
  { key, clock }: Pick<FactorDeps, 'key' | 'clock'>,
  { purpose, person_id }: { purpose: Purpose; person_id: string | null },
): { token: Secret; challenge: Buffer } {
  const challenge = randomBytes(CHALLENGE_BYTES)
  const expires_at = clock.milliseconds() + ATTEMPT_MINUTES * 60_000
  const text = JSON.stringify({ person_id, challenge: challenge.toString('base64url'), expires_at })
  return { token: new Secret(seal(key, text, placeOf(purpose)).toString('base64url')), challenge }
}

/**
 * Reads the question to which a form belongs. Null: it is not ours, or it is over. Whether it was answered before, `takeAnswer` says, by the text
 * of the form, so that only one spelling of its bytes is taken.
 */
export function readQuestion(
  { key, clock }: Pick<FactorDeps, 'key' | 'clock'>,
  token: string,
  purpose: Purpose,
): PasskeyQuestion | null {
  const sealed = Buffer.from(token, 'base64url')
  if (sealed.toString('base64url') !== token) return null
  try {
    const question = JSON.parse(unseal(key, sealed, placeOf(purpose)))
    const { person_id, challenge, expires_at } = question
    if (clock.milliseconds() >= expires_at) return null
    return { token, person_id, challenge: Buffer.from(challenge, 'base64url'), expires_at: new Date(expires_at) }
  } catch {
    return null
  }
}

/** Notes the answer to a question. False: it was answered before. */
export function takeAnswer(tx: Tx, question: PasskeyQuestion, purpose: Purpose): Promise<boolean> {
  return insertAnswered(tx, question, purpose)
}
