import type { Tx } from '../../platform/postgres/database.ts'
import { normalizePerson } from '../../values/independent-approver.ts'
import type { Secret } from '../../values/secret.ts'
import { type FactorDeps, withoutTurn } from '../factors/factor-deps.ts'
import { clearRefusals, countRecoveryCodes, countRefusal, takeRecoveryCode } from '../factors/factor-store.ts'
import { checkPassword } from '../factors/password-hash.ts'
import { findSigningPerson } from '../factors/person-store.ts'
import { hashOfRecoveryCode, looksLikeRecoveryCode } from '../factors/recovery-code.ts'
import { type CodeRefusal, type TriesLeft, takeTotp, warnOf } from '../factors/take-code.ts'
import { recordActOf } from '../record-act-of.ts'
import type { Browser } from '../sessions/browser.ts'
import { type OpenedSession, openSession } from '../sessions/open-session.ts'
import { lockPerson } from '../store.ts'
import * as store from './attempt-store.ts'
import { openAttempt } from './open-attempt.ts'
import { mayTryPassword, takeBackTry, takeTryOfNetwork } from './throttle.ts'

/** The most wrong codes after one password, and of one person in a day: of a million codes, three are correct at a time. */
const WRONG_MAX = 10
const WRONG_OF_DAY_MAX = 50

export type SignInBegun =
  /** The password was correct. The second page asks for a code, with this token in its form. */
  | { kind: 'second_step'; attempt: Secret }
  /** `wrong_credentials`: unknown address or wrong password. `busy`: try again in a moment. */
  | { kind: 'refused'; code: 'wrong_credentials' | 'too_many_attempts' | 'busy' }

/**
 * The first page of a sign-in: e-mail address and password. The answer and the time it takes are the same for an unknown address. Passkeys
 * sign in elsewhere (`sign-in-by-passkey.ts`), where no stranger's guess counts against the person.
 */
export async function beginSignIn(
  deps: FactorDeps,
  { email, password, browser }: { email: string; password: string; browser: Browser },
): Promise<SignInBegun> {
  const { sql, clock, log } = deps
  const asked = normalizePerson(email) ?? ''
  const { address } = browser
  const person = await findSigningPerson(sql, asked, browser)
  const tried = { email: asked, address, known: person?.known ?? null }
  const giveBackToNetwork = await takeTryOfNetwork(deps, tried)
  if (giveBackToNetwork === null) return { kind: 'refused', code: 'too_many_attempts' }
  if (!(await mayTryPassword(deps, tried))) return { kind: 'refused', code: 'too_many_attempts' }
  const checked = await withoutTurn(deps, () => checkPassword(password, person?.hash ?? null))
  if (checked !== 'wrong') await Promise.all([takeBackTry(deps, tried), giveBackToNetwork()])
  if (checked === 'busy') return { kind: 'refused', code: 'busy' }
  if (person === null || checked === 'wrong') {
    // Not awaited, so that a wrong password takes as long as an unknown address.
    if (person !== null) {
      noteWrongPassword(deps, person, browser).catch((error) => log.error({ error }, 'sign-in: refusal not recorded'))
    }
    return { kind: 'refused', code: 'wrong_credentials' }
  }
  const { token } = await openAttempt(sql, clock, { purpose: 'second_factor', person_id: person.person_id })
  return { kind: 'second_step', attempt: token }
}

/** Writes an audit line for the first, tenth and hundredth wrong password since the last sign-in, so that guesses do not flood the log. */
function noteWrongPassword(
  { sql }: FactorDeps,
  { person_id, email }: { person_id: string; email: string },
  browser: Browser,
): Promise<void> {
  return sql.begin(async (tx) => {
    const refused = await countRefusal(tx, person_id)
    if (refused === null || !Number.isInteger(Math.log10(refused))) return
    recordActOf(tx, email, browser, {
      act: 'session.refuse',
      subject: person_id,
      after: { factor: 'password', refused },
    })
  })
}

export type SignedIn =
  /** `recovery_codes_left`: present when a recovery code was used. */
  | { kind: 'signed_in'; session: OpenedSession; recovery_codes_left: number | null }
  /**
   * `attempt_over`: after ten wrong codes, ten minutes, or its use. The person starts again with the password. `codes_of_day_over`: after
   * fifty wrong codes within a day, until the oldest of them are a day old.
   */
  | ({ kind: 'refused'; code: CodeRefusal | 'attempt_over' | 'codes_of_day_over' } & TriesLeft)

/** The second page of a sign-in: a code of the phone, or a recovery code. A correct password came before, so the network is not counted. */
export async function finishSignIn(
  deps: FactorDeps,
  { attempt, code, browser }: { attempt: string; code: string; browser: Browser },
): Promise<SignedIn> {
  return deps.sql.begin(async (tx): Promise<SignedIn> => {
    const found = await store.findPersonOf(tx, attempt)
    const person = found === null ? null : await lockPerson(tx, { person_id: found })
    if (person?.status !== 'active') return { kind: 'refused', code: 'attempt_over' }
    const row = await store.lockAttempt(tx, attempt, 'second_factor')
    if (row === null) return { kind: 'refused', code: 'attempt_over' }
    const { person_id, email } = person
    const triesOfDay = WRONG_OF_DAY_MAX - (await store.countWrongOfDay(tx, person_id))
    if (triesOfDay <= 0) return { kind: 'refused', code: 'codes_of_day_over' }
    const factor = looksLikeRecoveryCode(code) ? 'recovery_code' : 'totp'
    const refusal = await refusalOf(tx, deps, person_id, factor, code)
    if (refusal !== null) {
      await store.addWrong(tx, row)
      const left = WRONG_MAX - row.wrong - 1
      const leftOfDay = triesOfDay - 1
      const over = leftOfDay > 0 ? 'attempt_over' : 'codes_of_day_over'
      if (left > 0 && leftOfDay > 0) {
        const warning = leftOfDay <= left ? warnOf(leftOfDay, 'day') : warnOf(left, 'password')
        return { kind: 'refused', code: refusal, ...warning }
      }
      if (left > 0) return { kind: 'refused', code: over }
      await store.markUsed(tx, row)
      recordActOf(tx, email, browser, {
        act: 'session.refuse',
        subject: person_id,
        after: { factor, refused: WRONG_MAX },
      })
      return { kind: 'refused', code: over }
    }
    await store.markUsed(tx, row)
    const session = await openSession(tx, deps.clock, { person_id, email, factor, ...browser })
    const refused_before = await clearRefusals(tx, person_id)
    recordActOf(tx, email, browser, {
      act: 'session.open',
      subject: session.session_id,
      after: { factor, refused_before },
    })
    const recovery_codes_left = factor === 'recovery_code' ? await countRecoveryCodes(tx, person_id) : null
    return { kind: 'signed_in', session, recovery_codes_left }
  })
}

async function refusalOf(
  tx: Tx,
  deps: FactorDeps,
  person_id: string,
  factor: 'recovery_code' | 'totp',
  code: string,
): Promise<CodeRefusal | null> {
  if (factor === 'recovery_code') {
    return (await takeRecoveryCode(tx, person_id, hashOfRecoveryCode(code))) ? null : 'wrong_code'
  }
  const taken = await takeTotp(tx, deps, person_id, code)
  return taken.kind === 'taken' ? null : taken.code
}
