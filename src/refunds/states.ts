import type { Transition } from '../values/transition.ts'
import type { RefundStatus } from './refund.ts'

/**
 * The transitions of a refund. A refund that its operator can carry out begins as `requested`. Any other begins as `manual`, and a
 * second person closes it. Webhooks are about the payment, not about the refund. The database has the same pairs
 * (`refund_transitions`) and refuses all others.
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
