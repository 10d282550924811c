import { findTransition, type Transition } from '../values/transition.ts'

export type InstructionState = 'prepared' | 'sending' | 'sent' | 'unknown' | 'confirmed' | 'refused'

/** The states of an order without an outcome. `prepared`: nothing has left. `sending`, `unknown`: it may have left. `sent`: the operator holds it. */
const open = ['prepared', 'sending', 'unknown', 'sent'] as const
/** Of these, the orders that may have left. */
const leftPerhaps = ['sending', 'unknown', 'sent'] as const
/** Of these, the orders that the operator has not shown to hold. */
const heldByNobody = ['prepared', 'sending', 'unknown'] as const

/**
 * Every transition of an instruction. An answer of an operator decides more than the state (`sending/decide.ts`): whether it counts, and when we
 * ask again. So it does not move a row through `defineTransition`, and takes the state from here.
 *
 * - `refusal_established`, `never_left_too_often`: certainly no money moved.
 * - `outcome_unclear`: the answer tells nothing, or the operator does not hold the order. One that it held stays `sent`.
 * - `proof_received` in `refused`: only of a request that lapsed, which is then credited.
 */
export const instructionTransitions = [
  ...rows(['prepared'], 'sending_began', 'sending'),
  ...rows(['unknown'], 'sent_again', 'sending'),
  ...rows(['prepared'], 'not_routable', 'refused'),
  ...rows(['prepared'], 'cancelled', 'refused'),
  ...rows(['prepared'], 'waited_too_long', 'refused'),
  ...rows(open, 'held_by_operator', 'sent'),
  ...rows(['sending', 'unknown'], 'outcome_unclear', 'unknown'),
  ...rows(['sent'], 'outcome_unclear', 'sent'),
  ...rows(heldByNobody, 'never_left', 'prepared'),
  ...rows(heldByNobody, 'never_left_too_often', 'refused'),
  ...rows(open, 'refusal_established', 'refused'),
  ...rows([...open, 'refused'], 'proof_received', 'confirmed'),
  ...rows([...leftPerhaps, 'refused'], 'refused_by_people', 'refused'),
  ...rows([...leftPerhaps, 'refused'], 'proven_by_people', 'confirmed'),
] satisfies readonly Transition<InstructionState>[]

export type InstructionTrigger = (typeof instructionTransitions)[number]['trigger']

/** The same transition from several states. */
function rows<Trigger extends string>(states: readonly InstructionState[], trigger: Trigger, to: InstructionState) {
  return states.map((from) => ({ from, trigger, to, event: null }))
}

/** The state of an instruction after a trigger. @throws when its state does not allow the trigger, because that is a fault in our code */
export function nextState(state: InstructionState, trigger: InstructionTrigger): InstructionState {
  const transition = findTransition(instructionTransitions, state, trigger)
  if (transition === null) throw new Error(`An instruction does not go from "${state}" on "${trigger}".`)
  return transition.to
}
