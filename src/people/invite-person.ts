import { recordAct } from '../audit-log/record-act.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { type Actor, isBreakGlass } from '../values/actor.ts'
import { newId } from '../values/ids.ts'
import { normalizePerson } from '../values/independent-approver.ts'
import { findTransition } from '../values/transition.ts'
import { tellOfOwner } from './former-owners.ts'
import { giveLink, type Link } from './give-link.ts'
import { notify } from './notices/notify.ts'
import { type PersonRow, type RoleRow, readName, STAFF } from './person.ts'
import { readRights } from './read-rights.ts'
import { type MerchantRole, merchantRoles, rightsOf, rolesToConfirm, type StaffRole, staffRoles } from './rights.ts'
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

export type InviteResult =
  /** `link`: null when the person signs in already, or another merchant's invitation is open. `added`: the roles that are new. */
  | { kind: 'invited'; person_id: string; link: Link | null; added: readonly RoleRow['role'][] }
  | { kind: 'refused'; code: InviteRefusal }

type Dependencies = { sql: Sql; clock: Clock }

/**
 * Grants roles to a person, and makes a link for somebody who does not sign in yet. A role that moves money is in effect once a second
 * person has confirmed it; one granted by a break-glass command is in effect at once. The same invitation again makes a new link and ends
 * the one before. A person with an open invitation of another merchant gets no second link: the roles wait for a confirmation after the
 * person has used that one. A person with an account who is not in the team yet accepts the roles first, except from a break-glass command.
 *
 * Refusals, in order of precedence: an invalid address, name or role; oneself; rights that the inviter does not have, unless they manage
 * people for the service; no such merchant; a person whom the service has disabled and only the service can invite again.
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
  const email = readEmail(wanted.email)
  if (email === null) return { kind: 'refused', code: 'invalid_email' }
  const name = readName(wanted.name ?? email.split('@')[0]!)
  if (name === null) return { kind: 'refused', code: 'invalid_name' }
  const roles = rolesIn(wanted)
  if (roles === null) return { kind: 'refused', code: 'invalid_role' }
  if (normalizePerson(inviter.person) === email) return { kind: 'refused', code: 'same_person' }
  const ofService = isBreakGlass(inviter) || (await readRights(tx, inviter.person, STAFF)).staff.has('people.manage')
  if (!ofService && !(await mayGive(tx, inviter, merchant_id, roles))) {
    return { kind: 'refused', code: 'beyond_own_rights' }
  }
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
  const elsewhere = before.some((role) => role.merchant_id !== merchant_id)
  const needsLink = person.status !== 'active' && (ofService || !elsewhere)
  const beside_link = person.status !== 'active' && !needsLink
  const isMember = before.some((role) => role.merchant_id === merchant_id && !role.to_accept)
  const to_accept = !isBreakGlass(inviter) && (beside_link || (person.status === 'active' && !isMember))
  const added = await addRoles(tx, person, before, { merchant_id, roles, beside_link, to_accept }, inviter)
  if (comesBack !== null) await store.moveTo(tx, person.person_id, comesBack.to)
  const link = needsLink ? await giveLink(tx, clock, person, inviter) : null
  await tellAdministrators(
    tx,
    person,
    added.map((role) => ({ merchant_id, role })),
    inviter,
  )
  if (added.includes('owner') && !(await readRights(tx, inviter.person, merchant_id)).merchant.has('team.manage')) {
    await tellOfOwner(tx, 'owner_given', { merchant_id, email }, inviter)
  }
  if (added.length > 0 || link !== null) {
    const own = before.filter((role) => role.merchant_id === merchant_id).map(({ role }) => role)
    if (added.length > 0 && person.status === 'active') {
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
        before: { roles: own },
        after: { email, roles: [...own, ...added], with_link: link !== null },
      },
    )
  }
  return { kind: 'invited', person_id: person.person_id, link, added }
}

async function addRoles(
  tx: Tx,
  { person_id }: PersonRow,
  before: readonly RoleRow[],
  given: { merchant_id: number; roles: readonly RoleRow['role'][]; beside_link: boolean; to_accept: boolean },
  inviter: Actor,
): Promise<RoleRow['role'][]> {
  const { merchant_id, roles, beside_link, to_accept } = given
  const has = (role: string) => before.some((one) => one.merchant_id === merchant_id && one.role === role)
  const added = roles.filter((role) => !has(role))
  const break_glass = isBreakGlass(inviter)
  for (const role of added) {
    const needs_confirmation = rolesToConfirm.has(role) && !break_glass
    const granted_by = inviter.person
    const grant = { granted_by, needs_confirmation, break_glass, beside_link, to_accept }
    await store.insertRole(tx, { person_id, merchant_id, role, ...grant })
  }
  return added
}

/** Whether the inviter has every right of these roles. */
async function mayGive(tx: Tx, inviter: Actor, merchant_id: number, roles: readonly string[]): Promise<boolean> {
  const { merchant, staff } = await readRights(tx, inviter.person, merchant_id)
  return rightsOf(roles).isSubsetOf(merchant_id === STAFF ? staff : merchant)
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
