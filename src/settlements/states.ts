import type { Transition } from '../values/transition.ts'
import type { SettlementStatus } from './settlement.ts'

/**
 * The transitions of a settlement, each by a person; the validator does not pay it. The database holds the same pairs
 * (`settlement_transitions`).
 */
export const transitions = [
  { from: 'pending_validation', trigger: 'validated', to: 'validated', event: 'settlement.validated' },
  { from: 'pending_validation', trigger: 'rejected', to: 'rejected', event: 'settlement.rejected' },
  { from: 'validated', trigger: 'transfer_made', to: 'paid', event: 'settlement.paid' },
  { from: 'validated', trigger: 'rejected', to: 'rejected', event: 'settlement.rejected' },
] as const satisfies readonly Transition<SettlementStatus>[]

/** The triggers of a settlement's transitions. */
export type SettlementTrigger = (typeof transitions)[number]['trigger']
