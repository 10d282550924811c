import { recordAct } from '../audit-log/record-act.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type Actor, isBreakGlass } from '../values/actor.ts'
import { normalizePerson } from '../values/independent-approver.ts'
import { findTransition } from '../values/transition.ts'
import { giveLink, type Link } from './give-link.ts'
import { isLastToAct } from './last-to-act.ts'
import { notify } from './notices/notify.ts'
import { STAFF } from './person.ts'
import { endSessionsOfPerson } from './sessions/end-session.ts'
import { personTransitions } from './states.ts'
import * as store from './store.ts'
import { tellAdministrators } from './tell-administrators.ts'

export type PersonReset =
  | { kind: 'reset'; email: string; link: Link }
  | {
      kind: 'refused'
      code: 'resource_not_found' | 'same_person' | 'person_disabled' | 'roles_elsewhere' | 'last_of_role'
    }

/**
 * Removes all factors and sessions of a person who has lost theirs, and makes a new link. All their roles wait for a second person who did not
 * make the link, except after a break-glass command. Roles that the person has not accepted are gone: teams offered them to the holder of the former
 * factors, and the maker of the link could accept them. Refusals, in order of precedence: no such person (for a merchant: none of its people who have accepted), oneself, a disabled
 * person, for a merchant's own people a person with roles elsewhere, whose link would open those too, and the last person who can sign
 * in: a merchant's own people cannot reset their last owner, and only a break-glass command resets the last administrator.
 * @param merchant_id the merchant whose person it is; `STAFF`: the service, which can reset everybody
 */
export async function resetPerson(
  { sql, clock }: { sql: Sql; clock: Clock },
  person_id: string,
  merchant_id: number,
  by: Actor,
): Promise<PersonReset> {
  return sql.begin(async (tx): Promise<PersonReset> => {
    const person = await store.lockPerson(tx, { person_id })
    const all = person === null ? [] : await store.readRoles(tx, person_id)
    const roles = all.filter(({ to_accept }) => !to_accept)
    // A merchant resets nobody who has not accepted yet: a new address and one with an account elsewhere get the same answer.
    const has_accepted = person !== null && (await store.hasAccepted(tx, person_id))
    const isKnown = merchant_id === STAFF || (has_accepted && roles.some((role) => role.merchant_id === merchant_id))
    if (person === null || !isKnown) return { kind: 'refused', code: 'resource_not_found' }
    if (normalizePerson(by.person) === person.email) return { kind: 'refused', code: 'same_person' }
    const move = findTransition(personTransitions, person.status, 'reset')
    if (move === null) return { kind: 'refused', code: 'person_disabled' }
    const elsewhere = roles.some((role) => role.merchant_id !== merchant_id)
    if (merchant_id !== STAFF && elsewhere) return { kind: 'refused', code: 'roles_elsewhere' }
    const isLast = await isLastToAct(tx, merchant_id, person_id)
    if (isLast && !isBreakGlass(by)) return { kind: 'refused', code: 'last_of_role' }
    for (const offer of all.filter(({ to_accept }) => to_accept)) await store.deleteRole(tx, offer)
    await store.deleteFactors(tx, person_id)
    await store.moveTo(tx, person_id, move.to)
    const sessions_ended = await endSessionsOfPerson(tx, person_id, 'factors_changed')
    const link = await giveLink(tx, clock, person, { by, place: merchant_id, named: null })
    const before = { status: person.status, roles: roles.map(({ merchant_id, role }) => ({ merchant_id, role })) }
    recordAct(
      tx,
      { merchant_id, livemode: null },
      {
        ...{ actor: by, act: 'person.reset', subject: person_id, before },
        after: { email: person.email, status: move.to, sessions_ended },
      },
    )
    await tellAdministrators(tx, person, roles, by)
    // Before the first sign-in there is nobody whom the mail would tell.
    if (person.status === 'active') notify(tx, { name: 'account_reset', to: [person.email] })
    return { kind: 'reset', email: person.email, link }
  })
}
