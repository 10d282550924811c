import { lapseTransition } from '../acts/decision.ts'
import type { Transition } from '../values/transition.ts'
import type { ProposalStatus } from './proposal-store.ts'

/**
 * Every transition of a proposal of a destination: a person decides it once, or it lapses. A command on the host inserts one that is `confirmed` already.
 * Stopping the change during its cooling-off moves no proposal: `stopped_by` tells.
 */
export const proposalTransitions = [
  { from: 'proposed', trigger: 'confirmed_by_second_person', to: 'confirmed', event: null },
  { from: 'proposed', trigger: 'refused_by_second_person', to: 'refused', event: null },
  { from: 'proposed', trigger: 'withdrawn_by_proposer', to: 'withdrawn', event: null },
  lapseTransition,
] as const satisfies readonly Transition<ProposalStatus>[]

export type ProposalTrigger = (typeof proposalTransitions)[number]['trigger']
