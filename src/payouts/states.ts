import type { Transition } from '../words/transition.ts'
import type { PayoutStatus } from './payout.ts'

/**
 * Every move a payout can make. `indeterminate` is left by proof or refusal alone, never by time. The database holds
 * the same pairs (`payout_transitions`).
 */
export const transitions = [
  { from: 'created', on: 'sending_began', to: 'processing', event: 'payout.processing' },
  { from: 'processing', on: 'proof_received', to: 'succeeded', event: 'payout.succeeded' },
  { from: 'processing', on: 'refusal_established', to: 'failed', event: 'payout.failed' },
  { from: 'processing', on: 'operator_silent', to: 'indeterminate', event: 'payout.indeterminate' },
  { from: 'indeterminate', on: 'proof_received', to: 'succeeded', event: 'payout.succeeded' },
  { from: 'indeterminate', on: 'refusal_established', to: 'failed', event: 'payout.failed' },
] as const satisfies readonly Transition<PayoutStatus>[]

/** The triggers of a payout's transitions. */
export type PayoutHappening = (typeof transitions)[number]['on']
