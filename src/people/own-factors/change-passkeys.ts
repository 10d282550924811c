import type { Secret } from '../../values/secret.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { deletePasskey, insertPasskey, listPasskeys, PASSKEYS_MAX } from '../factors/factor-store.ts'
import {
  type BrowserAnswer,
  passkeyName,
  type RegistrationOptions,
  readRegistration,
  registrationOptions,
} from '../factors/passkey.ts'
import { readPasswordAndTotp } from '../factors/person-store.ts'
import type { Session } from '../sessions/session.ts'
import { askPasskey, readQuestion, takeAnswer } from '../sign-in/passkey-question.ts'
import { ChangeRefused, type Changing, changeFactors, type ProofRefusal } from './factor-change.ts'

/** Begins the registration of a new passkey. Authenticators that the person has registered do not offer themselves again. */
export async function askForNewPasskey(
  deps: Pick<FactorDeps, 'sql' | 'key' | 'clock' | 'site'>,
  { person }: Session,
): Promise<{ attempt: Secret; options: RegistrationOptions }> {
  const { person_id } = person
  const { token, challenge } = askPasskey(deps, { purpose: 'registration', person_id })
  const known = await listPasskeys(deps.sql, person_id)
  return { attempt: token, options: await registrationOptions(deps.site, person, challenge, known) }
}

export type PasskeyAdded =
  | { kind: 'added'; credential_id: string }
  | { kind: 'refused'; code: ProofRefusal | 'attempt_over' | 'passkey_refused' | 'too_many_passkeys' }

/** @param label the name of the passkey in the person's list */
export function addPasskey(
  deps: FactorDeps,
  changing: Changing,
  { attempt, answer, label }: { attempt: string; answer: BrowserAnswer; label: string },
): Promise<PasskeyAdded> {
  const { person_id } = changing.session.person
  return changeFactors(deps, changing, { act: 'passkey.add' }, async (tx): Promise<PasskeyAdded> => {
    const question = readQuestion(deps, attempt, 'registration')
    if (question?.person_id !== person_id || !(await takeAnswer(tx, question, 'registration')))
      throw new ChangeRefused('attempt_over')
    if ((await listPasskeys(tx, person_id)).length >= PASSKEYS_MAX) throw new ChangeRefused('too_many_passkeys')
    const passkey = await readRegistration(deps.site, question.challenge, answer)
    const name = passkeyName(label, deps.site)
    const inserted = passkey !== null && (await insertPasskey(tx, { ...passkey, person_id, name }))
    if (!inserted) throw new ChangeRefused('passkey_refused')
    return { kind: 'added', credential_id: passkey.credential_id }
  })
}

export type PasskeyRemoved =
  | { kind: 'removed' }
  /** `last_factor`: without it the person could not sign in any more. */
  | { kind: 'refused'; code: ProofRefusal | 'passkey_not_found' | 'last_factor' }

/** Removes a passkey, such as a lost one, but never the person's last way to sign in. */
export function removePasskey(deps: FactorDeps, changing: Changing, credential_id: string): Promise<PasskeyRemoved> {
  const { person_id } = changing.session.person
  const change = { act: 'passkey.remove', subject: credential_id } as const
  return changeFactors(deps, changing, change, async (tx): Promise<PasskeyRemoved> => {
    if (!(await deletePasskey(tx, person_id, credential_id))) throw new ChangeRefused('passkey_not_found')
    const { changed_at, confirmed_at } = await readPasswordAndTotp(tx, person_id)
    const byPassword = changed_at !== null && confirmed_at !== null
    if (!byPassword && (await listPasskeys(tx, person_id)).length === 0) throw new ChangeRefused('last_factor')
    return { kind: 'removed' }
  })
}
