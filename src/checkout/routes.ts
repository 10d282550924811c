import Type from 'typebox'
import { defineRoute } from '../platform/http/route.ts'
import { Amount } from '../values/amount.ts'
import type { CreateSession } from './create-session.ts'
import { isReturnUrl, keptReturnUrl } from './return-url.ts'
import { CheckoutSession } from './session.ts'

const SessionRequest = Type.Object({
  amount: Amount,
  currency: Type.Optional(Type.String({ pattern: '^[Xx][Oo][Ff]$', default: 'XOF', description: 'Only XOF.' })),
  description: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'The text that the payer reads on the page.' }),
  ),
  return_url: Type.Optional(
    Type.Refine(
      Type.String({ description: 'Where the payer goes back to after success. HTTPS.' }),
      isReturnUrl,
      () => 'an absolute https address, without a name or password in it',
    ),
  ),
})

export const postCheckout = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/v1-checkout',
  operation: 'createCheckoutSession',
  summary: 'Create a page on which a payer pays',
  description:
    'Hand `url` to the payer. An `Idempotency-Key` is optional, and honoured. The conflicts, the refusals of numbers, ' +
    'operators and bounds, `too_many_attempts` and `bornes_illisibles` are answered by the JSON form of the page itself.',
  tags: ['Checkout'],
  scope: 'collect',
  idempotent: 'optional',
  body: SessionRequest,
  example: { body: { amount: 10_000, description: 'Order 1042', return_url: 'https://example.com/thanks' } },
  lineBreaksIn: ['description'],
  replies: { 201: CheckoutSession },
  errors: {
    400: ['idempotency_key_required', 'invalid_body'],
    403: ['merchant_inactive'],
    409: ['session_expired', 'session_closed', 'lien_indisponible', 'idempotency_in_progress'],
    422: [
      'invalid_amount',
      'invalid_currency',
      'invalid_return_url',
      'amount_too_small',
      'amount_too_large',
      'invalid_msisdn',
      'invalid_operator',
      'idempotency_key_reused',
      'amount_above_limit',
    ],
    429: ['too_many_attempts'],
    500: ['checkout_creation_failed', 'payment_failed', 'bornes_illisibles'],
  },
  invalid: {
    amount: 'invalid_amount',
    currency: 'invalid_currency',
    return_url: 'invalid_return_url',
    otherwise: 'invalid_body',
  },
  fault: 'checkout_creation_failed',
  concurrency: 'batched',
  async handle({ call, body, reply, refuse }, deps: { createSession: CreateSession }) {
    const { amount, description = null } = body
    const return_url = body.return_url === undefined ? null : keptReturnUrl(body.return_url)
    const result = await deps.createSession(call, { amount, description, return_url })
    return result.kind === 'refused'
      ? refuse(result.code, { message: result.message })
      : reply.stored(result.status, result.text)
  },
})
