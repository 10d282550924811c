import Type from 'typebox'
import { defineRoute } from '../platform/http/route.ts'
import { expecting } from '../values/fields.ts'
import { Secret } from '../values/secret.ts'
import type { CancelPayment } from './cancel-payment.ts'
import { Payment } from './payment.ts'
import type { SubmitPaymentCode } from './submit-payment-code.ts'

/** An extension: cancels a payment that has not been sent yet. */
export const postPaymentCancel = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/x/payments/:payment_id/cancel',
  operation: 'cancelPayment',
  summary: 'Cancel a payment that was not sent yet',
  description:
    'Ends a payment that is `created`: it is never sent, and its payer is never asked. It becomes `failed` with the `failure_code` ' +
    '`cancelled`, and you receive the event `payment.failed`. A payment that was already sent cannot be cancelled: the answer is 409.',
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
  async handle({ call, params, reply, refuse }, deps: { cancelPayment: CancelPayment }) {
    const result = await deps.cancelPayment({ ...call, payment_id: params.payment_id })
    return result.kind === 'refused' ? refuse(result.code) : reply.stored(result.status, result.text)
  },
})

/** An extension: passes on a payer's one-time code that the merchant asked for on its own page. */
export const postPaymentCode = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/x/payments/:payment_id/code',
  operation: 'submitPaymentCode',
  summary: "Pass on a payer's one-time code",
  description:
    'For a payment whose `next_action` is `enter_code`: passes the code that the payer received to the operator. An operator accepts one code for a ' +
    'payment, so only the first one counts, and you may repeat the call. After a wrong code, create a new payment. The answer is the payment ' +
    'in its present state; a webhook tells you how it ends. The code is not stored.',
  tags: ['Extensions'],
  scope: 'collect',
  params: { payment_id: 'txn' },
  paramDescriptions: { payment_id: 'The `id` of a payment, with prefix `txn_`, as `POST /v1-payments` answers it.' },
  body: Type.Object({
    code: expecting(
      'a string of 4 to 10 digits',
      Type.String({ pattern: '^[0-9]{4,10}$', description: 'The digits that the payer received, 4 to 10.' }),
    ),
  }),
  example: { body: { code: '123456' } },
  replies: { 200: Payment },
  errors: {
    400: ['invalid_body'],
    404: ['resource_not_found'],
    409: ['payment_code_not_expected'],
    422: ['invalid_id'],
    500: ['payment_failed'],
  },
  invalid: { otherwise: 'invalid_body' },
  fault: 'payment_failed',
  async handle({ caller, params, body, reply, refuse }, deps: { submitPaymentCode: SubmitPaymentCode }) {
    const { merchant_id, livemode } = caller
    const key = { merchant_id, livemode, payment_id: params.payment_id }
    const result = await deps.submitPaymentCode(key, new Secret(body.code))
    return result.kind === 'refused' ? refuse(result.code) : reply(200, result.payment)
  },
})
