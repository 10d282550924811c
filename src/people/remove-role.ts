import { type ActCall, defineAct, refuse, row } from '../acts/act.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { RoleKey } from './confirm-role.ts'
import { isLastToAct, keeperRole } from './last-to-act.ts'
import { tellPeople } from './notices/notify.ts'
import { type RoleRow, STAFF } from './person.ts'
import { contentOf, personFacts, roleField } from './role-facts.ts'
import { endSessionsOfPerson } from './sessions/end-session.ts'
import * as store from './store.ts'

const remove = defineEffect<{ role: RoleRow; ends_sessions: boolean }>('person role', async (tx, removed) => {
  for (const { role, ends_sessions } of removed) {
    await store.deleteRole(tx, role)
    if (ends_sessions) await endSessionsOfPerson(tx, role.person_id, 'rights_changed')
  }
})

type Has = {
  readonly about: { readonly merchant_id: number; readonly livemode: null }
  readonly person: store.LockedPerson
  readonly roles: readonly RoleRow[]
  readonly role: RoleRow | null
  readonly isLast: boolean
}

async function load(tx: Tx, { person_id, merchant_id, role: named }: RoleKey): Promise<Has | null> {
  const person = await store.lockPerson(tx, { person_id })
  const roles = person === null ? [] : await store.readRoles(tx, person_id)
  const here = roles.filter((one) => one.merchant_id === merchant_id)
  // To a merchant, people without a role there do not exist.
  if (person === null || (merchant_id !== STAFF && here.length === 0)) return null
  const role = here.find((one) => one.role === named) ?? null
  const isLast = role?.role === keeperRole(merchant_id) && (await isLastToAct(tx, merchant_id, person_id))
  return { about: { merchant_id, livemode: null }, person, roles, role, isLast }
}

function decide({ id }: ActCall<typeof onPerson>, { about, person, roles, role, isLast }: Has) {
  const result = { person_id: id }
  // A repeated submission for a removed role is the same decision.
  if (role === null) return { kind: 'unchanged', result } as const
  if (isLast) return refuse('last_of_role')
  const { email, status } = person
  const { merchant_id } = about
  const elsewhere = roles.some((one) => one.merchant_id !== merchant_id && !one.to_accept)
  const ends_sessions = !role.to_accept && (merchant_id === STAFF || !elsewhere)
  // Before the first sign-in there is nobody whom the mail would tell.
  const isTold = status === 'active' && !role.to_accept
  const told = tellPeople({ name: 'role_removed', about, to: [email], facts: { role: role.role } })
  return {
    kind: 'accepted',
    effects: [remove({ role, ends_sessions }), ...(isTold ? [told] : [])],
    result,
    line: 'person.remove_role',
    before: { role: role.role, granted_by: role.granted_by, confirmed_by: role.confirmed_by },
    after: { email },
  } as const
}

const onPerson = row('per', 'person')

const common = {
  title: ['Retirer ce rôle ?', 'Remove this role?'],
  fresh: true,
  on: onPerson,
  fields: { role: roleField },
  facts: personFacts,
  content: ({ person, role }: Has) => contentOf(person, role === null ? [] : [role]),
  decide,
} as const

/**
 * Removes a role, or refuses one that waits for its confirmation. The right is gone at the person's next request, and their sessions end,
 * unless they have a role elsewhere: a merchant can give a role to any address, and would otherwise sign anybody out at will. Refused: the
 * role of the last owner who can sign in, after whom nobody could invite anyone. The service disables such a person.
 */
export const removeTeamRole = defineAct({
  ...common,
  name: 'person.remove_role',
  summary: 'Remove a role, or refuse one that waits',
  right: 'team.manage',
  load: async (tx, { id, values, within: { merchant_id } }) =>
    merchant_id === undefined ? null : load(tx, { person_id: id, merchant_id, role: values.role }),
  refusals: {
    last_of_role: [
      'C’est le dernier propriétaire qui peut entrer : donnez d’abord ce rôle à une autre personne.',
      'This is the last owner who can sign in: give the role to another person first.',
    ],
  },
})

/** The same in the staff, for the last administrator. */
export const removeStaffRole = defineAct({
  ...common,
  name: 'staff.remove_role',
  summary: 'Remove a role in the staff, or refuse one that waits',
  right: 'people.manage',
  load: (tx, { id, values }) => load(tx, { person_id: id, merchant_id: STAFF, role: values.role }),
  refusals: {
    last_of_role: [
      'C’est le dernier administrateur qui peut entrer : donnez d’abord ce rôle à une autre personne.',
      'This is the last administrator who can sign in: give the role to another person first.',
    ],
  },
})
