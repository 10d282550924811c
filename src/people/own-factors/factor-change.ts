import type { Tx } from '../../platform/postgres/database.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { findPassword } from '../factors/factor-store.ts'
import { checkPassword } from '../factors/password-hash.ts'
import { notify } from '../notices/notify.ts'
import { recordActOf } from '../record-act-of.ts'
import type { Browser } from '../sessions/browser.ts'
import { endSessionsOfPerson } from '../sessions/end-session.ts'
import type { Session } from '../sessions/session.ts'
import { closeAttempts } from '../sign-in/attempt-store.ts'
import { mayTryPassword, takeBackTry } from '../sign-in/throttle.ts'
import type { StepUpAct } from '../step-up/step-up.ts'
import { type StepUpUsed, useStepUp } from '../step-up/use-step-up.ts'
import { lockPerson } from '../store.ts'

/**
 * How a person proves, for one change of their factors, that it is they at the keyboard: a step-up of the change (`stepUpOf`), or, within
 * 15 minutes of signing in by a recovery code, when the telephone is lost, the password once more.
 */
export type ChangeProof = { step_up_id: string } | { password: string }

/** Why a password is not the person's, or is not looked at now. */
export type OwnPasswordRefusal = 'wrong_password' | 'too_many_attempts' | 'busy'

export type ProofRefusal = Extract<StepUpUsed, { kind: 'refused' }>['code'] | OwnPasswordRefusal

/** A person at their own factors. */
export type Changing = { session: Session; browser: Browser; proof: ChangeProof }

export type FactorChange = {
  act: 'passkey.add' | 'passkey.remove' | 'password.change' | 'telephone.replace' | 'recovery_codes.renew'
  /** The passkey that is removed. */
  subject?: string
}

/** Minutes after signing in by a recovery code. */
const RECOVERY_MS = 15 * 60_000

/** The act that a step-up for a change of factors is asked for. */
export function stepUpOf({ act, subject = undefined }: FactorChange, { person }: Session): StepUpAct {
  return { operation: act, subject: subject ?? person.person_id, content: { act, subject: subject ?? null } }
}

/** Takes a change back that is refused after its transaction has begun. */
export class ChangeRefused<Code extends string> extends Error {
  readonly code: Code

  constructor(code: Code) {
    super(code)
    this.code = code
  }
}

/**
 * Carries a change of factors out, in one transaction with its proof: the other sessions of the person end, and so does whatever was begun
 * with their factors elsewhere; the audit log has its line.
 * @param work the change itself; it throws `ChangeRefused` when it is refused, and nothing is changed
 */
export async function changeFactors<Done extends { kind: string }, Code extends string>(
  deps: FactorDeps,
  { session, browser, proof }: Changing,
  change: FactorChange,
  work: (tx: Tx) => Promise<Done>,
): Promise<Done | { kind: 'refused'; code: Code | ProofRefusal }> {
  const refusal = 'password' in proof ? await refusalOfProof(deps, { session, browser }, proof.password) : null
  if (refusal !== null) return { kind: 'refused', code: refusal }
  const { person_id, email } = session.person
  try {
    return await deps.sql.begin(async (tx) => {
      const person = await lockPerson(tx, { person_id })
      if (person?.status !== 'active') throw new ChangeRefused('step_up_missing')
      const step_up_id = 'step_up_id' in proof ? await use(tx, session, proof.step_up_id, change) : null
      const done = await work(tx)
      await endSessionsOfPerson(tx, person_id, 'factors_changed', session.session_id)
      await closeAttempts(tx, person_id)
      recordActOf(tx, email, browser, { act: change.act, subject: change.subject ?? person_id, step_up_id })
      notify(tx, { name: 'factor_changed', to: [email], facts: { change: change.act } })
      return done
    })
  } catch (error) {
    if (error instanceof ChangeRefused) return { kind: 'refused', code: error.code }
    throw error
  }
}

async function use(tx: Tx, session: Session, step_up_id: string, change: FactorChange): Promise<string> {
  const { operation, subject, content } = stepUpOf(change, session)
  const used = await useStepUp(tx, session, step_up_id, operation, subject, content)
  if (used.kind === 'refused') throw new ChangeRefused(used.code)
  return step_up_id
}

async function refusalOfProof(
  deps: FactorDeps,
  { session, browser }: Omit<Changing, 'proof'>,
  password: string,
): Promise<ProofRefusal | null> {
  const { person, factor, created_at } = session
  const age_ms = deps.clock.milliseconds() - created_at.getTime()
  if (factor !== 'recovery_code' || age_ms > RECOVERY_MS) return 'step_up_missing'
  return refusalOfOwn(deps, { session, browser }, password, await findPassword(deps.sql, person.person_id))
}

/**
 * Why a password is not the person's; null: it is. A session has the limits of a place at the sign-in: a stolen one guesses no faster, and
 * strangers who guess elsewhere do not stop its person.
 * @param hash of their password; null: they have none
 */
export async function refusalOfOwn(
  deps: FactorDeps,
  { session, browser }: Omit<Changing, 'proof'>,
  password: string,
  hash: string | null,
): Promise<OwnPasswordRefusal | null> {
  const { address } = browser
  const tried = { email: session.person.email, address, known: `session ${session.session_id}` }
  if (!(await mayTryPassword(deps, tried))) return 'too_many_attempts'
  const checked = await checkPassword(password, hash)
  if (checked !== 'wrong') await takeBackTry(deps, tried)
  if (checked === 'right') return null
  return checked === 'busy' ? 'busy' : 'wrong_password'
}
