import Type from 'typebox'
import { defineRoute } from '../platform/http/route.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { Amount } from '../values/amount.ts'
import type { Caller } from '../values/caller.ts'
import { Msisdn } from '../values/msisdn.ts'
import { operatorCodes } from '../values/operators.ts'
import type { CreatePayment } from './create-payment.ts'
import { Payment, viewPayment } from './payment.ts'
import * as store from './store.ts'

/** Most characters of `metadata` as JSON. */
const METADATA_MAX = 16_384

const PaymentRequest = Type.Object({
  amount: Amount,
  currency: Type.Optional(Type.String({ pattern: '^[Xx][Oo][Ff]$', default: 'XOF', description: 'Only XOF.' })),
  operator: Type.Optional(
    Type.Enum([...operatorCodes], { description: "When absent, the operator follows from the number's prefix." }),
  ),
  counterparty: Type.Optional(
    Type.Object(
      {
        msisdn: Type.Refine(
          Type.String({ maxLength: 64, description: 'Ten digits, or the international form with `+225`.' }),
          (written) => Msisdn.parse(written) !== null,
          () => 'an Ivorian mobile number: ten digits, or +225 and ten digits',
        ),
      },
      { description: 'The payer. Without one the payment fails, unless its operator collects through a link.' },
    ),
  ),
  merchant_reference: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Unique per merchant and mode.' }),
  ),
  description: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'The purpose of the payment. 1 000 characters at most.' }),
  ),
  metadata: Type.Optional(Type.Object({}, { description: 'Free keys, 16 384 characters of JSON at most.' })),
  simulate: Type.Optional(
    Type.Unknown({ description: '`succeed`: concludes at once, in test mode. Ignored in live mode.' }),
  ),
})

/** Whether the body has a payer's number as text, valid or not. */
function hasMsisdn(sent: unknown): boolean {
  return typeof sent === 'object' && sent !== null && 'msisdn' in sent && typeof sent.msisdn === 'string'
}

export const postPayment = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/v1-payments',
  operation: 'createPayment',
  summary: 'Ask a payer for money',
  description: 'A 201 does not mean that the money has arrived. A webhook tells you, or read the payment.',
  tags: ['Payments'],
  scope: 'collect',
  idempotent: true,
  body: PaymentRequest,
  example: {
    body: { amount: 10_000, counterparty: { msisdn: '0700000000' }, description: 'Two bags of rice' },
  },
  lineBreaksIn: ['description', 'metadata'],
  replies: { 201: Payment },
  errors: {
    400: ['idempotency_key_required', 'invalid_body'],
    403: ['merchant_inactive'],
    409: ['idempotency_in_progress', 'duplicate_reference'],
    422: [
      'invalid_amount',
      'invalid_currency',
      'invalid_operator',
      'invalid_msisdn',
      'idempotency_key_reused',
      'amount_above_limit',
    ],
    429: ['too_many_attempts'],
    500: ['payment_creation_failed'],
  },
  invalid: {
    amount: 'invalid_amount',
    currency: 'invalid_currency',
    operator: (sent) => (typeof sent === 'string' ? 'invalid_operator' : 'invalid_body'),
    counterparty: (sent) => (hasMsisdn(sent) ? 'invalid_msisdn' : 'invalid_body'),
    otherwise: 'invalid_body',
  },
  fault: 'payment_creation_failed',
  concurrency: 'batched',
  async handle(
    { caller, call, body, reply, refuse },
    deps: { createPayment: CreatePayment; rateHeaders: (caller: Caller) => Promise<Record<string, string>> },
  ) {
    const { operator = null, counterparty, merchant_reference = null, description = null } = body
    const msisdn = counterparty === undefined ? null : Msisdn.parse(counterparty.msisdn)
    const metadata = body.metadata === undefined ? null : JSON.stringify(body.metadata)
    if (metadata !== null && metadata.length > METADATA_MAX) {
      const message = `metadata is too long as JSON (${metadata.length} of at most ${METADATA_MAX} characters).`
      return refuse('invalid_body', { message })
    }
    const simulate = caller.livemode ? undefined : body.simulate
    if (simulate !== undefined && simulate !== 'succeed') {
      return refuse('invalid_body', { message: 'simulate must be succeed, or left out.' })
    }

    const request = { amount: body.amount, operator, msisdn, merchant_reference, description, metadata }
    const result = await deps.createPayment(call, { ...request, simulate: simulate ?? null })
    if (result.kind !== 'refused') return reply.stored(result.status, result.text)
    if (result.code !== 'too_many_attempts') return refuse(result.code, { message: result.message })
    return refuse('too_many_attempts', { headers: await deps.rateHeaders(caller) })
  },
})

export const getPayment = defineRoute({
  auth: 'api',
  method: 'GET',
  path: '/v1-payments/:payment_id',
  operation: 'getPayment',
  summary: 'Read a payment',
  tags: ['Payments'],
  scope: 'any',
  params: { payment_id: 'txn' },
  paramDescriptions: { payment_id: 'The `id` of a payment, with prefix `txn_`, as `POST /v1-payments` answers it.' },
  replies: { 200: Payment },
  errors: { 404: ['resource_not_found'], 422: ['invalid_id'], 500: ['payment_failed'] },
  fault: 'payment_failed',
  async handle({ caller, params, reply, refuse }, deps: { sql: Sql }) {
    const { merchant_id, livemode } = caller
    const row = await store.readPayment(deps.sql, { merchant_id, livemode, payment_id: params.payment_id })
    return row === null ? refuse('resource_not_found') : reply(200, viewPayment(row))
  },
})
