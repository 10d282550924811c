import type { Transition } from '../values/transition.ts'
import type { PayoutStatus } from './payout.ts'

/**
 * Every transition of a payout. Only a proof or a refusal ends `indeterminate`, never time. The database holds the same
 * pairs in `payout_transitions`.
 */
export const transitions = [
  { from: 'created', trigger: 'sending_began', to: 'processing', event: 'payout.processing' },
  { from: 'created', trigger: 'not_routable', to: 'failed', event: 'payout.failed' },
  { from: 'created', trigger: 'cancelled', to: 'failed', event: 'payout.failed' },
  { from: 'processing', trigger: 'proof_received', to: 'succeeded', event: 'payout.succeeded' },
  { from: 'processing', trigger: 'refusal_established', to: 'failed', event: 'payout.failed' },
  { from: 'processing', trigger: 'operator_silent', to: 'indeterminate', event: 'payout.indeterminate' },
  { from: 'indeterminate', trigger: 'proof_received', to: 'succeeded', event: 'payout.succeeded' },
  { from: 'indeterminate', trigger: 'refusal_established', to: 'failed', event: 'payout.failed' },
] as const satisfies readonly Transition<PayoutStatus>[]

export type PayoutTrigger = (typeof transitions)[number]['trigger']
