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
 * The proof for a change of one's own factors: a step-up of the change (`stepUpOf`), or the password, within 15 minutes of a sign-in with a
 * recovery code, when the phone is lost.
 */
export type ChangeProof = { step_up_id: string } | { password: string }

/** The reason why a password is refused or not checked. */
export type OwnPasswordRefusal = 'wrong_password' | 'too_many_attempts' | 'busy'

export type ProofRefusal = Extract<StepUpUsed, { kind: 'refused' }>['code'] | OwnPasswordRefusal

/** A person who changes their own factors. */
export type Changing = { session: Session; browser: Browser; proof: ChangeProof }

export type FactorChange = {
  act: 'passkey.add' | 'passkey.remove' | 'password.change' | 'telephone.replace' | 'recovery_codes.renew'
  /** The passkey to remove. */
  subject?: string
}

/** Minutes after a sign-in with a recovery code in which the password is proof enough. */
const RECOVERY_MS = 15 * 60_000

/** The act of a step-up for a change of factors. */
export function stepUpOf({ act, subject = undefined }: FactorChange, { person }: Session): StepUpAct {
  return { operation: act, subject: subject ?? person.person_id, content: { act, subject: subject ?? null } }
}

/** Rolls back a change that is refused within its transaction. */
export class ChangeRefused<Code extends string> extends Error {
  readonly code: Code

  constructor(code: Code) {
    super(code)
    this.code = code
  }
}

/**
 * Makes a change of factors in one transaction with its proof and its audit line. The person's other sessions end, and so do their unfinished
 * sign-ins.
 * @param work the change; throws `ChangeRefused` to refuse it, and nothing is changed
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
 * Checks the password of a person in a session. Null when it is correct, otherwise the reason. The limits are those of a sign-in from a known
 * place: a stolen session gains no guesses, and strangers who guess elsewhere do not block the person.
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
