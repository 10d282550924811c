import type { Transition } from '../values/transition.ts'
import type { RefundStatus } from './refund.ts'

/**
 * Every move a refund can make. One that its operator can carry out is `requested` and goes there; one that it cannot is
 * `manual` from the beginning, and a second person closes it. Merchants are told of the payment, not of the refund. The
 * database holds the same pairs (`refund_transitions`).
 */
export const transitions = [
  { from: 'requested', trigger: 'sending_began', to: 'processing', event: null },
  { from: 'requested', trigger: 'not_routable', to: 'failed', event: null },
  { from: 'processing', trigger: 'proof_received', to: 'succeeded', event: null },
  { from: 'processing', trigger: 'refusal_established', to: 'failed', event: null },
  { from: 'manual', trigger: 'paid_by_hand', to: 'succeeded', event: null },
  { from: 'manual', trigger: 'given_up', to: 'failed', event: null },
] as const satisfies readonly Transition<RefundStatus>[]

/** The triggers of a refund's transitions. */
export type RefundTrigger = (typeof transitions)[number]['trigger']
