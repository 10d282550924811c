import { type ActDecision, defineAct, isWithin, type RefusalWords, refuse, row } from '../acts/act.ts'
import { choiceField, type Fact, type Field, lineField, merchantFact, oneOf, reasonField, text } from '../acts/facts.ts'
import { type Beginners, isSecondPerson, readBeginners } from '../acts/second-person.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { tenantOf } from '../values/caller.ts'
import { beneficiaryIdIn } from './beneficiary.ts'
import { type CoolingDeps, designate, transitionProposal } from './decide-destination.ts'
import { readDeciders } from './destination-deciders.ts'
import { accountFacts, endFact, endOf, readProposer } from './destination-facts.ts'
import { readDestination } from './destination-store.ts'
import { readOwnersToTell, tellOfDestination } from './first-destination.ts'
import * as proposals from './proposal-store.ts'
import * as store from './store.ts'

// The company's part in a destination of a merchant of one person: one of its people calls and notes the call, another confirms, any of them stops it.

const proposal = row('uuid', 'proposal of a destination')

type Call = { readonly id: string; readonly within: { readonly merchant_id?: number; readonly livemode?: boolean } }

/** Locks the destinations of the proposal's merchant, which every change of a designation locks first. Null: the company does not decide on it. */
async function load(tx: Tx, { id: typed, within }: Call) {
  const id = beneficiaryIdIn(typed)
  const about = id === null ? null : await proposals.findCompanyProposal(tx, id)
  if (about === null || !isWithin(about, within)) return null
  const destinations = await store.lockDestinations(tx, about)
  const found = (await proposals.readProposal(tx, about))!
  const { account } = await readDestination(tx, { ...tenantOf(about), id: found.beneficiary_id })
  return { about, found, destinations, account, first: await readBeginners(tx, [found.proposed_by, found.called_by]) }
}
type Has = NonNullable<Awaited<ReturnType<typeof load>>>

const noteCall = defineEffect<proposals.NotedCall>('destination proposal', async (tx, calls) => {
  for (const call of calls) await proposals.updateCall(tx, call)
})

const answered = {
  owner: ['La personne propriétaire', 'The owner'],
  other: ['Quelqu’un d’autre', 'Somebody else'],
  nobody: ['Personne', 'Nobody'],
} as const

const fields = {
  number: lineField(text(['Numéro appelé', 'Number called']), {
    label: ['Numéro appelé', 'Number called'],
    hint: [
      'Celui du contrat avec le marchand, jamais un numéro de la demande.',
      'The one of the contract, never one of the request.',
    ],
    longest: 40,
    fault: ['Écrivez le numéro appelé.', 'Write the number that you called.'],
  }),
  answered: choiceField(oneOf(['A répondu', 'Answered by'], answered), {
    label: ['Qui a répondu', 'Who answered'],
    choices: answered,
    fault: ['Choisissez qui a répondu.', 'Choose who answered.'],
    says: 'the person who answered',
  }),
  last4: {
    ...text(['Quatre chiffres entendus', 'Four digits heard']),
    read: (typed) => (/^\d{4}$/.test(typed.trim()) ? typed.trim() : undefined),
    form: {
      label: ['Les quatre chiffres entendus', 'The four digits heard'],
      kind: 'sum',
      fault: ['Quatre chiffres : les derniers du compte.', 'Four digits: the last ones of the account.'],
    },
    option: { must: 'must be four digits.' },
  } as Field<string>,
  report: reasonField(['Ce qui a été dit', 'What was said']),
} as const

const refusals = {
  already_decided: ['Cette proposition est déjà décidée.', 'This proposal has been decided already.'],
  same_person: [
    'Vous avez appelé, ou vous avez fait entrer qui a commencé depuis moins de 90 jours : une autre personne décide.',
    'You called, or let in within 90 days a person who began: another person decides.',
  ],
} as const satisfies Record<string, RefusalWords>

const callRefusals = {
  ...refusals,
  already_called: [
    'L’appel est déjà noté : une autre personne confirme.',
    'The call is noted already: another person confirms.',
  ],
  not_the_owner: {
    at: 'answered',
    words: [
      'Seule la personne propriétaire peut répondre. Rappelez plus tard, ou arrêtez la demande.',
      'Only the owner can answer. Call again later, or stop the request.',
    ],
  },
  wrong_digits: {
    at: 'last4',
    words: [
      'Ce ne sont pas les chiffres du compte proposé. Arrêtez la demande si le doute reste.',
      'These are not the digits of the proposed account. Stop the request if the doubt remains.',
    ],
  },
} as const satisfies Record<string, RefusalWords>

/** Notes the call to the owner as the first of two people of the company, with the digits that the owner said. The page has not shown them before. */
export const noteCallBack = defineAct({
  name: 'destination.call',
  summary: 'Note the call to the owner about a proposed destination: the first of two people of the company',
  title: ['Noter l’appel', 'Note the call'],
  right: 'merchants.manage',
  fresh: true,
  on: proposal,
  fields,
  load: (tx, call) => load(tx, call),
  facts: { merchant: merchantFact, number: fields.number, report: fields.report },
  content: (_, { number, report }) => ({ number, report }),
  decide({ by, values }, { about, found, account, first }, now): ActDecision<null, keyof typeof callRefusals> {
    if (found.status !== 'proposed') return refuse('already_decided')
    if (found.called_by !== null) return refuse('already_called')
    if (!isSecondPerson(first, by.person)) return refuse('same_person')
    if (values.answered !== 'owner') return refuse('not_the_owner')
    if (!account.endsWith(values.last4)) return refuse('wrong_digits')
    const { number: called_number, report: call_report } = values
    const call = { ...about, called_by: by.person, called_at: now, called_number, call_report }
    const after = { called: true, beneficiary_id: found.beneficiary_id }
    return { kind: 'accepted', effects: [noteCall(call)], result: null, after }
  },
  refusals: callRefusals,
})

const confirmRefusals = {
  ...refusals,
  not_called: ['Une personne appelle d’abord.', 'One person calls first.'],
  not_owner: [
    'Qui l’a proposée n’est plus propriétaire. Arrêtez la demande.',
    'The person who proposed it is no owner any more. Stop the request.',
  ],
  destination_archived: [
    'Cette destination n’est plus au carnet. Arrêtez la demande.',
    'This destination is no longer in the book. Stop the request.',
  ],
} as const satisfies Record<string, RefusalWords>

/** Confirms a destination as the second person of the company. Its cooling-off begins, and all owners are told. */
export const confirmCallBack = defineAct({
  name: 'destination.approve',
  summary: 'Confirm a destination of a merchant of one person after the call: the second of two people of the company',
  title: ['Confirmer cette destination', 'Confirm this destination'],
  right: 'merchants.manage',
  fresh: true,
  on: proposal,
  fields: {},
  async load(tx, call, { settlementRules }: CoolingDeps) {
    const has = await load(tx, call)
    if (has === null) return null
    const { about, found } = has
    const deciders = await readDeciders(tx, about.merchant_id)
    return {
      ...{
        ...has,
        designated: await store.readDesignated(tx, about),
        proposer: await readProposer(tx, found.proposed_by),
      },
      isOwner: deciders.get(found.proposed_by)?.owner === true,
      owners: await readOwnersToTell(tx, about.merchant_id, deciders),
      cooling_hours: settlementRules.destination_cooling_hours,
    }
  },
  facts: {
    merchant: merchantFact,
    ...accountFacts,
    proposed_by: text(['Proposée par', 'Proposed by']),
    instead_of: endFact(['À la place de', 'Instead of']),
    called_number: text(['Numéro appelé', 'Number called']),
    call_report: text(['Ce qui a été dit', 'What was said']),
    cooling_hours: {
      name: ['Sert', 'In use'],
      write: (hours) => [`${hours} h plus tard`, `${hours} h later`],
    } satisfies Fact<number>,
  },
  content({ found, account, proposer: proposed_by, designated, cooling_hours }) {
    const { name: holder, operator, called_number, call_report } = found
    const instead_of = designated && endOf(designated)
    return { account, operator, holder, proposed_by, instead_of, called_number, call_report, cooling_hours }
  },
  decide({ by }, has, now): ActDecision<null, keyof typeof confirmRefusals> {
    const { about, found, destinations, first, designated, owners } = has
    const { beneficiary_id: id } = found
    const moved = transitionProposal(
      found,
      {
        ...{ trigger: 'confirmed_by_second_person', decided_by: by.person, owner: found.proposed_by },
      },
      now,
    )
    if (moved === null) return refuse('already_decided')
    if (found.called_by === null) return refuse('not_called')
    if (!isSecondPerson(first, by.person)) return refuse('same_person')
    if (!destinations.some((one) => one.id === id)) return refuse('destination_archived')
    if (!has.isOwner) return refuse('not_owner')
    return {
      kind: 'accepted',
      effects: [...moved.effects, designate({ ...about, id }), ...tellOfDestination(tenantOf(about), id, owners)],
      result: null,
      ...(designated === null ? {} : { before: { id: designated.id, designated_at: designated.designated_at } }),
      after: { id, called_by: found.called_by },
    }
  },
  refusals: confirmRefusals,
})

/** Stops a request before it is confirmed. One person of the company is enough, because nothing changes. */
export const refuseCallBack = defineAct({
  name: 'destination.reject',
  summary: 'Stop a destination that a merchant of one person proposed, with a reason that its owner reads',
  title: ['Arrêter cette demande', 'Stop this request'],
  right: 'merchants.manage',
  fresh: false,
  on: proposal,
  fields: {
    reason: reasonField(['Pourquoi arrêter', 'Why stop it'], {
      hint: ['Le marchand le lit.', 'The merchant reads it.'],
    }),
  },
  load: (tx, call) => load(tx, call),
  facts: {},
  content: () => ({}),
  decide(
    { by, values },
    { found, first }: Has & { first: Beginners },
    now,
  ): ActDecision<null, 'already_decided' | 'same_person'> {
    const wanted = { trigger: 'refused_by_second_person', decided_by: by.person, reason: values.reason } as const
    const moved = transitionProposal(found, wanted, now)
    if (moved === null) return refuse('already_decided')
    // The one who called may stop it too; the one who proposed may not.
    if (!isSecondPerson({ ...first, began: [found.proposed_by] }, by.person)) return refuse('same_person')
    const after = { status: moved.row.status, beneficiary_id: found.beneficiary_id }
    return { kind: 'accepted', effects: moved.effects, result: null, before: { status: found.status }, after }
  },
  refusals,
})
