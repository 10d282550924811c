import { sha256 } from '../../platform/digest.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import type { Language } from '../../values/language.ts'
import type { Secret } from '../../values/secret.ts'
import { findTransition } from '../../values/transition.ts'
import { type FactorDeps, withoutTurn } from '../factors/factor-deps.ts'
import { insertPasskey, replaceRecoveryCodes, setPassword } from '../factors/factor-store.ts'
import {
  type BrowserAnswer,
  type Passkey,
  passkeyName,
  type RegistrationOptions,
  readRegistration,
  registrationOptions,
} from '../factors/passkey.ts'
import { hashPassword } from '../factors/password-hash.ts'
import { judgePassword, type PasswordRefusal } from '../factors/password-rules.ts'
import { hashOfRecoveryCode, newRecoveryCodes } from '../factors/recovery-code.ts'
import {
  type FirstCode,
  type FirstCodeRefusal,
  readFirstCode,
  type ShownSecret,
  showSecret,
  takeTelephone,
} from '../factors/take-code.ts'
import { readName } from '../person.ts'
import { recordActOf } from '../record-act-of.ts'
import type { Browser } from '../sessions/browser.ts'
import { type OpenedSession, openSession } from '../sessions/open-session.ts'
import { newShortCode } from '../short-code.ts'
import { personTransitions } from '../states.ts'
import { awaitConfirmation, lockPerson } from '../store.ts'
import { closeAttempts } from './attempt-store.ts'
import * as store from './invitation-store.ts'
import { checkMailCode, type MailCodeRefusal } from './mail-code.ts'
import { askPasskey, type PasskeyQuestion, readQuestion, takeAnswer } from './passkey-question.ts'

/** The reason why a link is not valid. `invitation_revoked`: a newer link was made, or the person was disabled. */
export type InvitationRefusal = 'invitation_not_found' | 'invitation_used' | 'invitation_revoked' | 'invitation_expired'

export type InvitationOpened =
  | {
      kind: 'open'
      person: { email: string; name: string; language: Language }
      /** The name of the inviter. For a command on the host, the host's user name or `system`. */
      invited_by: string
      roles: readonly store.InvitedRole[]
      expires_at: Date
      /** The secret for an authenticator app, for a person who chooses a password. */
      telephone: ShownSecret
      /** The options with which the browser makes a passkey. Null: this site cannot have passkeys. */
      passkey: { attempt: Secret; options: RegistrationOptions } | null
    }
  | { kind: 'refused'; code: InvitationRefusal }

/**
 * Opens the page of an invitation. It writes nothing, because anybody with the link may open it often, a robot too: what it shows travels
 * sealed in its form.
 * @param shown the sealed secret of a refused form, shown once more
 */
export async function openInvitation(
  deps: FactorDeps,
  { token, shown = '' }: { token: string; shown?: string },
): Promise<InvitationOpened> {
  const found = await findOpen(deps, token)
  if (found.kind === 'refused') return found
  const { sql, site } = deps
  const { email, name, language, invited_by, inviter, expires_at } = found.invitation
  const holder = holderOf(found.invitation)
  const telephone = showSecret(deps, { person_id: holder, email, issuer: site.name }, shown)
  const roles = await store.readInvitedRoles(sql, found.invitation)
  const passkey = await passkeyFor()
  const person = { email, name, language }
  return { kind: 'open', person, invited_by: inviter ?? invited_by, roles, expires_at, telephone, passkey }

  async function passkeyFor(): Promise<{ attempt: Secret; options: RegistrationOptions } | null> {
    if (!site.passkeys) return null
    const { token: attempt, challenge } = askPasskey(deps, { purpose: 'registration', person_id: holder })
    return { attempt, options: await registrationOptions(site, { person_id: holder, email, name }, challenge, []) }
  }
}

/**
 * The factors that a person chooses. `sealed`: the secret that the form carries. `code`: the first of the phone. `label`: the name of the
 * passkey in their list.
 */
export type ChosenFactors =
  | { kind: 'password'; password: string; sealed: string; code: string }
  | { kind: 'passkey'; attempt: string; answer: BrowserAnswer; label: string }

export type Acceptance = {
  token: string
  name: string
  language: Language
  /** The code that was sent to the address, where the service sends mails. */
  mail_code?: string
  factors: ChosenFactors
  browser: Browser
}

export type InvitationAccepted =
  /** `recovery_codes`: shown once; none for a passkey, which needs no password beside it. */
  | { kind: 'accepted'; session: OpenedSession; recovery_codes: string[] }
  | {
      kind: 'refused'
      code:
        | InvitationRefusal
        | MailCodeRefusal
        | PasswordRefusal
        | FirstCodeRefusal
        | 'invalid_name'
        | 'has_account'
        | 'busy'
        | 'passkey_refused'
        | 'link_rests'
    }

/**
 * Accepts an invitation: stores the person's name, language and first factors in one transaction, and opens a new session. Only one request
 * can use the link; a refused form leaves it valid. The checks come in the order of their cost, and wrong acceptances are counted. The maker of the link could have used it, so roles that other people granted meanwhile
 * wait until those people have confirmed them.
 */
export async function acceptInvitation(deps: FactorDeps, acceptance: Acceptance): Promise<InvitationAccepted> {
  const { token, language, factors, browser } = acceptance
  const found = await findOpen(deps, token)
  if (found.kind === 'refused') return found
  const { invitation_id, person_id, email, place, rests } = found.invitation
  if (rests) return { kind: 'refused', code: 'link_rests' }
  const name = readName(acceptance.name)
  if (name === null) return { kind: 'refused', code: 'invalid_name' }
  const proof = await checkMailCode(deps, found.invitation, acceptance.mail_code ?? '')
  if (proof !== 'proven' && proof !== 'not_asked') return { kind: 'refused', code: proof }
  const prepared = await prepare(deps, factors, { person_id: holderOf(found.invitation), email, name })
  if (prepared.kind === 'refused') {
    if (prepared.code in wrongOnes) await store.countWrong(deps.sql, invitation_id)
    return prepared
  }
  if (found.invitation.is_offer) {
    // Its page can be answered again and again, each time with the work of a hash.
    await store.countWrong(deps.sql, invitation_id)
    return { kind: 'refused', code: 'has_account' }
  }
  return acceptAll(deps.sql, async (tx) => {
    const person = await lockPerson(tx, { person_id })
    const move = person === null ? null : findTransition(personTransitions, person.status, 'invitation_accepted')
    if (!(await store.useInvitation(tx, invitation_id))) throw new Refused('invitation_used')
    if (move === null) throw new Refused('invitation_revoked')
    const recovery_codes = await setFactors(tx, deps, person_id, prepared)
    await closeAttempts(tx, person_id)
    const account = { opened_by: place, account_code: newShortCode(), mail_proven: proof === 'proven' }
    await store.activatePerson(tx, { person_id, name, language, status: move.to, ...account })
    const to_confirm = await awaitConfirmation(tx, person_id)
    const session = await openSession(tx, deps.clock, { person_id, email, factor: 'invitation', ...browser })
    const after = { factors: factors.kind, ...(to_confirm.length > 0 && { to_confirm }) }
    recordActOf(tx, email, browser, { act: 'invitation.accept', subject: invitation_id, after })
    recordActOf(tx, email, browser, {
      act: 'session.open',
      subject: session.session_id,
      after: { factor: 'invitation' },
    })
    return { kind: 'accepted', session, recovery_codes }
  })
}

/**
 * Returns the person to whom the page's secret and challenge belong. For an offer that is nobody: the page looks like any invitation, so that
 * the inviter does not learn from it whether the address has an account, and what it shows opens nothing. Its person signs in instead.
 */
function holderOf({ is_offer, invitation_id, person_id }: store.InvitationRow): string {
  return is_offer ? invitation_id.replace('inv_', 'per_') : person_id
}

type AcceptRefusal = Extract<InvitationAccepted, { kind: 'refused' }>['code']

/** Rolls back a transaction that is refused after it has written. */
class Refused extends Error {
  readonly code: AcceptRefusal

  constructor(code: AcceptRefusal) {
    super(code)
    this.code = code
  }
}

async function acceptAll(sql: Sql, work: (tx: Tx) => Promise<InvitationAccepted>): Promise<InvitationAccepted> {
  try {
    return await sql.begin(work)
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', code: error.code }
    throw error
  }
}

/** The refusals that count as a wrong acceptance. */
const wrongOnes: Readonly<Partial<Record<AcceptRefusal, true>>> = {
  wrong_code: true,
  clock_wrong: true,
  attempt_over: true,
  passkey_refused: true,
}

/** The factors of a form that passed every check, ready to be stored. */
type Prepared =
  | { kind: 'password'; first: FirstCode; hash: string }
  | { kind: 'passkey'; question: PasskeyQuestion; passkey: Passkey; label: string }

/**
 * Checks the factors before any transaction. The hash of the password comes last, because it is the only costly step, and takes no part in
 * the turns before the database.
 */
async function prepare(
  deps: FactorDeps,
  factors: ChosenFactors,
  { person_id, email, name }: { person_id: string; email: string; name: string },
): Promise<Prepared | { kind: 'refused'; code: PasswordRefusal | FirstCodeRefusal | 'passkey_refused' | 'busy' }> {
  const { site } = deps
  if (factors.kind === 'passkey') {
    const question = readQuestion(deps, factors.attempt, 'registration')
    if (question?.person_id !== person_id) return { kind: 'refused', code: 'attempt_over' }
    const passkey = await readRegistration(site, question.challenge, factors.answer)
    if (passkey === null) return { kind: 'refused', code: 'passkey_refused' }
    return { kind: 'passkey', question, passkey, label: factors.label }
  }
  const refusal = judgePassword(factors.password, { brand: site.name, email, name })
  if (refusal !== null) return { kind: 'refused', code: refusal }
  const first = readFirstCode(deps, person_id, factors)
  if (first.kind === 'refused') return first
  const hash = await withoutTurn(deps, () => hashPassword(factors.password))
  return hash === null ? { kind: 'refused', code: 'busy' } : { kind: 'password', first, hash }
}

/** Stores the chosen factors, and returns their recovery codes. */
async function setFactors(tx: Tx, deps: FactorDeps, person_id: string, prepared: Prepared): Promise<string[]> {
  if (prepared.kind === 'passkey') {
    const { question, passkey, label } = prepared
    if (!(await takeAnswer(tx, question, 'registration'))) throw new Refused('attempt_over')
    const inserted = await insertPasskey(tx, { ...passkey, person_id, name: passkeyName(label, deps.site) })
    if (!inserted) throw new Refused('passkey_refused')
    return []
  }
  await takeTelephone(tx, deps.key, person_id, prepared.first)
  await setPassword(tx, person_id, prepared.hash)
  const codes = newRecoveryCodes()
  await replaceRecoveryCodes(tx, person_id, codes.map(hashOfRecoveryCode))
  return codes
}

/**
 * Finds a valid invitation. Guesses of its address are not counted: nobody can guess 256 random bits, and a count would block invited people
 * on the same network.
 */
async function findOpen(
  { sql }: FactorDeps,
  token: string,
): Promise<{ kind: 'found'; invitation: store.InvitationRow } | { kind: 'refused'; code: InvitationRefusal }> {
  const invitation = await store.findInvitation(sql, sha256(token))
  if (invitation === null) return { kind: 'refused', code: 'invitation_not_found' }
  const { used, revoked, expired, status, is_offer } = invitation
  if (used) return { kind: 'refused', code: 'invitation_used' }
  if (revoked || (is_offer ? status === 'disabled' : status !== 'invited'))
    return { kind: 'refused', code: 'invitation_revoked' }
  return expired ? { kind: 'refused', code: 'invitation_expired' } : { kind: 'found', invitation }
}
