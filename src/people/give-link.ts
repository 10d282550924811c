import { randomBytes } from 'node:crypto'
import type { Clock } from '../platform/clock.ts'
import { sha256 } from '../platform/digest.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { type Actor, isBreakGlass } from '../values/actor.ts'
import { newId } from '../values/ids.ts'
import { Secret } from '../values/secret.ts'
import { type PersonRow, STAFF } from './person.ts'
import { rolesToConfirm } from './rights.ts'
import * as store from './store.ts'

/** Hours for which a link is valid. An administrator's is valid for one hour, because administrators can invite anyone. */
const LINK_HOURS = 72
const ADMINISTRATOR_LINK_HOURS = 1

/** Random bytes of a token. */
const TOKEN_BYTES = 32

/** A single-use link. Its token is shown once, and only its hash is stored. `staff`: it opens the desk; otherwise the console. */
export type Link = { token: Secret; expires_at: Date; staff: boolean }

/** The path of a link below the URL of the console or the desk. As secret as the token. */
export function linkPath({ token, staff }: Link): string {
  return `/${staff ? 'desk' : 'console'}/invitation/${token.reveal()}`
}

/**
 * Makes the only valid link of a locked person. The holder of the link becomes that person. So each role that needs a confirmation waits
 * for a second person again, and the maker of the link counts as its granter. A break-glass command leaves the roles as they are. The link
 * puts the current roles in effect. A role that others grant later is confirmed after the person has used the link.
 */
export async function giveLink(tx: Tx, clock: Clock, { person_id }: PersonRow, by: Actor): Promise<Link> {
  const roles = await store.readRoles(tx, person_id)
  if (!isBreakGlass(by)) {
    const toConfirm = roles.filter(({ role }) => rolesToConfirm.has(role))
    for (const role of toConfirm) await store.grantAnew(tx, role, by.person)
  }
  await store.coverByLink(tx, person_id)
  await store.revokeInvitation(tx, person_id)
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const expires_at = await store.insertInvitation(tx, {
    invitation_id: newId('inv', clock.milliseconds()),
    person_id,
    token_hash: sha256(token),
    invited_by: by.person,
    hours: roles.some(({ role }) => role === 'administrator') ? ADMINISTRATOR_LINK_HOURS : LINK_HOURS,
  })
  return { token: new Secret(token), expires_at, staff: roles.some(({ merchant_id }) => merchant_id === STAFF) }
}
