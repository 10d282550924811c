import type { Transition } from '../values/transition.ts'
import type { PaymentStatus } from './payment.ts'

/**
 * Every transition of a payment. A payment with an uncertain outcome stays `pending`. A proof that comes after the
 * request lapsed is still credited. The database holds the same pairs in `payment_transitions`.
 */
export const transitions = [
  { from: 'created', trigger: 'sending_began', to: 'pending', event: 'payment.pending' },
  { from: 'created', trigger: 'not_routable', to: 'failed', event: 'payment.failed' },
  { from: 'created', trigger: 'request_lapsed', to: 'expired', event: 'payment.expired' },
  { from: 'created', trigger: 'cancelled', to: 'failed', event: 'payment.failed' },
  { from: 'pending', trigger: 'proof_received', to: 'succeeded', event: 'payment.succeeded' },
  { from: 'pending', trigger: 'refusal_established', to: 'failed', event: 'payment.failed' },
  { from: 'pending', trigger: 'request_lapsed', to: 'expired', event: 'payment.expired' },
  { from: 'expired', trigger: 'proof_received', to: 'succeeded', event: 'payment.succeeded' },
  { from: 'succeeded', trigger: 'refunded_in_full', to: 'refunded', event: 'payment.refunded' },
  { from: 'succeeded', trigger: 'refunded_in_part', to: 'partially_refunded', event: 'payment.partially_refunded' },
  {
    from: 'partially_refunded',
    trigger: 'refunded_in_part',
    to: 'partially_refunded',
    event: 'payment.partially_refunded',
  },
  { from: 'partially_refunded', trigger: 'refunded_in_full', to: 'refunded', event: 'payment.refunded' },
] as const satisfies readonly Transition<PaymentStatus>[]

export type PaymentTrigger = (typeof transitions)[number]['trigger']
