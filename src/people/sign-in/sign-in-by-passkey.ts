import type { Secret } from '../../values/secret.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { clearRefusals, findPasskeyOwner, lockPasskey, markPasskeyUsed } from '../factors/factor-store.ts'
import {
  type AssertionOptions,
  type AssertionRead,
  assertionOptions,
  type BrowserAnswer,
  credentialIn,
  readAssertion,
} from '../factors/passkey.ts'
import { recordActOf } from '../record-act-of.ts'
import type { Browser } from '../sessions/browser.ts'
import { type OpenedSession, openSession } from '../sessions/open-session.ts'
import { lockPerson } from '../store.ts'
import { askPasskey, readQuestion, takeAnswer } from './passkey-question.ts'

export type PasskeyAsked = { attempt: Secret; options: AssertionOptions }

/**
 * Asks the browser for any passkey of this site. The person is not known yet, and a passkey cannot be guessed. So only the limit of all
 * calls from one address applies, and no stranger on the same network can block a sign-in by passkey.
 */
export async function askForPasskey(deps: Pick<FactorDeps, 'key' | 'clock' | 'site'>): Promise<PasskeyAsked> {
  const { token, challenge } = askPasskey(deps, { purpose: 'passkey', person_id: null })
  return { attempt: token, options: await assertionOptions(deps.site, challenge) }
}

export type SignedInByPasskey =
  | { kind: 'signed_in'; session: OpenedSession }
  /**
   * `passkey_refused`: an unknown passkey, one of another site, one that did not verify the person, or one of a person who may not sign in.
   * `passkey_counted_back`: its count went back, as that of a copy does.
   */
  | { kind: 'refused'; code: 'attempt_over' | 'passkey_refused' | 'passkey_counted_back' }

/** Signs in by the passkey that answered. Each attempt takes one answer, right or wrong. */
export async function signInByPasskey(
  deps: FactorDeps,
  { attempt, answer, browser }: { attempt: string; answer: BrowserAnswer; browser: Browser },
): Promise<SignedInByPasskey> {
  const { sql, clock, site } = deps
  const question = readQuestion(deps, attempt, 'passkey')
  if (question === null) return { kind: 'refused', code: 'attempt_over' }
  return sql.begin(async (tx): Promise<SignedInByPasskey> => {
    if (!(await takeAnswer(tx, question, 'passkey'))) return { kind: 'refused', code: 'attempt_over' }
    const credential_id = credentialIn(answer)
    const owner = credential_id === null ? null : await findPasskeyOwner(tx, credential_id)
    const person = owner === null ? null : await lockPerson(tx, { person_id: owner })
    const passkey = person === null ? null : await lockPasskey(tx, credential_id!)
    if (person === null || passkey === null) return { kind: 'refused', code: 'passkey_refused' }
    const { person_id, email } = person
    const read: AssertionRead =
      person.status === 'active'
        ? await readAssertion(site, question.challenge, answer, passkey)
        : { kind: 'refused', code: 'passkey_refused' }
    if (read.kind === 'refused') {
      const after = { factor: 'passkey', ...(read.code === 'passkey_counted_back' && { reason: 'counted_back' }) }
      recordActOf(tx, email, browser, { act: 'session.refuse', subject: person_id, after })
      return read
    }
    await markPasskeyUsed(tx, passkey.credential_id, read.sign_count)
    const session = await openSession(tx, clock, { person_id, email, factor: 'passkey', ...browser })
    const refused_before = await clearRefusals(tx, person_id)
    recordActOf(tx, email, browser, {
      act: 'session.open',
      subject: session.session_id,
      after: { factor: 'passkey', refused_before },
    })
    return { kind: 'signed_in', session }
  })
}
