import { noteTie } from '../acts/second-person.ts'
import { recordAct } from '../audit-log/record-act.ts'
import type { Clock } from '../platform/clock.ts'
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
import { isKnownTo, type PersonRow, type RoleRow, readName, STAFF } from './person.ts'
import { readRights } from './read-rights.ts'
import { personTransitions } from './states.ts'
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
  | { kind: 'invited'; person_id: string; link: Link | null; added: readonly RoleRow['role'][] }
  | { kind: 'refused'; code: InviteRefusal }

type Dependencies = { sql: Sql; clock: Clock }

/**
 * Grants roles to a person, and makes a link. A role with one half of a decision is in effect once a second person has confirmed it, and so is any
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
export async function invitePerson(
  { sql, clock }: Dependencies,
  wanted: Invitation,
  inviter: Actor,
): Promise<InviteResult> {
  return sql.begin((tx) => inviteIn(tx, clock, wanted, inviter))
}

/** `invitePerson` within a larger transaction. */
export async function inviteIn(tx: Tx, clock: Clock, wanted: Invitation, inviter: Actor): Promise<InviteResult> {
  const { merchant_id } = wanted
  const now = clock.now()
  const email = readEmail(wanted.email)
  if (email === null) return { kind: 'refused', code: 'invalid_email' }
  const name = readName(wanted.name ?? email.split('@')[0]!)
  if (name === null) return { kind: 'refused', code: 'invalid_name' }
  const roles = rolesIn(wanted)
  if (roles === null) return { kind: 'refused', code: 'invalid_role' }
  if (normalizePerson(inviter.person) === email) return { kind: 'refused', code: 'same_person' }
  const rights = await readRights(tx, inviter.person, merchant_id)
  const ofService = isBreakGlass(inviter) || rights.staff.has('people.manage')
  const isMemberHere = rights.merchant.has('team.manage')
  const own = merchant_id === STAFF ? rights.staff : rights.merchant
  if (!ofService && !rightsOf(roles).isSubsetOf(own)) return { kind: 'refused', code: 'beyond_own_rights' }
  if (merchant_id !== STAFF && !(await store.merchantExists(tx, merchant_id))) {
    return { kind: 'refused', code: 'resource_not_found' }
  }
  const person_id = newId('per', clock.milliseconds())
  await store.insertPerson(tx, { person_id, email, name, language: wanted.language ?? 'fr' })
  const person = (await store.lockPerson(tx, { email }))!
  const comesBack = findTransition(personTransitions, person.status, 'invited_again')
  if (comesBack !== null && !ofService) return { kind: 'refused', code: 'person_disabled' }
  const before = await store.readRoles(tx, person.person_id)
  // The holder of a link becomes that person, with all roles that others granted.
  const elsewhere = before.some((role) => role.merchant_id !== merchant_id && !role.to_accept)
  const break_glass = isBreakGlass(inviter)
  const isActive = person.status === 'active'
  const isMember = before.some((role) => role.merchant_id === merchant_id && !role.to_accept)
  const asService = !break_glass && !isMemberHere && merchant_id !== STAFF
  const place = asService ? STAFF : merchant_id
  // An administrator who is a member here acts as one: a link of the merchant leaves alone the roles that others granted.
  const needsLink = !isActive && (place === STAFF || break_glass || !elsewhere)
  const isUnknown = !break_glass && !needsLink && !(isActive && isKnownTo(place, person))
  if (merchant_id === STAFF && isUnknown && person.mail_proven_at === null)
    return { kind: 'refused', code: 'account_unproven' }
  const to_accept = !break_glass && !needsLink && !(isActive && isMember)
  const needsSecond = asService || (isUnknown && !to_accept)
  const given = { merchant_id, roles, beside_link: isUnknown, to_accept, needsSecond }
  const added = await addRoles(tx, person, before, given, inviter)
  if (comesBack !== null) await store.moveTo(tx, person.person_id, comesBack.to)
  const named = roles.map((role) => ({ merchant_id, role }))
  const link =
    needsLink || to_accept ? newLink(needsLink ? await store.readRoles(tx, person.person_id) : named, now) : null
  if (link !== null) {
    if (needsLink) await giveLink(tx, now, person, { by: inviter, place, named, link })
    else await giveOffer(tx, now, person, { by: inviter, place: merchant_id, name, link })
  }
  const waiting = added.filter((role) => needsSecond || rolesToConfirm.has(role))
  await tellAdministrators(
    tx,
    person,
    waiting.map((role) => ({ merchant_id, role })),
    inviter,
  )
  if (added.includes('owner') && !isMemberHere) {
    await tellOfOwner(tx, 'owner_given', { merchant_id, email }, inviter)
  }
  if (added.length > 0 || link !== null) {
    const held = before.filter((role) => role.merchant_id === merchant_id).map(({ role }) => role)
    if (added.length > 0 && isActive) {
      notify(tx, {
        name: to_accept ? 'role_offered' : 'role_given',
        about: { merchant_id, livemode: null },
        to: [email],
        facts: { role: added.join() },
      })
    }
    recordAct(
      tx,
      { merchant_id, livemode: null },
      {
        actor: inviter,
        act: 'person.invite',
        subject: person.person_id,
        before: { roles: held },
        after: { email, roles: [...held, ...added], with_link: link !== null },
      },
    )
  }
  return { kind: 'invited', person_id: person.person_id, link, added }
}

async function addRoles(
  tx: Tx,
  { person_id, email }: PersonRow,
  before: readonly RoleRow[],
  given: {
    merchant_id: number
    roles: readonly RoleRow['role'][]
    beside_link: boolean
    to_accept: boolean
    needsSecond: boolean
  },
  inviter: Actor,
): Promise<RoleRow['role'][]> {
  const { merchant_id, roles, beside_link, to_accept, needsSecond } = given
  const has = (role: string) => before.some((one) => one.merchant_id === merchant_id && one.role === role)
  const added = roles.filter((role) => !has(role))
  const break_glass = isBreakGlass(inviter)
  for (const role of added) {
    const needs_confirmation = !break_glass && (needsSecond || rolesToConfirm.has(role))
    const granted_by = inviter.person
    const grant = { granted_by, needs_confirmation, break_glass, beside_link, to_accept }
    await store.insertRole(tx, { person_id, merchant_id, role, ...grant })
  }
  if (added.length > 0) await noteTie(tx, email, inviter)
  return added
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
