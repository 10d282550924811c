import { recordAct, WHOLE_SERVICE } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type Actor, isBreakGlass } from '../values/actor.ts'
import { normalizePerson } from '../values/independent-approver.ts'
import { findTransition } from '../values/transition.ts'
import { tellOfOwner } from './former-owners.ts'
import { isLastToAct } from './last-to-act.ts'
import * as links from './link-store.ts'
import { notify } from './notices/notify.ts'
import { STAFF } from './person.ts'
import { endSessionsOfPerson } from './sessions/end-session.ts'
import { personTransitions } from './states.ts'
import * as store from './store.ts'

export type PersonDisabled =
  | { kind: 'disabled'; sessions_ended: number }
  | { kind: 'refused'; code: 'resource_not_found' | 'same_person' | 'already_disabled' | 'last_of_role' }

/**
 * Disables a person: ends sessions and the invitation, and removes factors and all roles, so that a later invitation restores nothing.
 * Refusals, in order of precedence: no such person, oneself, disabled already, and the last administrator who can sign in, except by a
 * break-glass command.
 */
export async function disablePerson({ sql }: { sql: Sql }, person_id: string, by: Actor): Promise<PersonDisabled> {
  return sql.begin(async (tx): Promise<PersonDisabled> => {
    const person = await store.lockPerson(tx, { person_id })
    if (person === null) return { kind: 'refused', code: 'resource_not_found' }
    if (normalizePerson(by.person) === person.email) return { kind: 'refused', code: 'same_person' }
    const move = findTransition(personTransitions, person.status, 'disabled')
    if (move === null) return { kind: 'refused', code: 'already_disabled' }
    const isLast = await isLastToAct(tx, STAFF, person_id)
    if (isLast && !isBreakGlass(by)) return { kind: 'refused', code: 'last_of_role' }
    const roles = await store.readRoles(tx, person_id)
    for (const role of roles) await store.deleteRole(tx, role)
    await store.deleteFactors(tx, person_id)
    await links.revokeInvitation(tx, person_id, null)
    await store.moveTo(tx, person_id, move.to)
    const sessions_ended = await endSessionsOfPerson(tx, person_id, 'person_disabled')
    // A team learns nothing about a person who has not accepted its role.
    const held = roles.filter(({ to_accept }) => !to_accept)
    const before = { status: person.status, roles: held.map(({ merchant_id, role }) => ({ merchant_id, role })) }
    recordAct(
      tx,
      { merchant_id: WHOLE_SERVICE, livemode: null },
      {
        ...{ actor: by, act: 'person.disable', subject: person_id, before },
        after: { email: person.email, status: move.to },
      },
    )
    for (const { merchant_id, role } of held) {
      if (role === 'owner') await tellOfOwner(tx, 'owner_disabled', { merchant_id, email: person.email }, by)
    }
    // Before the first sign-in there is nobody whom the mail would tell.
    if (person.status === 'active') notify(tx, { name: 'account_disabled', to: [person.email] })
    return { kind: 'disabled', sessions_ended }
  })
}
