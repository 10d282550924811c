import type { ActName } from '../audit-log/act-words.ts'
import type { Effect } from '../platform/commands/effects.ts'
import { tenantOf } from '../values/caller.ts'
import type { IdPrefix } from '../values/ids.ts'
import { normalizePerson } from '../values/independent-approver.ts'
import type { Right } from '../values/rights.ts'
import { findTransition, type Transition } from '../values/transition.ts'
import { type ActDecision, defineAct, refuse, row } from './act.ts'
import { decidedAlready, proposedTransitions } from './decision.ts'
import type { ActProposal, ProposedAct } from './proposal.ts'
import { lockProposal, writeActDecision } from './proposal-store.ts'

/** The transitions of an act that waits: those of every proposal, and the first person's. */
export const proposalTransitions = [
  ...proposedTransitions,
  { from: 'proposed', trigger: 'withdrawn_by_first_person', to: 'withdrawn', event: null },
] as const satisfies readonly Transition<ActProposal['status']>[]

type Withdrawal = {
  readonly name: ActName
  /** The acts that wait for their second person. */
  readonly of: readonly ProposedAct[]
  /** The prefix of its ids. Absent: that of acts which may wait. */
  readonly id?: IdPrefix
  readonly noun: string
  readonly summary: string
  /** The right to propose it. */
  readonly right: Right
  /** The other changes of the withdrawal. Absent: none. */
  readonly undo?: (proposal: ActProposal) => readonly Effect[]
}

/**
 * Declares how the first person takes back an act that waits for a second one. Nothing was done, and its secrets are deleted. Refusals in order of
 * precedence: no such proposal, decided already, another person's.
 */
export function defineWithdrawal({ name, of, id: prefix = 'prp', noun, summary, right, undo }: Withdrawal) {
  return defineAct({
    name,
    summary,
    title: ['Retirer cette demande', 'Withdraw this proposal'],
    right,
    fresh: false,
    on: row(prefix, noun),
    fields: {},
    async load(tx, { id }) {
      const found = await lockProposal<object>(tx, id, ...of)
      return found && { about: tenantOf(found), proposal: found }
    },
    facts: {},
    content: () => ({}),
    decide({ by }, { proposal }, now): ActDecision<ActProposal, keyof typeof refusals> {
      const transition = findTransition(proposalTransitions, proposal.status, 'withdrawn_by_first_person')
      if (transition === null) return refuse('already_decided')
      if (normalizePerson(by.person) !== normalizePerson(proposal.proposed_by)) return refuse('not_proposer')
      const { to: status } = transition
      const result: ActProposal = { ...proposal, status, decided_by: by.person, decided_at: now, sealed: null }
      const { subject, amount } = proposal
      const effects = [writeActDecision(result), ...(undo?.(proposal) ?? [])]
      return { kind: 'accepted', effects, result, before: { status: 'proposed' }, after: { status, subject, amount } }
    },
    refusals,
  })
}

const refusals = {
  already_decided: decidedAlready,
  not_proposer: {
    words: [
      'Seule la personne qui l’a proposé le retire. Vous pouvez le refuser.',
      'Only the person who proposed it withdraws it. You can refuse it.',
    ],
    command: 'Only the person who proposed it withdraws it; another refuses it.',
  },
} as const
