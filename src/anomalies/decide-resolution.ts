import { type ActCall, defineAct, isWithin, type RefusalWords, refuse, row } from '../acts/act.ts'
import { type DecisionTrigger, decisionTransitions } from '../acts/decision.ts'
import { francs, reasonFact, requestedBy, text, type ValuesOf } from '../acts/facts.ts'
import { type Beginners, isSecondPerson, readBeginners } from '../acts/second-person.ts'
import { readMerchantName } from '../merchants/store.ts'
import { UNMATCHED_MERCHANT_ID } from '../operators/doubts/anomalies.ts'
import { type AnomalyRow, findAnomaly, leftConnector } from '../operators/doubts/anomaly-store.ts'
import type { Conclusions } from '../operators/doubts/conclude-by-hand.ts'
import type { Instruction } from '../operators/instruction.ts'
import { hasLeftSince } from '../operators/sending/journal-store.ts'
import { lockInstructions } from '../operators/store.ts'
import { defineEffect, type Effect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { findTransition } from '../values/transition.ts'
import type { ProposalRow } from './anomaly.ts'
import { adjustmentFor, booked, close, endOf, endOrder, mayEnd } from './carry-out-resolution.ts'
import { merchantOf, proposalField, resolutionFact, riskWords } from './resolution-facts.ts'
import * as store from './store.ts'
import { validateResolution } from './validate-resolution.ts'
import { walletOfAnomaly } from './wallet-of-anomaly.ts'

const fields = { proposal: proposalField } as const
const on = row('ano', 'anomaly')
type Call = ActCall<typeof on, ValuesOf<typeof fields>>

type Has = {
  readonly about: AnomalyRow
  /** The order that the anomaly is about, locked. Null when the reference is unknown. */
  readonly subject: Instruction | null
  /** The proposal that waits, if it is the one that the person has read. */
  readonly standing: ProposalRow | null
  readonly first: Beginners
  /** The merchant whose money moves. */
  readonly of: { readonly name: string; readonly merchant_id: number } | null
  /** Whether the order was sent again since the proposal. */
  readonly left: boolean
  /** The external account that the anomaly is about. */
  readonly wallet: string
}

/** Locks the proposals of an anomaly, then its order, so that no answer of the operator comes between. */
async function load(tx: Tx, { id, within, values }: Call): Promise<Has | null> {
  const about = await findAnomaly(tx, id)
  if (about === null || !isWithin(about, within)) return null
  const proposals = await store.lockProposals(tx, about)
  const found = proposals.find(({ status }) => status === 'proposed') ?? null
  const standing = found?.id === (values.proposal ?? found?.id) ? found : null
  const [subject = null] = about.merchant_id === UNMATCHED_MERCHANT_ID ? [] : await lockInstructions(tx, [about])
  const merchant_id = standing?.of_merchant_id ?? about.merchant_id
  const name = await readMerchantName(tx, merchant_id)
  return {
    ...{ about, subject, standing },
    first: await readBeginners(tx, [standing?.proposed_by ?? null]),
    of: name === null ? null : { name, merchant_id },
    wallet: await walletOfAnomaly(tx, about, subject),
    left: subject !== null && standing !== null && (await hasLeftSince(tx, subject, standing.proposed_at)),
  }
}

type Decision = {
  readonly standing: ProposalRow
  readonly status: 'approved' | 'refused' | 'lapsed'
  readonly decided_by: string
  readonly adjustment_id: string | null
}

/** Writes the end of a locked proposal. */
export const writeDecision = defineEffect<Decision>('anomaly proposal', async (tx, decisions, now) => {
  for (const { standing, ...decision } of decisions) await store.decideProposal(tx, standing, decision, now)
})

/** The decision of a second person, with its line. */
function judge({ by }: Call, standing: ProposalRow, trigger: DecisionTrigger, now: Date, adjustment_id: string | null) {
  const { to: status } = findTransition(decisionTransitions, standing.status, trigger)!
  const decision = { status, decided_by: by.person, adjustment_id }
  const { id: proposal_id, resolution, amount, of_merchant_id } = standing
  return {
    kind: 'accepted',
    effects: [writeDecision({ standing, ...decision })] as readonly Effect[],
    result: { ...standing, ...decision, decided_at: now } as ProposalRow,
    before: { status: standing.status },
    after: { status, proposal_id, resolution, amount, of_merchant_id },
  } as const
}

const common = { right: 'cases.decide', on, fields, load, unknown: 'There is no such anomaly.' } as const

const commonRefusals = {
  not_proposed: {
    words: [
      'Cette proposition n’attend plus : une autre personne a décidé.',
      'This proposal waits no longer: another person decided.',
    ],
    command: 'No proposal for this anomaly waits for a decision.',
  },
  same_person: {
    words: [
      'Vous avez proposé, ou vous avez fait entrer qui l’a fait depuis moins de 90 jours : une autre personne confirme.',
      'You proposed it, or let in within 90 days the person who did: another person confirms.',
    ],
    command:
      'The proposer cannot decide, nor whoever let them in within 90 days, and an API key never can. Name another person with --as.',
  },
} as const satisfies Record<string, RefusalWords>

/**
 * Carries a proposed resolution out and closes its anomaly, as the second person. Refusals, in order of precedence: no proposal that waits,
 * the same person, a resolution that no longer fits, because the operation has ended otherwise or was sent again, insufficient funds.
 */
export const approveResolution = defineAct({
  ...common,
  name: 'anomaly.approve',
  summary: 'Carry out the proposed resolution and close the anomaly; needs a person other than the proposer',
  title: ['Confirmer la proposition', 'Carry out the proposal'],
  fresh: true,
  async load(tx, call, { conclusions }: { readonly conclusions: Conclusions }) {
    const has = await load(tx, call)
    return has && { ...has, conclusions }
  },
  facts: {
    amount: francs(['Montant', 'Amount']),
    of: merchantOf,
    proposal_id: text(['Proposition', 'Proposal']),
    resolution: resolutionFact,
    reason: reasonFact,
    requested_by: requestedBy,
  },
  content({ standing, subject, of }) {
    const {
      id: proposal_id = null,
      resolution = null,
      reason = null,
      proposed_by: requested_by = null,
    } = standing ?? {}
    const amount = standing?.amount ?? subject?.amount ?? null
    return { amount, of, proposal_id, resolution, reason, requested_by }
  },
  note: ({ standing }) => standing && riskWords[standing.resolution],
  decide(call, has, now) {
    const { about, subject, standing, first } = has
    if (standing === null) return refuse('not_proposed')
    if (!isSecondPerson(first, call.by.person)) return refuse('same_person')
    const elsewhere = standing.resolution === 'as_proven' && leftConnector(about, subject) !== null
    if (about.closed_at !== null || elsewhere || validateResolution(about.kind, subject, standing) !== null)
      return refuse('does_not_fit')
    const end = endOf(subject, standing)
    // The operation has ended otherwise since, or was sent again after people had looked.
    if (end !== null && !(subject !== null && mayEnd(subject) && (end === 'succeeded' || !has.left)))
      return refuse('does_not_fit')
    const adjustment = adjustmentFor(about, subject, standing, call.by.person, now, has.wallet)
    const judged = judge(call, standing, 'approved_by_second_person', now, adjustment?.id ?? null)
    const ended = end === null ? [] : [endOrder({ about, proposal: judged.result, end, conclusions: has.conclusions })]
    const closed = close({ about, booked: booked(about, subject, standing, adjustment, has.wallet) })
    return { ...judged, effects: [...judged.effects, ...ended, closed] }
  },
  refusals: {
    ...commonRefusals,
    does_not_fit: {
      words: [
        'La proposition ne convient plus : l’opération a fini autrement depuis, ou est repartie. Contestez-la, et proposez de nouveau.',
        'The proposal no longer fits: the operation has ended otherwise since, or left again. Dispute it, and propose anew.',
      ],
      command:
        'The proposal no longer fits: its subject has ended or was sent again since. Refuse the proposal and make another.',
    },
    insufficient_funds: {
      words: [
        'Le solde disponible du marchand ne couvre pas encore cette somme. La proposition attend.',
        'The merchant’s available balance does not cover this sum yet. The proposal waits.',
      ],
      command: 'The available balance does not cover it yet. The proposal keeps waiting.',
    },
  },
  conflicts: { overdrawn_by_adjustment: 'insufficient_funds' },
})

/** Refuses a proposed resolution, as the second person. The anomaly stays open for another proposal, and no money moves. */
export const refuseResolution = defineAct({
  ...common,
  name: 'anomaly.refuse',
  summary: 'Refuse the proposed resolution; the anomaly stays open',
  title: ['Contester la proposition', 'Dispute the proposal'],
  fresh: false,
  facts: {},
  content: () => ({}),
  decide(call, { standing, first }, now) {
    if (standing === null) return refuse('not_proposed')
    if (!isSecondPerson(first, call.by.person)) return refuse('same_person')
    return judge(call, standing, 'refused_by_second_person', now, null)
  },
  refusals: commonRefusals,
})
