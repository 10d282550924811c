import { randomBytes } from 'node:crypto'
import { noteTie } from '../acts/second-person.ts'
import { sha256 } from '../platform/digest.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { type Actor, isBreakGlass } from '../values/actor.ts'
import { newId } from '../values/ids.ts'
import { rolesToConfirm } from '../values/rights.ts'
import { Secret } from '../values/secret.ts'
import * as links from './link-store.ts'
import { type PersonRow, type RoleRow, STAFF } from './person.ts'
import * as store from './store.ts'

/** Hours for which a link is valid. An administrator's is valid for one hour, because administrators can invite anyone. */
const LINK_HOURS = 72
const ADMINISTRATOR_LINK_HOURS = 1

/** Random bytes of a token. */
const TOKEN_BYTES = 32

/** A single-use link. Its token is shown once, and only its hash is stored. `staff`: it opens the desk; otherwise the console. */
export type Link = { token: Secret; expires_at: Date; staff: boolean }

/** Makes a link for the holder of these roles. `giveLink` and `giveOffer` store it. */
export function newLink(roles: readonly NamedRole[], now: Date): Link {
  const hours = roles.some(({ role }) => role === 'administrator') ? ADMINISTRATOR_LINK_HOURS : LINK_HOURS
  return {
    token: new Secret(randomBytes(TOKEN_BYTES).toString('base64url')),
    expires_at: new Date(now.getTime() + hours * 3_600_000),
    staff: roles.some(({ merchant_id }) => merchant_id === STAFF),
  }
}

/** The path of a link below the URL of the console or the desk. As secret as the token. */
export function linkPath({ token, staff }: Link): string {
  return `/${staff ? 'desk' : 'console'}/invitation/${token.reveal()}`
}

/** A role that an invitation names. */
export type NamedRole = Pick<RoleRow, 'merchant_id' | 'role'>

/**
 * Makes the only valid link of a locked person. The holder of the link becomes that person, so the maker of the link counts as the granter of each
 * role that waits: after a reset all of them, and otherwise those with one half of a decision and those at other places. A role at another place
 * waits again once the link was used, for somebody there who compares the account code. A break-glass command leaves the roles as they are. A role
 * that others grant later is accepted and confirmed after the person has used the link.
 * @param place the merchant whose people make the link, or `STAFF`
 * @param named the roles of the invitation; null: a reset
 */
export async function giveLink(
  tx: Tx,
  now: Date,
  person: PersonRow,
  { by, place, named, link }: { by: Actor; place: number; named: readonly NamedRole[] | null; link: Link },
): Promise<void> {
  const { person_id } = person
  const roles = await store.readRoles(tx, person_id)
  const isNamed = (held: RoleRow) =>
    named?.some(({ merchant_id, role }) => merchant_id === held.merchant_id && role === held.role) ?? false
  // A merchant's link leaves alone what others offer.
  const isOfService = isBreakGlass(by) || place === STAFF
  await store.coverByLink(tx, person_id, isOfService ? null : place)
  if (!isBreakGlass(by)) {
    for (const held of roles) {
      if (!isOfService && held.merchant_id !== place) continue
      const isElsewhere = held.merchant_id !== place
      const waits = named === null || isElsewhere || rolesToConfirm.has(held.role)
      if (waits) await store.grantAnew(tx, held, { granted_by: by.person, beside_link: isElsewhere && !isNamed(held) })
    }
  }
  await links.revokeInvitation(tx, person_id, { is_offer: false })
  await insertLink(tx, now, person, { by, place, is_offer: false, name: person.name, link })
}

/**
 * Makes a link to roles that a place offers to a person who has an account, or who gets one by another place's link. It sets no factors: its page
 * looks as that of any invitation, and leads its person to their sign-in. So a link tells its inviter nothing about the address.
 * @param name the name that the inviter wrote
 */
export async function giveOffer(
  tx: Tx,
  now: Date,
  person: PersonRow,
  { by, place, name, link }: { by: Actor; place: number; name: string; link: Link },
): Promise<void> {
  await links.revokeInvitation(tx, person.person_id, { is_offer: true, place })
  await insertLink(tx, now, person, { by, place, is_offer: true, name, link })
}

async function insertLink(
  tx: Tx,
  now: Date,
  { person_id, email }: PersonRow,
  { by, place, is_offer, name, link }: { by: Actor; place: number; is_offer: boolean; name: string; link: Link },
): Promise<void> {
  await links.insertInvitation(tx, {
    invitation_id: newId('inv', now.getTime()),
    person_id,
    token_hash: sha256(link.token.reveal()),
    invited_by: by.person,
    place,
    is_offer,
    name,
    expires_at: link.expires_at,
  })
  await noteTie(tx, email, by)
}
