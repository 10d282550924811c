import { sha256 } from '../../platform/digest.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import type { Language } from '../../values/language.ts'
import type { Secret } from '../../values/secret.ts'
import { findTransition } from '../../values/transition.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { insertPasskey, replaceRecoveryCodes, setPassword } from '../factors/factor-store.ts'
import {
  type BrowserAnswer,
  passkeyName,
  type RegistrationOptions,
  readRegistration,
  registrationOptions,
} from '../factors/passkey.ts'
import { hashPassword } from '../factors/password-hash.ts'
import { judgePassword, type PasswordRefusal } from '../factors/password-rules.ts'
import { hashOfRecoveryCode, newRecoveryCodes } from '../factors/recovery-code.ts'
import { type CodeRefusal, type ShownSecret, showNextSecret, takeFirstCode } from '../factors/take-code.ts'
import { readName } from '../person.ts'
import { recordActOf } from '../record-act-of.ts'
import type { Browser } from '../sessions/browser.ts'
import { type OpenedSession, openSession } from '../sessions/open-session.ts'
import { personTransitions } from '../states.ts'
import { awaitConfirmation, lockPerson } from '../store.ts'
import { closeAttempts, lockAttempt, markUsed } from './attempt-store.ts'
import * as store from './invitation-store.ts'
import { openAttempt } from './open-attempt.ts'

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

/** Opens the page of an invitation. Each time it shows a new secret for the phone. A code of any of these secrets is accepted. */
export async function openInvitation(deps: FactorDeps, { token }: { token: string }): Promise<InvitationOpened> {
  const found = await findOpen(deps, token)
  if (found.kind === 'refused') return found
  const { sql, clock, key, site } = deps
  const { person_id, email, name, language, invited_by, inviter, expires_at } = found.invitation
  return sql.begin(async (tx): Promise<InvitationOpened> => {
    const telephone = await showNextSecret(tx, key, { person_id, email, issuer: site.name })
    const roles = await store.readInvitedRoles(tx, person_id)
    const passkey = await passkeyFor(tx)
    const person = { email, name, language }
    return { kind: 'open', person, invited_by: inviter ?? invited_by, roles, expires_at, telephone, passkey }
  })

  async function passkeyFor(tx: Tx): Promise<{ attempt: Secret; options: RegistrationOptions } | null> {
    if (!site.passkeys) return null
    const { token: attempt, challenge } = await openAttempt(tx, clock, { purpose: 'registration', person_id })
    return { attempt, options: await registrationOptions(site, { person_id, email, name }, challenge, []) }
  }
}

/** The factors that a person chooses. `code`: the first of the phone. `label`: the name of the passkey in their list. */
export type ChosenFactors =
  | { kind: 'password'; password: string; code: string }
  | { kind: 'passkey'; attempt: string; answer: BrowserAnswer; label: string }

export type Acceptance = { token: string; name: string; language: Language; factors: ChosenFactors; browser: Browser }

export type InvitationAccepted =
  /** `recovery_codes`: shown once; none for a passkey, which needs no password beside it. */
  | { kind: 'accepted'; session: OpenedSession; recovery_codes: string[] }
  | {
      kind: 'refused'
      code:
        | InvitationRefusal
        | PasswordRefusal
        | CodeRefusal
        | 'invalid_name'
        | 'busy'
        | 'attempt_over'
        | 'passkey_refused'
    }

/**
 * Accepts an invitation: stores the person's name, language and first factors in one transaction, and opens a new session. Only one request
 * can use the link; a refused form leaves it valid. The maker of the link could have used it, so roles that other people granted meanwhile
 * wait until those people have confirmed them.
 */
export async function acceptInvitation(deps: FactorDeps, acceptance: Acceptance): Promise<InvitationAccepted> {
  const { token, language, factors, browser } = acceptance
  const found = await findOpen(deps, token)
  if (found.kind === 'refused') return found
  const { invitation_id, person_id, email } = found.invitation
  const name = readName(acceptance.name)
  if (name === null) return { kind: 'refused', code: 'invalid_name' }
  const prepared = await prepare(deps, factors, { email, name })
  if (prepared.kind === 'refused') return prepared
  return acceptAll(deps.sql, async (tx) => {
    const person = await lockPerson(tx, { person_id })
    const move = person === null ? null : findTransition(personTransitions, person.status, 'invitation_accepted')
    if (!(await store.useInvitation(tx, invitation_id))) throw new Refused('invitation_used')
    if (move === null) throw new Refused('invitation_revoked')
    const recovery_codes = await setFactors(tx, deps, person_id, factors, prepared.hash)
    await closeAttempts(tx, person_id)
    await store.activatePerson(tx, { person_id, name, language, status: move.to })
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

/** Checks and hashes the password before any transaction, because it takes a while. */
async function prepare(
  { site }: FactorDeps,
  factors: ChosenFactors,
  { email, name }: { email: string; name: string },
): Promise<{ kind: 'prepared'; hash: string | null } | { kind: 'refused'; code: PasswordRefusal | 'busy' }> {
  if (factors.kind === 'passkey') return { kind: 'prepared', hash: null }
  const refusal = judgePassword(factors.password, { brand: site.name, email, name })
  if (refusal !== null) return { kind: 'refused', code: refusal }
  const hash = await hashPassword(factors.password)
  return hash === null ? { kind: 'refused', code: 'busy' } : { kind: 'prepared', hash }
}

/** Stores the chosen factors, and returns their recovery codes. */
async function setFactors(
  tx: Tx,
  deps: FactorDeps,
  person_id: string,
  factors: ChosenFactors,
  hash: string | null,
): Promise<string[]> {
  if (factors.kind === 'passkey') {
    const attempt = await lockAttempt(tx, factors.attempt, 'registration')
    if (attempt?.person_id !== person_id) throw new Refused('attempt_over')
    const passkey = await readRegistration(deps.site, attempt.challenge!, factors.answer)
    const name = passkeyName(factors.label, deps.site)
    const inserted = passkey !== null && (await insertPasskey(tx, { ...passkey, person_id, name }))
    if (!inserted) throw new Refused('passkey_refused')
    await markUsed(tx, attempt)
    return []
  }
  const taken = await takeFirstCode(tx, deps, person_id, factors.code)
  if (taken.kind === 'refused') throw new Refused(taken.code)
  await setPassword(tx, person_id, hash!)
  const codes = newRecoveryCodes()
  await replaceRecoveryCodes(tx, person_id, codes.map(hashOfRecoveryCode))
  return codes
}

/**
 * Finds a valid invitation. Guesses are not counted: nobody can guess 256 random bits, and a count would block invited people on the same
 * network.
 */
async function findOpen(
  { sql }: FactorDeps,
  token: string,
): Promise<{ kind: 'found'; invitation: store.InvitationRow } | { kind: 'refused'; code: InvitationRefusal }> {
  const invitation = await store.findInvitation(sql, sha256(token))
  if (invitation === null) return { kind: 'refused', code: 'invitation_not_found' }
  const { used, revoked, expired, status } = invitation
  if (used) return { kind: 'refused', code: 'invitation_used' }
  if (revoked || status !== 'invited') return { kind: 'refused', code: 'invitation_revoked' }
  return expired ? { kind: 'refused', code: 'invitation_expired' } : { kind: 'found', invitation }
}
