import { type ActCall, defineAct, merchantInBothModes, refuse } from '../../acts/act.ts'
import { merchantFact, reasonFact, reasonField, text } from '../../acts/facts.ts'
import { type Beginners, isSecondPerson, readBeginners } from '../../acts/second-person.ts'
import { recordAct } from '../../audit-log/record-act.ts'
import { findHolders, findSoleHolder } from '../../people/find-persons.ts'
import { notify } from '../../people/notices/notify.ts'
import { STAFF } from '../../people/person.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/database.ts'
import { type Actor, SCHEDULE } from '../../values/actor.ts'
import { endAlone } from './end-alone.ts'
import * as store from './store.ts'

/**
 * The reason why terms no longer hold. Null while their person is the only one who may approve, and their account was
 * not reset since the proposal: after a reset, somebody else may use the account.
 */
export async function whyTermsEnd(
  db: Db,
  { merchant_id, person, proposed_at }: Pick<store.SinglePersonTerms, 'merchant_id' | 'person' | 'proposed_at'>,
): Promise<'not_alone' | 'right_lost' | null> {
  const sole = await findSoleHolder(db, merchant_id, 'payouts.approve')
  if (sole !== null) return sole.person === person && sole.since <= proposed_at ? null : 'right_lost'
  return (await findHolders(db, merchant_id, 'payouts.approve')).includes(person) ? 'not_alone' : 'right_lost'
}

type Call = ActCall<typeof merchantInBothModes, object>

const aboutOf = ({ merchant_id }: Pick<Call, 'merchant_id'>) => ({ merchant_id, livemode: null }) as const

const common = { right: 'merchants.manage', on: merchantInBothModes } as const

const facts = {
  merchant: merchantFact,
  person: text(['La personne', 'The person']),
  reason: reasonFact,
  proposed_by: text(['Proposé par', 'Proposed by']),
} as const

type NewTerms = Parameters<typeof store.insertTerms>[1]

const insertTerms = defineEffect<NewTerms>('single-person terms', async (tx, terms) => {
  for (const one of terms) await store.insertTerms(tx, one)
})

/**
 * Proposes that the only person of a merchant decides alone. A second staff member has to confirm it. Refused when nobody
 * or several people may approve, and when the merchant has terms already. The reason is stored with the terms and not in the audit log.
 */
export const proposeSinglePerson = defineAct({
  ...common,
  name: 'merchant.propose_single_person',
  summary: 'Propose that the only person of a merchant decides alone, a day later',
  title: ['Laisser décider seul', 'Let decide alone'],
  fresh: true,
  fields: {
    reason: reasonField(['Pourquoi', 'Why'], { fault: ['Dites pourquoi, en une ligne.', 'Say why, in one line.'] }),
  },
  async load(tx, call) {
    const { merchant_id } = call
    const sole = await findSoleHolder(tx, merchant_id, 'payouts.approve')
    const terms = await store.lockTerms(tx, merchant_id)
    return { about: aboutOf(call), person: sole?.person ?? null, terms }
  },
  facts,
  content: ({ person }, { reason }) => ({ person, reason, proposed_by: null }),
  note: () => [
    'Sa seule personne approuvera ses propres envois, lots et clés, chaque fois 24 heures plus tard. Une deuxième personne de l’équipe confirme.',
    'Its only person will approve their own payouts, batches and keys, 24 hours later each time. A second person of the team confirms.',
  ],
  decide({ by, merchant_id, values: { reason } }, { person, terms }) {
    if (person === null) return refuse('not_alone')
    if (terms !== null) return refuse('already_open')
    const proposed = insertTerms({ merchant_id, person, proposed_by: by.person, reason })
    return { kind: 'accepted', effects: [proposed], result: null, after: { in_force: false, person } }
  },
  refusals: {
    not_alone: [
      'Il faut qu’une seule personne y puisse approuver. Ici il n’y en a aucune, ou plusieurs.',
      'One person alone must be able to approve there. Here there is none, or several.',
    ],
    already_open: ['C’est déjà proposé ou permis.', 'It is proposed or allowed already.'],
  },
  conflicts: { single_person_terms_open: 'already_open' },
})

const confirmTerms = defineEffect<{ merchant_id: number; by: string }>('single-person terms', async (tx, confirmed) => {
  for (const { merchant_id, by } of confirmed) await store.confirmTerms(tx, merchant_id, by)
})

type Proposed = {
  readonly about: ReturnType<typeof aboutOf>
  /** Terms that wait for a second person. */
  readonly terms: store.SinglePersonTerms | null
  readonly first: Beginners
  readonly holds: boolean
}

async function loadProposed(tx: Tx, call: Call): Promise<Proposed> {
  const open = await store.lockTerms(tx, call.merchant_id)
  const terms = open?.confirmed_at === null ? open : null
  const first = await readBeginners(tx, [terms?.proposed_by ?? null])
  return { about: aboutOf(call), terms, first, holds: terms !== null && (await whyTermsEnd(tx, terms)) === null }
}

/** Puts the terms in force, for a second staff member. */
export const confirmSinglePerson = defineAct({
  ...common,
  name: 'merchant.confirm_single_person',
  summary: 'Confirm that the only person of a merchant decides alone, a day later',
  title: ['Confirmer : décider seul', 'Confirm: decide alone'],
  fresh: true,
  fields: {},
  load: loadProposed,
  facts,
  content({ terms }) {
    const { person = null, reason = null, proposed_by = null } = terms ?? {}
    return { person, reason, proposed_by }
  },
  note: () => [
    'À partir de maintenant sa seule personne approuve ses propres envois, lots et clés, chaque fois 24 heures plus tard.',
    'From now on its only person approves their own payouts, batches and keys, 24 hours later each time.',
  ],
  decide({ by, merchant_id }, { terms, first, holds }) {
    if (terms === null) return refuse('nothing_to_confirm')
    if (!isSecondPerson(first, by.person)) return refuse('same_person')
    if (!holds) return refuse('another_person')
    const { person, proposed_by } = terms
    const effects = [confirmTerms({ merchant_id, by: by.person })]
    return { kind: 'accepted', effects, result: null, after: { in_force: true, person, proposed_by } }
  },
  refusals: {
    nothing_to_confirm: ['Rien n’attend d’être confirmé.', 'Nothing waits to be confirmed.'],
    same_person: [
      'Vous l’avez proposé, ou vous avez fait entrer qui l’a proposé depuis moins de 90 jours : une autre personne confirme.',
      'You proposed it, or let in within 90 days the person who did: another person confirms.',
    ],
    another_person: [
      'Ce n’est plus la seule personne pour qui c’était proposé. Retirez la proposition, et proposez de nouveau.',
      'It is no longer the only person for whom it was proposed. Take the proposal away, and propose again.',
    ],
  },
})

type End = { merchant_id: number; by: Actor; why: 'leave_ended' | 'not_alone' | 'right_lost' }

/** Ends locked terms, with all approvals that wait under them. */
const endTerms = defineEffect<End>('single-person terms', async (tx, ends) => {
  for (const one of ends) await endLocked(tx, one)
})

async function endLocked(tx: Tx, { merchant_id, by, why }: End): Promise<void> {
  await store.endTerms(tx, merchant_id, by.person)
  for (const approval of await store.readAllSoloApprovals(tx, merchant_id)) await endAlone(tx, approval, why, by)
}

/** Locks the approvals before the terms, as `lockSoloApproval` does. */
async function lockOpen(tx: Tx, merchant_id: number): Promise<store.SinglePersonTerms | null> {
  await store.lockSoloApprovals(tx, merchant_id)
  return store.lockTerms(tx, merchant_id)
}

/**
 * Ends a merchant's terms or their proposal, by one staff member, because the ordinary rule of two people then applies. Nothing changes where
 * there are none.
 */
export const endSinglePerson = defineAct({
  ...common,
  name: 'merchant.end_single_person',
  summary: 'End the terms under which the only person of a merchant decides alone',
  title: ['Retirer la permission', 'Withdraw the permission'],
  fresh: false,
  fields: {},
  load: async (tx, call) => ({ about: aboutOf(call), terms: await lockOpen(tx, call.merchant_id) }),
  facts: {},
  content: () => ({}),
  decide({ by, merchant_id }, { terms }) {
    if (terms === null) return { kind: 'unchanged', result: null }
    const ended = endTerms({ merchant_id, by, why: 'leave_ended' })
    return { kind: 'accepted', effects: [ended], result: null, after: { in_force: false } }
  },
  refusals: {},
})

/** Ends a proposal of terms that nobody confirmed within its days, and tells the person who made it. */
export async function lapseTerms(sql: Sql, merchant_id: number, proposal_days: number): Promise<void> {
  await sql.begin(async (tx) => {
    const terms = await lockOpen(tx, merchant_id)
    if (terms === null || terms.confirmed_at !== null) return
    const { proposed_by, person } = terms
    const after = { status: 'lapsed', proposed_by, person }
    recordAct(tx, { merchant_id, livemode: null }, { actor: SCHEDULE, act: 'proposal.lapse', after })
    await store.endTerms(tx, merchant_id, SCHEDULE.person)
    const facts = { act: 'merchant.propose_single_person', days: String(proposal_days) }
    notify(tx, { name: 'proposal_lapsed', about: { merchant_id: STAFF, livemode: null }, to: [proposed_by], facts })
  })
}

/** Ends terms that no longer hold, for the service. */
export async function endHeldNoLonger(
  sql: Sql,
  merchant_id: number,
  by: Actor,
  why: 'not_alone' | 'right_lost',
): Promise<void> {
  await sql.begin(async (tx) => {
    if ((await lockOpen(tx, merchant_id)) === null) return
    const after = { in_force: false }
    recordAct(tx, { merchant_id, livemode: null }, { actor: by, act: 'merchant.end_single_person', after })
    await endLocked(tx, { merchant_id, by, why })
  })
}
