import { type ActCall, type ActRefused, defineAct, refuse, row } from '../acts/act.ts'
import { merchantField, text, type ValuesOf } from '../acts/facts.ts'
import { type Beginners, isSecondPerson, readBeginners } from '../acts/second-person.ts'
import { readMerchantName } from '../acts/store.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Db, Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { compareCode, ELSEWHERE, type OpenedBy, openedBy } from './compare-code.ts'
import { findHolders } from './find-persons.ts'
import { hasShutOutOwner, tellOfOwner } from './former-owners.ts'
import { tellPeople } from './notices/notify.ts'
import { isKnownTo, isToConfirm, type RoleRow, STAFF } from './person.ts'
import { contentOf, personFacts, roleField } from './role-facts.ts'
import * as store from './store.ts'

/** A role of a person at a merchant, or with `STAFF` in the staff. */
export type RoleKey = { person_id: string; merchant_id: number; role: string }

/**
 * Whether somebody of a merchant can confirm a role there: an active person with this right, who neither granted nor holds the role, and let
 * neither of these two in. Nothing is locked: if such a person comes or goes at this moment, the role still has two people.
 */
export async function canTeamConfirm(
  db: Db,
  merchant_id: number,
  { granted_by, email }: { granted_by: string; email: string },
): Promise<boolean> {
  const [holders, beginners] = await Promise.all([
    findHolders(db, merchant_id, 'team.confirm'),
    readBeginners(db, [granted_by, email]),
  ])
  return holders.some((holder) => isSecondPerson(beginners, holder))
}

/** Whether an active person is an owner of the merchant in effect. */
export async function hasOwner(db: Db, merchant_id: number): Promise<boolean> {
  return (await store.readHolders(db, merchant_id, ['owner'])).length > 0
}

type Waiting = {
  readonly about: { readonly merchant_id: number; readonly livemode: null }
  readonly person: store.LockedPerson
  readonly role: RoleRow
  readonly first: Beginners
  /** Where a second person compares the code of the account: the place whose link opened it, by name. */
  readonly opened_by: OpenedBy | null
}

type Has = Waiting & { readonly shut_out: boolean }

/** Locks a person, and reads one of their roles. Null: they do not have it. */
async function load(tx: Tx, { person_id, merchant_id, role: named }: RoleKey): Promise<Waiting | null> {
  const person = await store.lockPerson(tx, { person_id })
  const roles = person === null ? [] : await store.readRoles(tx, person_id)
  const role = roles.find((one) => one.merchant_id === merchant_id && one.role === named)
  if (person === null || role === undefined) return null
  const first = await readBeginners(tx, [role.granted_by, person.email])
  const isCompared = person.status === 'active' && person.account_code !== null && !isKnownTo(merchant_id, person)
  return {
    ...{ about: { merchant_id, livemode: null }, person, role, first },
    opened_by: isCompared ? await placeOf(tx, person.opened_by) : null,
  }
}

/** Reads whether the person shut an owner out. After all other reads: an owner who is missing in those was shut out by an act that is visible here. */
async function withShutOut<Read extends Waiting>(tx: Tx, read: Read | null, by: Actor) {
  return read && { ...read, shut_out: await hasShutOutOwner(tx, read.about.merchant_id, by.person) }
}

async function placeOf(tx: Tx, opened_by: number | null): Promise<OpenedBy> {
  return openedBy(opened_by, opened_by === null ? null : await readMerchantName(tx, opened_by))
}

const confirm = defineEffect<{ role: RoleRow; by: string }>('person role', async (tx, confirmed) => {
  for (const { role, by } of confirmed) await store.markConfirmed(tx, role, by)
})

type Refusal = 'already_confirmed' | 'same_person' | 'account_unproven' | 'shut_out_owner'

/**
 * Decides as the second of two people, who neither granted nor holds the role, and let neither of these two in within 90 days. Refusals, in order
 * of precedence: a role in effect already, the wrong person, a role in the staff for an account that neither the staff opened nor its
 * address proves, a reason of the place, and an administrator who disabled or reset an owner of the merchant in the last 90 days
 * (`hasShutOutOwner`).
 */
function decide<More extends string = never>(
  { by, id }: Pick<ActCall, 'by'> & { readonly id: string },
  { about, person, role, first, shut_out }: Has,
  ofPlace: ActRefused<More> | null = null,
) {
  const result = { person_id: id, role: role.role }
  if (role.confirmed_by === by.person) return { kind: 'unchanged', result } as const
  if (!isToConfirm(role)) return refuse<Refusal | More>('already_confirmed')
  if (!isSecondPerson(first, by.person)) return refuse<Refusal | More>('same_person')
  const isOfStaff = about.merchant_id === STAFF && person.status === 'active' && !isKnownTo(STAFF, person)
  if (isOfStaff && person.mail_proven_at === null) return refuse<Refusal | More>('account_unproven')
  if (ofPlace !== null) return ofPlace
  if (shut_out) return refuse<Refusal | More>('shut_out_owner')
  const { email } = person
  // Nobody has an account yet, or wants this role, who would read the mail.
  const isTold = person.status === 'active' && !role.to_accept
  const told = tellPeople({ name: 'role_confirmed', about, to: [email], facts: { role: role.role } })
  return {
    kind: 'accepted',
    effects: [confirm({ role, by: by.person }), ...(isTold ? [told] : [])],
    result,
    line: 'person.confirm',
    before: { role: role.role, granted_by: role.granted_by },
    after: { email, role: role.role },
  } as const
}

const common = {
  title: ['Confirmer ce rôle ?', 'Confirm this role?'],
  fresh: true,
  facts: { ...personFacts, granted_by: text(['Donné par', 'Given by']) },
  content: ({ person, role, opened_by }: Has) => ({
    ...contentOf(person, [role]),
    ...{ granted_by: role.granted_by, granted_at: role.granted_at.toISOString() },
    ...(opened_by === null ? {} : { account_code: person.account_code, opened_by: person.opened_by }),
  }),
  unknown: 'This person has no such role. See bandama person list.',
} as const

const refusals = {
  already_confirmed: { words: ['Ce rôle compte déjà.', 'This role counts already.'] },
  same_person: {
    words: [
      'Ni la personne qui a donné ce rôle ni celle qui le porte ne le confirme, ni celles qui les ont fait entrer depuis moins de 90 jours.',
      'Neither the person who gave this role nor its holder confirms it, nor the people who let these two in within 90 days.',
    ],
    command:
      'Neither the one who gave a role, nor its holder, nor those who let these two in within 90 days confirm it. Have another person do it.',
  },
  account_unproven: {
    words: [
      'Un lien d’un marchand a ouvert ce compte, et rien ne prouve son adresse. Effacez ses moyens d’entrer : le nouveau lien vient alors de l’équipe.',
      'A link of a merchant opened this account, and nothing proves its address. Reset their factors: the new link is then one of the staff.',
    ],
    command:
      'A link of a merchant opened this account, and nothing proves its address. bandama person reset makes a link of the staff; then give the role.',
  },
  shut_out_owner: {
    words: [
      'Vous avez désactivé un propriétaire de ce marchand, ou effacé ses moyens d’entrer : une autre personne confirme.',
      'You disabled an owner of this merchant, or reset their factors: another person confirms.',
    ],
    command: 'You disabled or reset an owner of this merchant. Have another person confirm.',
  },
} as const

const fields = { role: roleField }
type Call = { readonly id: string; readonly values: ValuesOf<typeof fields>; readonly by: Actor }

/** Confirms a role at a merchant, by a person of its team. */
export const confirmTeamRole = defineAct({
  ...common,
  name: 'person.confirm',
  summary: 'Confirm a role that waits; needs a person who neither gave it nor let its holder in',
  right: 'team.confirm',
  on: row('per', 'person, as person list shows them', { place: 'of_merchant' }),
  fields,
  load: async (tx, { id, by, values, within: { merchant_id } }) =>
    merchant_id === undefined
      ? null
      : withShutOut(tx, await load(tx, { person_id: id, merchant_id, role: values.role }), by),
  // A merchant learns that a link from elsewhere opened the account, and not from where.
  note: ({ person, opened_by }) => opened_by && compareCode(person.account_code!, ELSEWHERE),
  decide: (call, has) => decide(call, has),
  refusals: {
    ...refusals,
    same_person: {
      ...refusals.same_person,
      words: [
        'Vous avez donné ce rôle, il est le vôtre, ou vous avez fait entrer une de ces deux personnes depuis moins de 90 jours : une autre personne le confirme.',
        'You gave this role, it is yours, or you let one of these two people in within 90 days: another person confirms it.',
      ],
    },
  },
})

const onPerson = row('per', 'person, as person list shows them')

/** Confirms a role in the staff. */
export const confirmStaffRole = defineAct({
  ...common,
  name: 'staff.confirm',
  summary: 'Confirm a role in the staff that waits; needs a person who neither gave it nor let its holder in',
  right: 'people.manage',
  on: onPerson,
  fields,
  load: async (tx, { id, by, values }: Call) =>
    withShutOut(tx, await load(tx, { person_id: id, merchant_id: STAFF, role: values.role }), by),
  note: ({ person, opened_by }) => opened_by && compareCode(person.account_code!, opened_by),
  decide: (call, has) => decide(call, has),
  refusals,
})

const tellOfConfirmedOwner = defineEffect<{ merchant_id: number; email: string; by: Actor }>(
  'job',
  async (tx, confirmed) => {
    for (const { by, ...owner } of confirmed) await tellOfOwner(tx, 'owner_confirmed', owner, by)
  },
)

/**
 * Puts a role at a merchant in effect, as an administrator of the service, where nobody of the merchant can be the second person: its
 * first owner, and the first colleagues of a single owner. The refusal of the place is `team_confirms`: somebody of the merchant can.
 */
export const confirmMemberRole = defineAct({
  ...common,
  name: 'member.confirm',
  summary: 'Confirm a role at a merchant, as an administrator, if nobody of the merchant can',
  right: 'people.manage',
  on: onPerson,
  fields: { ...fields, merchant: merchantField(['Marchand', 'Merchant']) },
  async load(tx, { id, by, values }) {
    const read = await load(tx, { person_id: id, merchant_id: values.merchant, role: values.role })
    if (read === null) return null
    const { role, person } = read
    const team_can = await canTeamConfirm(tx, values.merchant, { granted_by: role.granted_by, email: person.email })
    return withShutOut(tx, { ...read, team_can }, by)
  },
  note: ({ person, opened_by }) => opened_by && compareCode(person.account_code!, opened_by),
  decide(call, has) {
    const decided = decide(call, has, has.team_can ? refuse('team_confirms') : null)
    if (decided.kind !== 'accepted' || has.role.role !== 'owner') return decided
    const { merchant: merchant_id } = call.values
    const told = tellOfConfirmedOwner({ merchant_id, email: has.person.email, by: call.by })
    return { ...decided, effects: [...decided.effects, told] }
  },
  refusals: {
    ...refusals,
    team_confirms: [
      'Ce marchand a un propriétaire : son équipe décide de ses rôles.',
      'This merchant has an owner: its team decides about its roles.',
    ],
  },
})
