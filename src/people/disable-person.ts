import { defineAct, refuse, row } from '../acts/act.ts'
import { WHOLE_SERVICE } from '../audit-log/record-act.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { type Actor, isBreakGlass } from '../values/actor.ts'
import { normalizePerson } from '../values/independent-approver.ts'
import { findTransition } from '../values/transition.ts'
import { tellOfOwner } from './former-owners.ts'
import { isLastToAct } from './last-to-act.ts'
import * as links from './link-store.ts'
import { notify } from './notices/notify.ts'
import { type RoleRow, STAFF } from './person.ts'
import { contentOf, personFacts } from './role-facts.ts'
import { endSessionsOfPerson } from './sessions/end-session.ts'
import { countOpenSessions } from './sessions/store.ts'
import { type PersonStatus, personTransitions } from './states.ts'
import * as store from './store.ts'

type Disabled = {
  person: store.LockedPerson
  to: PersonStatus
  roles: readonly RoleRow[]
  held: readonly RoleRow[]
  by: Actor
}

/** In this order, so that those who are told of an owner are the others. */
const disable = defineEffect<Disabled>('person', async (tx, disabled) => {
  for (const { person, to, roles, held, by } of disabled) {
    const { person_id, email } = person
    for (const role of roles) await store.deleteRole(tx, role)
    await store.deleteFactors(tx, person_id)
    await links.revokeInvitation(tx, person_id, null)
    await store.moveTo(tx, person_id, to)
    await endSessionsOfPerson(tx, person_id, 'person_disabled')
    for (const { merchant_id, role } of held)
      if (role === 'owner') await tellOfOwner(tx, 'owner_disabled', { merchant_id, email }, by)
    // Before the first sign-in there is nobody whom the mail would tell.
    if (person.status === 'active') notify(tx, { name: 'account_disabled', to: [email] })
  }
})

/**
 * Disables a person: ends sessions and the invitation, and removes factors and all roles, so that a later invitation restores nothing.
 * Refusals, in order of precedence: oneself, and the last administrator who can sign in, except by a break-glass command. Disabling a person
 * again changes nothing.
 */
export const disablePerson = defineAct({
  name: 'person.disable',
  summary: 'Disable a person: their sessions end at once, and their roles and factors are removed',
  title: ['Désactiver cette personne', 'Disable this person'],
  right: 'people.manage',
  fresh: true,
  on: row('per', 'person, as person list shows them'),
  fields: {},
  async load(tx, { id }) {
    const person = await store.lockPerson(tx, { person_id: id })
    if (person === null) return null
    const isLast = await isLastToAct(tx, STAFF, id)
    const roles = await store.readRoles(tx, id)
    const sessions_ended = await countOpenSessions(tx, id)
    return { about: { merchant_id: WHOLE_SERVICE, livemode: null }, person, roles, isLast, sessions_ended }
  },
  facts: personFacts,
  content: ({ person, roles }) => contentOf(person, roles),
  note: () => [
    'Ses sessions se ferment, et ses rôles s’en vont partout.',
    'Their sessions end, and they lose their roles everywhere.',
  ],
  decide({ by, id }, { person, roles, isLast, sessions_ended }) {
    if (normalizePerson(by.person) === person.email) return refuse('same_person')
    const move = findTransition(personTransitions, person.status, 'disabled')
    if (move === null) return { kind: 'unchanged', result: { person_id: id, sessions_ended: 0 } }
    if (isLast && !isBreakGlass(by)) return refuse('last_of_role')
    // A team learns nothing about a person who has not accepted its role.
    const held = roles.filter(({ to_accept }) => !to_accept)
    return {
      kind: 'accepted',
      effects: [disable({ person, to: move.to, roles, held, by })],
      result: { person_id: id, sessions_ended },
      before: { status: person.status, roles: held.map(({ merchant_id, role }) => ({ merchant_id, role })) },
      after: { email: person.email, status: move.to },
    }
  },
  unknown: 'There is no person {id}.',
  refusals: {
    same_person: {
      words: ['C’est vous : une autre personne le fait.', 'This is you: another person does it.'],
      command: 'Nobody disables themselves.',
    },
    last_of_role: {
      words: [
        'C’est le dernier administrateur qui peut entrer : donnez d’abord ce rôle à une autre personne.',
        'This is the last administrator who can sign in: give the role to another person first.',
      ],
      command:
        'This is the last administrator who can sign in. A command on the host does it, after bandama logout, and the audit log shows that it did.',
    },
  },
})
