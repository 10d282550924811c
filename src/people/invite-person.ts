import { noteTie } from '../acts/second-person.ts'
import { recordAct } from '../audit-log/record-act.ts'
import type { Clock } from '../platform/clock.ts'
import { takeAdvisoryLock } from '../platform/postgres/advisory-lock.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { type Actor, isBreakGlass } from '../values/actor.ts'
import { newId } from '../values/ids.ts'
import { normalizePerson } from '../values/independent-approver.ts'
import {
  type MerchantRole,
  merchantRoles,
  rightsOf,
  rolesToConfirm,
  type StaffRole,
  staffRoles,
} from '../values/rights.ts'
import { findTransition } from '../values/transition.ts'
import { tellOfOwner } from './former-owners.ts'
import { giveLink, giveOffer, type Link, newLink } from './give-link.ts'
import { notify } from './notices/notify.ts'
import { isKnownTo, type RoleRow, readName, STAFF } from './person.ts'
import { readRights } from './read-rights.ts'
import { type PersonStatus, personTransitions } from './states.ts'
import * as store from './store.ts'
import { tellAdministrators } from './tell-administrators.ts'

export type Invitation = {
  email: string
  /** The name of a new person. Absent: the part of the address before the @. */
  name?: string
  language?: 'fr' | 'en'
  /** The merchant of the roles. `STAFF`: the service. */
  merchant_id: number
  roles: readonly (MerchantRole | StaffRole)[]
}

export type InviteRefusal =
  | 'invalid_email'
  | 'invalid_name'
  | 'invalid_role'
  | 'same_person'
  | 'beyond_own_rights'
  | 'resource_not_found'
  | 'person_disabled'
  | 'account_unproven'

export type InviteResult =
  /**
   * `link`: null only when the person is in this team already, or a break-glass command gave roles to somebody who signs in. Otherwise the answer
   * does not tell whether the address has an account. `added`: the roles that are new.
   */
  { kind: 'invited'; person_id: string; link: Link | null; added: readonly RoleRow['role'][] } | InviteRefused

type InviteRefused = { kind: 'refused'; code: InviteRefusal }
type Dependencies = { sql: Sql; clock: Clock }

/** An invitation that is allowed: what it will write. */
export type PlannedInvitation = {
  readonly kind: 'planned'
  readonly merchant_id: number
  readonly inviter: Actor
  readonly now: Date
  /** The name that the inviter wrote, or the beginning of the address. */
  readonly name: string
  readonly person: store.LockedPerson
  readonly is_new: boolean
  /** The status of a disabled person who comes back. Null: another person. */
  readonly comes_back: PersonStatus | null
  /** All roles that the person holds before. */
  readonly before: readonly RoleRow[]
  readonly roles: readonly RoleRow['role'][]
  readonly added: readonly RoleRow['role'][]
  readonly grant: { readonly beside_link: boolean; readonly to_accept: boolean; readonly needs_second: boolean }
  /** Whether the inviter is a member of the merchant who manages its team. */
  readonly is_member: boolean
  /** The place that makes the link, and whether its link sets factors. */
  readonly place: number
  readonly sets_factors: boolean
  readonly link: Link | null
}

/**
 * Grants roles to a person, and makes a link. For what the service makes itself; people invite by the acts of `invite.ts`.
 */
export async function invitePerson({ sql, clock }: Dependencies, wanted: Invitation, by: Actor): Promise<InviteResult> {
  return sql.begin((tx) => inviteIn(tx, clock, wanted, by))
}

/** `invitePerson` within a larger transaction. */
export async function inviteIn(tx: Tx, clock: Clock, wanted: Invitation, inviter: Actor): Promise<InviteResult> {
  const planned = await planInvitation(tx, clock.now(), wanted, inviter)
  if (planned.kind === 'refused') return planned
  await writeInvitation(tx, planned)
  const { person, link, added, merchant_id } = planned
  const line = lineOf(planned)
  if (line !== null) recordAct(tx, { merchant_id, livemode: null }, { actor: inviter, act: 'person.invite', ...line })
  return { kind: 'invited', person_id: person.person_id, link, added }
}

/**
 * Decides on an invitation, and writes nothing. A role with one half of a decision is in effect once a second person has confirmed it, and so is any
 * role that the service gives at a merchant; one granted by a break-glass command is in effect at once. The same invitation again makes a new link and
 * ends the one before.
 *
 * An e-mail address says nothing about the holder of its account. So a person whose account another place opened, or who has another place's open
 * link, accepts the roles, and then a second person compares the account code with them, whatever the role. A person who is new to a team
 * accepts its roles in any case. None of this holds for a break-glass command.
 *
 * Refusals, in order of precedence: an invalid address, name or role; oneself; rights that the inviter does not have, unless they manage
 * people for the service; no such merchant; a person whom the service has disabled and only the service can invite again; a role in the staff for an
 * account that the staff did not open and whose address is not proven.
 */
export async function planInvitation(
  tx: Tx,
  now: Date,
  wanted: Invitation,
  inviter: Actor,
): Promise<PlannedInvitation | InviteRefused> {
  const { merchant_id } = wanted
  const email = readEmail(wanted.email)
  if (email === null) return { kind: 'refused', code: 'invalid_email' }
  const name = readName(wanted.name ?? email.split('@')[0]!)
  if (name === null) return { kind: 'refused', code: 'invalid_name' }
  const roles = rolesIn(wanted)
  if (roles === null) return { kind: 'refused', code: 'invalid_role' }
  if (normalizePerson(inviter.person) === email) return { kind: 'refused', code: 'same_person' }
  const rights = await readRights(tx, inviter.person, merchant_id)
  const ofService = isBreakGlass(inviter) || rights.staff.has('people.manage')
  const is_member = rights.merchant.has('team.manage')
  const own = merchant_id === STAFF ? rights.staff : rights.merchant
  if (!ofService && !rightsOf(roles).isSubsetOf(own)) return { kind: 'refused', code: 'beyond_own_rights' }
  if (merchant_id !== STAFF && !(await store.merchantExists(tx, merchant_id))) {
    return { kind: 'refused', code: 'resource_not_found' }
  }
  // The second of two invitations of a new address finds the person whom the first one made.
  await takeAdvisoryLock(tx, `invites ${email}`)
  const found = await store.lockPerson(tx, { email })
  const person = found ?? newPerson({ email, name, language: wanted.language ?? 'fr' }, now)
  const transition = findTransition(personTransitions, person.status, 'invited_again')
  if (transition !== null && !ofService) return { kind: 'refused', code: 'person_disabled' }
  const before = found === null ? [] : await store.readRoles(tx, person.person_id)
  // The holder of a link becomes that person, with all roles that others granted.
  const elsewhere = before.some((role) => role.merchant_id !== merchant_id && !role.to_accept)
  const break_glass = isBreakGlass(inviter)
  const isActive = person.status === 'active'
  const isMember = before.some((role) => role.merchant_id === merchant_id && !role.to_accept)
  const asService = !break_glass && !is_member && merchant_id !== STAFF
  const place = asService ? STAFF : merchant_id
  // An administrator who is a member here acts as one: a link of the merchant leaves alone the roles that others granted.
  const sets_factors = !isActive && (place === STAFF || break_glass || !elsewhere)
  const isUnknown = !break_glass && !sets_factors && !(isActive && isKnownTo(place, person))
  if (merchant_id === STAFF && isUnknown && person.mail_proven_at === null)
    return { kind: 'refused', code: 'account_unproven' }
  const to_accept = !break_glass && !sets_factors && !(isActive && isMember)
  const needs_second = asService || (isUnknown && !to_accept)
  const has = (role: string) => before.some((one) => one.merchant_id === merchant_id && one.role === role)
  const added = roles.filter((role) => !has(role))
  const named = roles.map((role) => ({ merchant_id, role }))
  const linked = sets_factors ? [...before, ...named] : named
  return {
    kind: 'planned',
    ...{ merchant_id, inviter, now, name, person, is_new: found === null, comes_back: transition?.to ?? null, before },
    ...{ roles, added, grant: { beside_link: isUnknown, to_accept, needs_second }, is_member, place, sets_factors },
    link: sets_factors || to_accept ? newLink(linked, now) : null,
  }
}

function newPerson(person: Pick<store.LockedPerson, 'email' | 'name' | 'language'>, now: Date): store.LockedPerson {
  const nothing = { opened_by: null, account_code: null, mail_proven_at: null }
  return { person_id: newId('per', now.getTime()), ...person, status: 'invited', ...nothing }
}

/** Writes a planned invitation, and tells those whom it concerns. Its line is the caller's. */
export async function writeInvitation(tx: Tx, planned: PlannedInvitation): Promise<void> {
  const { merchant_id, inviter, now, name, person, roles, added, place, link, grant } = planned
  const { person_id, email, status } = person
  const about = { merchant_id, livemode: null }
  if (planned.is_new) await store.insertPerson(tx, person)
  await addRoles(tx, planned)
  if (planned.comes_back !== null) await store.moveTo(tx, person_id, planned.comes_back)
  const named = roles.map((role) => ({ merchant_id, role }))
  if (link !== null) {
    if (planned.sets_factors) await giveLink(tx, now, person, { by: inviter, place, named, link })
    else await giveOffer(tx, now, person, { by: inviter, place: merchant_id, name, link })
  }
  const waiting = added.filter((role) => grant.needs_second || rolesToConfirm.has(role))
  await tellAdministrators(
    tx,
    person,
    waiting.map((role) => ({ merchant_id, role })),
    inviter,
  )
  if (added.includes('owner') && !planned.is_member) {
    await tellOfOwner(tx, 'owner_given', { merchant_id, email }, inviter)
  }
  if (added.length > 0 && status === 'active') {
    const told = grant.to_accept ? 'role_offered' : 'role_given'
    notify(tx, { name: told, about, to: [email], facts: { role: added.join() } })
  }
}

/** The line of an invitation in the audit log. Null: it changes nothing. */
export function lineOf({ person: { person_id, email }, merchant_id, before, added, link }: PlannedInvitation) {
  if (added.length === 0 && link === null) return null
  const held = before.filter((role) => role.merchant_id === merchant_id).map(({ role }) => role)
  const after = { email, roles: [...held, ...added], with_link: link !== null }
  return { subject: person_id, before: { roles: held }, after }
}

async function addRoles(tx: Tx, planned: PlannedInvitation): Promise<void> {
  const { merchant_id, inviter, added, grant, person } = planned
  const { beside_link, to_accept, needs_second } = grant
  const break_glass = isBreakGlass(inviter)
  for (const role of added) {
    const needs_confirmation = !break_glass && (needs_second || rolesToConfirm.has(role))
    const given = { granted_by: inviter.person, needs_confirmation, break_glass, beside_link, to_accept }
    await store.insertRole(tx, { person_id: person.person_id, merchant_id, role, ...given })
  }
  if (added.length > 0) await noteTie(tx, person.email, inviter)
}

/** Reads roles, each once. Null when there is none, or one of the other kind. */
function rolesIn({ merchant_id, roles }: Invitation): RoleRow['role'][] | null {
  const known: readonly string[] = merchant_id === STAFF ? staffRoles : merchantRoles
  return roles.length > 0 && roles.every((role) => known.includes(role)) ? [...new Set(roles)] : null
}

/** Normalizes an e-mail address. Null when it is invalid, or reads as an actor that is not a person. */
function readEmail(text: string): string | null {
  const email = normalizePerson(text)
  return email !== null && /^[^\s@:]+@[^\s@:]+$/.test(email) ? email : null
}
