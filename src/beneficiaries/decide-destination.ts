import { type ActCall, defineAct, refuse, row } from '../acts/act.ts'
import { type Fact, reasonField, text } from '../acts/facts.ts'
import { type Beginners, isSecondPerson, readBeginners } from '../acts/second-person.ts'
import { readEffectiveRoles } from '../people/store.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { defineTransition } from '../platform/commands/transitions.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { tenantOf } from '../values/caller.ts'
import { beneficiaryIdIn } from './beneficiary.ts'
import { readDeciders } from './destination-deciders.ts'
import { accountFacts, endFact, endOf, readProposer } from './destination-facts.ts'
import { readDestination } from './destination-store.ts'
import { readOwnersToTell, tellOfDestination } from './first-destination.ts'
import { type ProposalTrigger, proposalTransitions } from './proposal-states.ts'
import * as proposals from './proposal-store.ts'
import * as store from './store.ts'

/** A proposal of the page's place, by its UUID. */
const proposal = row('uuid', 'proposal of a destination')

type Call = ActCall<typeof proposal, object>
type Locked = Awaited<ReturnType<typeof store.lockDestinations>>
type Has = {
  readonly about: proposals.ProposalKey
  readonly found: proposals.ProposalRow
  readonly destinations: Locked
  readonly first: Beginners
}

/** Every change of a designation takes this lock first, so that the second of two simultaneous decisions sees the first. */
async function load(tx: Tx, { id, within: { merchant_id, livemode } }: Call): Promise<Has | null> {
  const known = beneficiaryIdIn(id)
  if (known === null || merchant_id === undefined || livemode === undefined) return null
  const about = { merchant_id, livemode, id: known }
  const destinations = await store.lockDestinations(tx, about)
  const found = await proposals.readProposal(tx, about)
  if (found === null) return null
  return { about, found, destinations, first: await readBeginners(tx, [found.proposed_by]) }
}

type Facts = { readonly decided_by: string; readonly owner?: string | null; readonly reason?: string | null }

/** Moves a proposal along its table of transitions; see `defineTransition`. Its merchant's destinations are locked. */
export const transitionProposal = defineTransition({
  rank: 'destination proposal',
  transitions: proposalTransitions,
  write: proposals.updateProposals,
  change: (_: proposals.ProposalRow, __, { decided_by, owner = null, reason = null }: Facts, now) => {
    return { decided_by, decided_at: now, owner, reason }
  },
})

/** Designates an entry in place of the one before. */
export const designate = defineEffect<proposals.ProposalKey>('beneficiary', async (tx, entries) => {
  for (const entry of entries) {
    await store.clearDesignations(tx, entry)
    await store.designateEntry(tx, entry, null)
  }
})

/** The decision as effect and audit line, whose subject is the destination. Null when somebody has decided already. */
function judge(
  { by }: Call,
  { found }: Has,
  trigger: Omit<Facts, 'decided_by'> & { trigger: ProposalTrigger },
  now: Date,
) {
  const moved = transitionProposal(found, { ...trigger, decided_by: by.person }, now)
  if (moved === null) return null
  const { beneficiary_id: subject, id: proposal_id, status } = moved.row
  return {
    kind: 'accepted',
    effects: moved.effects,
    result: null,
    subject,
    before: { status: found.status },
    after: { status, proposal_id },
  } as const
}

/** Whether this person has made this decision already: a repeated submission is the same decision. */
function isDone({ by }: Call, { found: { status, decided_by } }: Has, wanted: proposals.ProposalStatus): boolean {
  return status === wanted && decided_by === by.person
}

const unchanged = { kind: 'unchanged', result: null } as const

const decidedAlready = {
  already_decided: ['Cette proposition est déjà décidée.', 'This proposal has been decided already.'],
} as const
const another = {
  ...decidedAlready,
  same_person: [
    'Vous l’avez proposée, ou vous avez fait entrer qui l’a proposée depuis moins de 90 jours : une autre personne décide. Rien n’est changé.',
    'You proposed it, or let in within 90 days the person who did: another person decides. Nothing is changed.',
  ],
} as const

/**
 * Confirms a proposal as the second person; one of the two is an owner. From then on settlements go only to this destination, and its
 * cooling-off begins; requests before its end are refused.
 */
export const confirmDestination = defineAct({
  name: 'destination.designate',
  summary: 'Confirm where settlements go: the second of two people',
  title: ['Confirmer cette destination', 'Confirm this destination'],
  right: 'destination.confirm',
  fresh: true,
  on: proposal,
  fields: {},
  async load(tx, call, { settlementRules: { destination_cooling_hours: cooling_hours } }: CoolingDeps) {
    const has = await load(tx, call)
    if (has === null) return null
    const { about, found } = has
    const tenant = tenantOf(about)
    const designated = await store.readDesignated(tx, tenant)
    const { account } = await readDestination(tx, { ...tenant, id: found.beneficiary_id })
    const deciders = await readDeciders(tx, about.merchant_id)
    const owners = await readOwnersToTell(tx, about.merchant_id, deciders)
    const owner = await ownerAmong(tx, about.merchant_id, [call.by.person, found.proposed_by])
    return {
      ...has,
      ...{ designated, account, owner, owners, cooling_hours },
      proposer: await readProposer(tx, found.proposed_by),
    }
  },
  facts: {
    ...accountFacts,
    proposed_by: text(['Proposée par', 'Proposed by']),
    instead_of: endFact(['À la place de', 'Instead of']),
    cooling_hours: {
      name: ['Sert', 'In use'],
      write: (hours) => [`${hours} h plus tard`, `${hours} h later`],
    } satisfies Fact<number>,
  },
  content({ found: { name, operator }, account, proposer: proposed_by, designated, cooling_hours }) {
    return { account, operator, holder: name, proposed_by, instead_of: designated && endOf(designated), cooling_hours }
  },
  decide(call, has, now) {
    const { found, destinations, first, owner } = has
    const { beneficiary_id: id } = found
    if (isDone(call, has, 'confirmed')) return unchanged
    const judged = judge(call, has, { trigger: 'confirmed_by_second_person', owner }, now)
    if (judged === null) return refuse('already_decided')
    if (found.by_company) return refuse('company_decides')
    if (!isSecondPerson(first, call.by.person)) return refuse('same_person')
    if (!destinations.some((one) => one.id === id)) return refuse('destination_archived')
    if (owner === null) return refuse('no_owner')
    const told = tellOfDestination(tenantOf(has.about), id, has.owners)
    const effects = [...judged.effects, designate({ ...has.about, id }), ...told]
    const before = destinations.find(({ designated_at }) => designated_at !== null) ?? null
    return { ...judged, effects, ...(before === null ? {} : { before }), after: { id, proposal_id: found.id } }
  },
  refusals: {
    ...another,
    company_decides: [
      'L’équipe du service rappelle, puis deux de ses personnes confirment. Rien n’est changé.',
      'The team of the service calls back, then two of its people confirm. Nothing is changed.',
    ],
    destination_archived: [
      'Cette destination n’est plus au carnet. Refusez la proposition.',
      'This destination is no longer in the address book. Refuse the proposal.',
    ],
    no_owner: [
      'L’une des deux personnes doit être propriétaire. Rien n’est changé.',
      'One of the two people must be an owner. Nothing is changed.',
    ],
  },
})

/** @property destination_cooling_hours hours between a designation and the first settlement to it */
export type CoolingDeps = { readonly settlementRules: { readonly destination_cooling_hours: number } }

/** Refuses a proposal as the second person, with a reason. */
export const refuseDestination = defineAct({
  name: 'destination.refuse',
  summary: 'Refuse a proposed destination, with a reason',
  title: ['Refuser cette destination', 'Refuse this destination'],
  right: 'destination.confirm',
  fresh: false,
  on: proposal,
  fields: {
    reason: reasonField(['Pourquoi refuser', 'Why refuse'], {
      fault: ['Dites pourquoi, en 500 lettres au plus.', 'Say why, in 500 letters at most.'],
    }),
  },
  load,
  facts: {},
  content: () => ({}),
  decide(call, has, now) {
    if (isDone(call, has, 'refused')) return unchanged
    const judged = judge(call, has, { trigger: 'refused_by_second_person', reason: call.values.reason }, now)
    if (judged === null) return refuse('already_decided')
    return isSecondPerson(has.first, call.by.person) ? judged : refuse('same_person')
  },
  refusals: another,
})

/** Withdraws one's own proposal. */
export const withdrawDestination = defineAct({
  name: 'destination.withdraw',
  summary: 'Withdraw a destination that one has proposed oneself',
  title: ['Retirer cette proposition', 'Withdraw this proposal'],
  right: 'destination.propose',
  fresh: false,
  on: proposal,
  fields: {},
  load,
  facts: {},
  content: () => ({}),
  decide(call, has, now) {
    if (isDone(call, has, 'withdrawn')) return unchanged
    const judged = judge(call, has, { trigger: 'withdrawn_by_proposer' }, now)
    if (judged === null) return refuse('already_decided')
    return has.found.proposed_by === call.by.person ? judged : refuse('not_proposer')
  },
  refusals: {
    ...decidedAlready,
    not_proposer: [
      'Seule la personne qui l’a proposée la retire. Vous pouvez la refuser.',
      'Only the person who proposed it withdraws it. You can refuse it.',
    ],
  },
})

/** Finds the first of these people with an effective role of owner at the merchant. Null when there is none. */
async function ownerAmong(tx: Tx, merchant_id: number, people: readonly string[]): Promise<string | null> {
  for (const person of people) {
    const roles = await readEffectiveRoles(tx, person, merchant_id)
    if (roles.some((role) => role.merchant_id === merchant_id && role.role === 'owner')) return person
  }
  return null
}
