import type { Transition } from '../../values/transition.ts'

export type DifferenceStatus = 'waiting' | 'open' | 'proposed' | 'closed'

/**
 * The transitions of a difference. The comparison of lines and orders moves one in both directions until two people decide: lines and orders that come later
 * explain it, or take an explanation back.
 */
export const differenceTransitions = [
  { from: 'waiting', trigger: 'overdue', to: 'open', event: null },
  { from: 'open', trigger: 'order_reopened', to: 'waiting', event: null },
  { from: 'waiting', trigger: 'explained_by_lines', to: 'closed', event: null },
  { from: 'open', trigger: 'explained_by_lines', to: 'closed', event: null },
  { from: 'closed', trigger: 'explanation_lost', to: 'waiting', event: null },
  { from: 'closed', trigger: 'explanation_lost_late', to: 'open', event: null },
  { from: 'open', trigger: 'resolution_proposed', to: 'proposed', event: null },
  // A line of a bank without an operation.
  { from: 'waiting', trigger: 'resolution_proposed', to: 'proposed', event: null },
  { from: 'proposed', trigger: 'resolution_refused', to: 'open', event: null },
  { from: 'proposed', trigger: 'resolution_approved', to: 'closed', event: null },
] as const satisfies readonly Transition<DifferenceStatus>[]
