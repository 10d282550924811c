import type { Log } from '../../../platform/log.ts'
import { type Instruction, orderOf } from '../../instruction.ts'
import { type InstructionTrigger, nextState } from '../../instruction-states.ts'
import { connectorOf, type Registry } from '../../routing/registry.ts'
import { routeOrder } from '../../routing/route-order.ts'

/** The instruction with the connector that will carry it, or with a failure code when there is none. */
export function withConnector(
  { registry, log }: { readonly registry: Registry; readonly log: Log },
  instruction: Instruction,
): Instruction {
  const route = routeOrder(registry, instruction)
  if (route.kind === 'routed') {
    if (route.connector !== null) registry.sendBegan(route.connector, instruction.subject_id)
    const carried = { ...instruction, connector: route.connector }
    // Nothing has left, so that whatever an earlier connector kept is void.
    const operator_state = connectorOf(registry, carried)?.stateBeforeSend?.(orderOf(carried)) ?? null
    return { ...carried, operator_state }
  }
  const { reason, failure_code } = route
  // The circuit logs this once for all of them.
  if (failure_code === 'operator_unavailable') return { ...instruction, failure_code }
  log.warn({ subject_id: instruction.subject_id, reason }, 'operators: no connector can carry this order, failed it')
  return { ...instruction, failure_code }
}

/** The instruction with the number of its next send. */
export function atNextSend(instruction: Instruction): Instruction {
  return { ...instruction, attempts: instruction.attempts + 1 }
}

/** The instruction in its next state. */
export function moved(instruction: Instruction, trigger: InstructionTrigger): Instruction {
  return { ...instruction, state: nextState(instruction.state, trigger) }
}

/**
 * Gives each name what was begun under it, only once: when two jobs name the same order at the same moment, one of them
 * sends it.
 */
export function handOut<Begun>(names: readonly string[], begun: Map<string, Begun>): (Begun | null)[] {
  return names.map((name) => {
    const one = begun.get(name) ?? null
    begun.delete(name)
    return one
  })
}
