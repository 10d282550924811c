import type { Transition } from '../words/transition.ts'
import type { PaymentStatus } from './payment.ts'

/**
 * Every move a payment can make. While an outcome is uncertain it stays `pending`; a proof that comes after the request
 * lapsed is still credited. The database holds the same pairs (`payment_transitions`).
 */
export const transitions = [
  { from: 'created', on: 'sending_began', to: 'pending', event: 'payment.pending' },
  { from: 'created', on: 'request_lapsed', to: 'expired', event: 'payment.expired' },
  { from: 'created', on: 'cancelled', to: 'failed', event: 'payment.failed' },
  { from: 'pending', on: 'proof_received', to: 'succeeded', event: 'payment.succeeded' },
  { from: 'pending', on: 'refusal_established', to: 'failed', event: 'payment.failed' },
  { from: 'pending', on: 'request_lapsed', to: 'expired', event: 'payment.expired' },
  { from: 'expired', on: 'proof_received', to: 'succeeded', event: 'payment.succeeded' },
  { from: 'succeeded', on: 'refunded_in_full', to: 'refunded', event: 'payment.refunded' },
  { from: 'succeeded', on: 'refunded_in_part', to: 'partially_refunded', event: 'payment.partially_refunded' },
  {
    from: 'partially_refunded',
    on: 'refunded_in_part',
    to: 'partially_refunded',
    event: 'payment.partially_refunded',
  },
  { from: 'partially_refunded', on: 'refunded_in_full', to: 'refunded', event: 'payment.refunded' },
] as const satisfies readonly Transition<PaymentStatus>[]

/** The triggers of a payment's transitions. */
export type PaymentHappening = (typeof transitions)[number]['on']
