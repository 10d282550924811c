import { defineRoute } from '../platform/http/route.ts'
import type { CancelPayment } from './cancel-payment.ts'
import { Payment } from './payment.ts'

/** An addition of ours: ends a payment that waits to be sent. */
export const postPaymentCancel = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/x/payments/:payment_id/cancel',
  operation: 'cancelPayment',
  summary: 'Cancel a payment that was not sent yet',
  description:
    'Ends a payment that is `created`: it is never sent, and its payer is never asked. It becomes `failed` with the `failure_code` ' +
    '`cancelled`, and you are told `payment.failed`. A payment that was sent cannot be called back: the answer is 409.',
  tags: ['Extensions'],
  scope: 'collect',
  params: { payment_id: 'txn' },
  paramDescriptions: { payment_id: 'The `id` of a payment, with prefix `txn_`, as `POST /v1-payments` answers it.' },
  replies: { 200: Payment },
  errors: {
    404: ['resource_not_found'],
    409: ['payment_not_cancellable'],
    422: ['invalid_id'],
    500: ['payment_failed'],
  },
  fault: 'payment_failed',
  concurrency: 'batched',
  async handle({ caller, params, isWanted, reply, refuse }, deps: { cancelPayment: CancelPayment }) {
    const { merchant_id, livemode } = caller
    const call = { merchant_id, livemode, payment_id: params.payment_id }
    const result = await deps.cancelPayment(call, isWanted)
    if (result.kind !== 'refused') return reply.stored(result.status, result.text)
    const { code } = result
    if (code !== 'resource_not_found' && code !== 'payment_not_cancellable')
      throw new Error(`No key was claimed: ${code}.`)
    return refuse(code)
  },
})
