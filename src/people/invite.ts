import { type ActDecision, defineAct, merchantInBothModes, type RefusalWords, refuse, service } from '../acts/act.ts'
import { type Fact, type Field, lineField, merchantFact, merchantField, optional, text } from '../acts/facts.ts'
import type { ActDeps } from '../acts/perform.ts'
import { readMerchantName } from '../acts/store.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { merchantRoles, staffRoles } from '../values/rights.ts'
import { hasOwner } from './confirm-role.ts'
import type { Link } from './give-link.ts'
import {
  type Invitation,
  type InviteRefusal,
  lineOf,
  type PlannedInvitation,
  planInvitation,
  writeInvitation,
} from './invite-person.ts'
import { type RoleRow, STAFF } from './person.ts'
import { roleWords } from './role-words.ts'

type Role = RoleRow['role']

const facts = {
  person: text(['Personne', 'Person']),
  name: text(['Nom', 'Name']),
  merchant: merchantFact,
  roles: {
    name: ['Rôles', 'Roles'],
    write: (roles) => [
      roles.map((role) => roleWords[role]?.[0] ?? role).join(', '),
      roles.map((role) => roleWords[role]?.[1] ?? role).join(', '),
    ],
  } as Fact<readonly Role[]>,
} as const

const known: readonly string[] = [...merchantRoles, ...staffRoles]
const inOrder = (one: string, other: string) => known.indexOf(one) - known.indexOf(other)

/** Roles in the order of our tables, with commas between them. */
const roleField: Field<readonly string[]> = {
  ...(facts.roles as unknown as Fact<readonly string[]>),
  read: (typed) => (typed === '' ? undefined : typed.split(',').toSorted(inOrder)),
  form: {
    label: ['Rôles', 'Roles'],
    kind: 'choice',
    fault: ['Choisissez au moins un rôle.', 'Choose at least one role.'],
  },
  option: { name: 'role', must: 'names a role, once for each.' },
}

/** The fields of an invited person. Without a name it is the beginning of the address. */
export const personFields = {
  name: optional(
    lineField(facts.name, {
      label: ['Nom', 'Name'],
      longest: 100,
      fault: ['Donnez un nom, de 100 lettres au plus.', 'Give a name, of 100 letters at most.'],
      option: { must: 'is one line of 1 to 100 characters.' },
    }),
  ),
  email: {
    ...facts.person,
    read: (typed) => (/^\S+@\S+$/.test(typed) ? typed : undefined),
    form: {
      label: ['Adresse e-mail', 'E-mail address'],
      kind: 'line',
      fault: ['Écrivez une adresse comme awa@example.com.', 'Write an address such as awa@example.com.'],
    },
    option: { must: 'is an address of mail such as awa@example.com.' },
  } satisfies Field<string> as Field<string>,
} as const

const fields = { ...personFields, roles: roleField } as const

type Typed = { readonly name: string | null; readonly email: string }
type Has = {
  readonly about: { merchant_id: number; livemode: null }
  readonly planned: Awaited<ReturnType<typeof planInvitation>>
}

/** An invitation that was made. `link`: shown once; null: the person is in the team already. */
export type Invited = {
  readonly person_id: string
  readonly email: string
  readonly roles: readonly Role[]
  readonly link: Link | null
}

const write = defineEffect<PlannedInvitation>('person', async (tx, planned) => {
  for (const one of planned) await writeInvitation(tx, one)
})

async function load(
  tx: Tx,
  { by, values: { name, email } }: { by: Actor; values: Typed },
  { merchant_id, roles, clock }: { merchant_id: number; roles: readonly string[] } & Pick<ActDeps, 'clock'>,
): Promise<Has> {
  const wanted = { email, ...(name === null ? {} : { name }), merchant_id, roles: roles as Invitation['roles'] }
  const planned = await planInvitation(tx, clock.now(), wanted, by)
  return { about: { merchant_id, livemode: null }, planned }
}

/** The content tells nothing of an account that the address may have. */
const contentOf = ({ name, email: person }: Typed, roles: readonly string[]) => ({
  ...{ person, name: name === person ? null : name, roles: roles as readonly Role[] },
})

type Code = Exclude<InviteRefusal, 'resource_not_found'>

function decide({ planned }: Has): ActDecision<Invited, Code> {
  // Each act has found the merchant before.
  if (planned.kind === 'refused') return refuse(planned.code as Code)
  const { person, roles, link } = planned
  const result = { person_id: person.person_id, email: person.email, roles, link }
  const line = lineOf(planned)
  if (line === null) return { kind: 'unchanged', result }
  return { kind: 'accepted', effects: [write(planned)], result, line: 'person.invite', ...line }
}

const invalid_role: RefusalWords = {
  at: 'roles',
  words: ['Choisissez au moins un rôle.', 'Choose at least one role.'],
  command: `--role must be one of ${merchantRoles.join(', ')} with --merchant, and of ${staffRoles.join(', ')} without.`,
}

const refusals = {
  invalid_email: {
    at: 'email',
    words: personFields.email.form.fault as readonly [string, string],
    command: '--email is an address of mail such as awa@example.com.',
  },
  invalid_name: {
    at: 'name',
    words: ['Donnez un nom, de 100 lettres au plus.', 'Give a name, of 100 letters at most.'],
    command: '--name is one line of 1 to 100 characters.',
  },
  invalid_role,
  beyond_own_rights: {
    at: 'roles',
    words: ['Vous ne pouvez pas donner plus de droits que les vôtres.', 'You cannot give more rights than you have.'],
    command: 'A person grants no more rights than they have.',
  },
  person_disabled: {
    at: 'email',
    words: [
      'Le compte de cette personne est fermé. Écrivez-nous pour le rouvrir.',
      'This person’s account is closed. Write to us to open it again.',
    ],
    command: 'This person is disabled.',
  },
  account_unproven: {
    at: 'email',
    words: [
      'Ce compte a été ouvert par un lien d’un marchand, et rien ne prouve son adresse. Effacez d’abord ses moyens d’entrer, sur sa page.',
      'A link of a merchant opened this account, and nothing proves its address. Reset their factors first, on their page.',
    ],
    command:
      'A link of a merchant opened this account, and nothing proves its address. bandama person reset makes a link of the staff; then give the role.',
  },
} as const satisfies Record<string, RefusalWords>

const ownOf = (fr: string, en: string): RefusalWords => ({
  at: 'email',
  words: [fr, en],
  command: 'Nobody gives themselves a role. Have another person do it.',
})

const common = { fresh: true, title: ['Inviter cette personne ?', 'Invite this person?'], facts } as const

/** Invites a person to the team of a merchant. */
export const inviteMember = defineAct({
  ...common,
  name: 'person.invite',
  summary: 'Give a person roles, and the link for their first sign-in; the link is shown once',
  right: 'team.manage',
  on: merchantInBothModes,
  fields,
  load: (tx, call, { clock }: ActDeps) =>
    load(tx, call, { merchant_id: call.merchant_id, roles: call.values.roles, clock }),
  content: (_, values) => contentOf(values, values.roles),
  decide: (_, has) => decide(has),
  refusals: {
    ...refusals,
    same_person: ownOf(
      'C’est votre adresse. Un autre propriétaire vous donne un rôle.',
      'This is your own address. Another owner gives you a role.',
    ),
  },
  unknown: 'There is no such merchant.',
})

const ownOfStaff = ownOf(
  'C’est votre adresse. Un autre administrateur vous donne un rôle.',
  'This is your own address. Another administrator gives you a role.',
)

/** Invites a person to the staff. */
export const inviteStaff = defineAct({
  ...common,
  name: 'staff.invite',
  summary: 'Give a person roles in the staff, and the link for their first sign-in; the link is shown once',
  right: 'people.manage',
  on: service,
  fields,
  load: (tx, call, { clock }: ActDeps) => load(tx, call, { merchant_id: STAFF, roles: call.values.roles, clock }),
  content: (_, values) => contentOf(values, values.roles),
  decide: (_, has) => decide(has),
  refusals: { ...refusals, same_person: ownOfStaff },
})

const owner = ['owner'] as const

/**
 * Invites the first owner of a merchant, whom another administrator confirms. The team decides about the others, and while nobody there can be the
 * second person, an administrator is.
 */
export const inviteOwner = defineAct({
  ...common,
  name: 'owner.invite',
  summary: 'Invite the first owner of a merchant, and show the link for their first sign-in',
  title: ['Inviter ce propriétaire ?', 'Invite this owner?'],
  right: 'people.manage',
  on: service,
  fields: { merchant: merchantField(['Numéro du marchand', 'Number of the merchant']), ...personFields },
  async load(tx, call, { clock }: ActDeps) {
    const { merchant: merchant_id } = call.values
    const isKnown = (await readMerchantName(tx, merchant_id)) !== null
    const has = await load(tx, call, { merchant_id, roles: owner, clock })
    return { ...has, isKnown, isOwned: isKnown && (await hasOwner(tx, merchant_id)) }
  },
  content: (_, values) => contentOf(values, owner),
  decide(_, { isKnown, isOwned, ...has }): ActDecision<Invited, Code | 'no_merchant' | 'own_team'> {
    if (!isKnown) return refuse('no_merchant')
    return isOwned ? refuse('own_team') : decide(has)
  },
  refusals: {
    ...refusals,
    same_person: ownOfStaff,
    no_merchant: { at: 'merchant', words: ['Aucun marchand n’a ce numéro.', 'No merchant has this number.'] },
    own_team: {
      at: 'merchant',
      words: [
        'Ce marchand a un propriétaire : son équipe décide de ses rôles.',
        'This merchant has an owner: its team decides about its roles.',
      ],
    },
  },
})
