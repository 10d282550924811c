import { type ActCall, type ActRefused, defineAct, refuse, row } from '../acts/act.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { type Actor, isBreakGlass } from '../values/actor.ts'
import { normalizePerson } from '../values/independent-approver.ts'
import { findTransition } from '../values/transition.ts'
import { giveLink, type Link, newLink } from './give-link.ts'
import { isLastToAct } from './last-to-act.ts'
import { notify } from './notices/notify.ts'
import { type RoleRow, STAFF } from './person.ts'
import { dropDevicesBeyond } from './push/push-store.ts'
import { contentOf, personFacts } from './role-facts.ts'
import { endSessionsOfPerson } from './sessions/end-session.ts'
import { countOpenSessions } from './sessions/store.ts'
import { type PersonStatus, personTransitions } from './states.ts'
import * as store from './store.ts'
import { tellAdministrators } from './tell-administrators.ts'

/** @property roles those that the person has accepted */
export type PersonReset = {
  readonly person_id: string
  readonly email: string
  readonly link: Link
  readonly roles: readonly RoleRow[]
}

type Reset = {
  readonly person: store.LockedPerson
  readonly to: PersonStatus
  readonly roles: readonly RoleRow[]
  readonly offers: readonly RoleRow[]
  readonly place: number
  readonly link: Link
  readonly by: Actor
}

/**
 * In this order. Offers are gone: teams offered those roles to the holder of the former factors, and the maker of the link could accept them.
 */
const reset = defineEffect<Reset>('person', async (tx, resets, now) => {
  for (const { person, to, roles, offers, place, link, by } of resets) {
    const { person_id } = person
    for (const offer of offers) await store.deleteRole(tx, offer)
    await store.deleteFactors(tx, person_id)
    await dropDevicesBeyond(tx, person_id, 0)
    await store.moveTo(tx, person_id, to)
    await endSessionsOfPerson(tx, person_id, 'factors_changed')
    await giveLink(tx, now, person, { by, place, named: null, link })
    await tellAdministrators(tx, person, roles, by)
    // Before the first sign-in there is nobody whom the mail would tell.
    if (person.status === 'active') notify(tx, { name: 'account_reset', to: [person.email] })
  }
})

type Has = {
  readonly about: { readonly merchant_id: number; readonly livemode: null }
  readonly person: store.LockedPerson
  readonly roles: readonly RoleRow[]
  readonly offers: readonly RoleRow[]
  readonly isLast: boolean
  readonly sessions_ended: number
}

/** Locks a person. Null for a merchant: none of its people who have accepted. */
async function load(tx: Tx, person_id: string, merchant_id: number): Promise<Has | null> {
  const person = await store.lockPerson(tx, { person_id })
  if (person === null) return null
  const all = await store.readRoles(tx, person_id)
  const roles = all.filter(({ to_accept }) => !to_accept)
  // A merchant resets nobody who has not accepted yet: a new address and one with an account elsewhere get the same answer.
  const isMember = roles.some((role) => role.merchant_id === merchant_id) && (await store.hasAccepted(tx, person_id))
  if (merchant_id !== STAFF && !isMember) return null
  return {
    ...{ about: { merchant_id, livemode: null }, person, roles, offers: all.filter(({ to_accept }) => to_accept) },
    isLast: await isLastToAct(tx, merchant_id, person_id),
    sessions_ended: await countOpenSessions(tx, person_id),
  }
}

type Refusal = 'same_person' | 'person_disabled' | 'last_of_role'

/** @param ofPlace a further refusal, or null */
function decide<More extends string = never>(
  { by, id }: ActCall<typeof onPerson>,
  has: Has,
  now: Date,
  ofPlace: ActRefused<More> | null = null,
) {
  const { about, person, roles, offers, isLast, sessions_ended } = has
  const { merchant_id: place } = about
  if (normalizePerson(by.person) === person.email) return refuse<Refusal | More>('same_person')
  const move = findTransition(personTransitions, person.status, 'reset')
  if (move === null) return refuse<Refusal | More>('person_disabled')
  if (ofPlace !== null) return ofPlace
  if (isLast && !isBreakGlass(by)) return refuse<Refusal | More>('last_of_role')
  const link = newLink(roles, now)
  const { email, status } = person
  const result: PersonReset = { person_id: id, email, link, roles }
  return {
    kind: 'accepted',
    effects: [reset({ person, to: move.to, roles, offers, place, link, by })],
    result,
    line: 'person.reset',
    before: { status, roles: roles.map(({ merchant_id, role }) => ({ merchant_id, role })) },
    after: { email, status: move.to, sessions_ended },
  } as const
}

const onPerson = row('per', 'person, as person list shows them')

const common = {
  fresh: true,
  on: onPerson,
  fields: {},
  facts: personFacts,
  content: ({ person, roles }: Has) => contentOf(person, roles),
} as const

/**
 * Removes all factors and sessions of a colleague who has lost theirs, and makes a new link. All their roles wait for a second person who did
 * not make the link. Refusals, in order of precedence: oneself, a disabled person, a person with roles elsewhere, whose link would open
 * those too, and the last owner who can sign in.
 */
export const resetMember = defineAct({
  ...common,
  name: 'person.reset',
  summary: 'Remove the factors and sessions of a colleague who lost theirs, and show a link to set new factors',
  title: ['Effacer ses moyens d’entrer ?', 'Reset their factors?'],
  right: 'team.manage',
  load: async (tx, { id, within: { merchant_id } }) => (merchant_id === undefined ? null : load(tx, id, merchant_id)),
  note: () => [
    'Ses sessions se ferment. Tous ses rôles attendent une autre personne que vous et elle.',
    'Their sessions end. All their roles wait for another person than you and them.',
  ],
  decide(call, has, now) {
    const elsewhere = has.roles.some(({ merchant_id }) => merchant_id !== has.about.merchant_id)
    return decide(call, has, now, elsewhere ? refuse('roles_elsewhere') : null)
  },
  refusals: {
    same_person: [
      'C’est vous. Vos moyens d’entrer se changent dans « Mon compte ».',
      'This is you. Change your factors in “My account”.',
    ],
    person_disabled: ['Le compte de cette personne est fermé.', 'This person’s account is closed.'],
    roles_elsewhere: [
      'Cette personne a aussi des rôles ailleurs, que le lien ouvrirait. L’équipe du service peut l’aider.',
      'This person has roles elsewhere too, which the link would open. The team of the service can help.',
    ],
    last_of_role: [
      'C’est le dernier propriétaire qui peut entrer. L’équipe du service peut l’aider.',
      'This is the last owner who can sign in. The team of the service can help.',
    ],
  },
})

/**
 * The same for anybody, by the service. Only a break-glass command resets the last administrator, and after one no role waits.
 */
export const resetPerson = defineAct({
  ...common,
  name: 'staff.reset',
  summary: 'Remove the factors and sessions of a person who lost theirs, and show a link to set new factors',
  title: ['Effacer ses moyens d’entrer', 'Reset their factors'],
  right: 'people.manage',
  load: (tx, { id }) => load(tx, id, STAFF),
  note: () => [
    'Ses sessions se ferment. Tous ses rôles attendent une deuxième personne, ni vous ni elle.',
    'Their sessions end. All their roles wait for a second person, neither you nor them.',
  ],
  decide: (call, has, now) => decide(call, has, now),
  unknown: 'There is no person {id}.',
  refusals: {
    same_person: {
      words: ['C’est vous : une autre personne le fait.', 'This is you: another person does it.'],
      command: 'Nobody resets themselves. Have another person do it.',
    },
    person_disabled: {
      words: ['Cette personne est désactivée : invitez-la de nouveau.', 'This person is disabled: invite them again.'],
      command: 'This person is disabled. bandama person invite brings them back with new roles.',
    },
    last_of_role: {
      words: [
        'C’est le dernier administrateur qui peut entrer. Une personne qui a accès au serveur peut l’aider, par la commande bandama person reset.',
        'This is the last administrator who can sign in. Somebody with access to the host can help, by the command bandama person reset.',
      ],
      command:
        'This is the last administrator who can sign in. A command on the host does it, after bandama logout, and the audit log shows that it did.',
    },
  },
})
