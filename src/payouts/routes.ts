import Type from 'typebox'
import { holderNameIn } from '../beneficiaries/beneficiary.ts'
import { defineRoute } from '../platform/http/route.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { Amount } from '../values/amount.ts'
import { looksLikeId } from '../values/ids.ts'
import { Msisdn } from '../values/msisdn.ts'
import { type OperatorCode, operatorCodes } from '../values/operators.ts'
import type { CreatePayout } from './create-payout.ts'
import type { WantedDestination } from './order-payout.ts'
import { Payout, viewPayout } from './payout.ts'
import { PayoutRequest, viewPayoutRequest } from './payout-request.ts'
import * as requestStore from './request-store.ts'
import * as store from './store.ts'

/** The destination of a payout or of a batch line: an entry of the book, or one written in the request, never both. */
export const destinationFields = {
  beneficiary_id: Type.Optional(Type.String({ maxLength: 64, description: 'An entry of the book.' })),
  beneficiary: Type.Optional(
    Type.Object(
      {
        msisdn: Type.Refine(
          Type.String({ maxLength: 64, description: 'Ten digits, or international form starting `+225`.' }),
          (written) => Msisdn.parse(written) !== null,
          () => 'an Ivorian mobile number: ten digits, or +225 and ten digits',
        ),
        operator: Type.Optional(
          Type.Enum([...operatorCodes], { description: "When absent, the operator follows from the number's prefix." }),
        ),
        name: Type.Refine(
          Type.String({ description: 'The holder, 1 to 200 characters.' }),
          (written) => holderNameIn(written, 1) !== null,
          () => 'a name of 1 to 200 characters',
        ),
      },
      { description: 'A destination written in the request. It is saved to the book.' },
    ),
  ),
}

/**
 * Reads the destination from valid fields. Null when both forms are given or neither; the caller answers
 * `invalid_beneficiary`.
 */
export function readDestination(named: {
  beneficiary_id?: string
  beneficiary?: { msisdn: string; operator?: OperatorCode; name: string }
}): WantedDestination | null {
  const { beneficiary_id, beneficiary } = named
  if ((beneficiary_id === undefined) === (beneficiary === undefined)) return null
  if (beneficiary === undefined) return { kind: 'book', beneficiary_id: beneficiary_id! }
  const msisdn = Msisdn.parse(beneficiary.msisdn)
  const name = holderNameIn(beneficiary.name, 1)
  return msisdn === null || name === null
    ? null
    : { kind: 'inline', msisdn, operator: beneficiary.operator ?? null, name }
}

/** Explains why fields that are each valid name no destination. */
export function explainDestination({ beneficiary_id, beneficiary }: Parameters<typeof readDestination>[0]): string {
  return beneficiary_id !== undefined && beneficiary !== undefined
    ? 'Both beneficiary_id and beneficiary are given. Send only one of them.'
    : 'The destination is missing. Send beneficiary_id, or beneficiary with msisdn and name.'
}

export const postPayout = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/v1-payouts',
  operation: 'createPayout',
  summary: 'Send money to somebody',
  description:
    'A 202 is not a success: the payout exceeds a cap, no money has moved, and a person has to approve it. The money comes from your transfer ' +
    'balance. When the balance is too low the answer is 409 `insufficient_funds`.',
  tags: ['Payouts'],
  scope: 'payout',
  idempotent: true,
  body: Type.Object({
    amount: Amount,
    currency: Type.Optional(Type.String({ pattern: '^[Xx][Oo][Ff]$', default: 'XOF', description: 'Only XOF.' })),
    ...destinationFields,
    reference: Type.Optional(Type.String({ maxLength: 255, description: 'Returned as given.' })),
  }),
  example: {
    body: {
      amount: 5_000,
      beneficiary: { msisdn: '0500000010', operator: 'mtn_ci', name: 'Awa Koné' },
      reference: 'wages-september-awa',
    },
  },
  replies: { 201: Payout, 202: PayoutRequest },
  errors: {
    400: ['idempotency_key_required', 'invalid_body'],
    403: ['merchant_inactive'],
    404: ['resource_not_found'],
    409: ['insufficient_funds', 'idempotency_in_progress'],
    422: ['invalid_amount', 'invalid_currency', 'invalid_beneficiary', 'idempotency_key_reused'],
    500: ['payout_failed'],
  },
  invalid: {
    amount: 'invalid_amount',
    currency: 'invalid_currency',
    beneficiary_id: 'invalid_beneficiary',
    beneficiary: 'invalid_beneficiary',
    otherwise: 'invalid_body',
  },
  fault: 'payout_failed',
  concurrency: 'batched',
  async handle({ call, body, reply, refuse }, deps: { createPayout: CreatePayout }) {
    const destination = readDestination(body)
    if (destination === null) return refuse('invalid_beneficiary', { message: explainDestination(body) })
    const order = { amount: body.amount, destination, reference: body.reference ?? null }
    const result = await deps.createPayout(call, order)
    return result.kind === 'refused' ? refuse(result.code) : reply.stored(result.status, result.text)
  },
})

export const getPayout = defineRoute({
  auth: 'api',
  method: 'GET',
  path: '/v1-payouts/:id',
  operation: 'getPayout',
  summary: 'Read a payout, or a payout request by its id',
  tags: ['Payouts'],
  scope: 'any',
  params: { id: ['txn', 'por'] },
  paramDescriptions: {
    id: 'The `id` that `POST /v1-payouts` answers: prefix `txn_` for a payout, `por_` for a payout request.',
  },
  replies: { 200: Type.Union([Payout, PayoutRequest]) },
  errors: { 404: ['resource_not_found'], 422: ['invalid_id'], 500: ['payout_failed'] },
  fault: 'payout_failed',
  async handle({ caller, params: { id }, reply, refuse }, deps: { sql: Sql }) {
    const { merchant_id, livemode } = caller
    if (looksLikeId('por', id)) {
      const request = await requestStore.readRequest(deps.sql, { merchant_id, livemode, request_id: id })
      return request === null ? refuse('resource_not_found') : reply(200, viewPayoutRequest(request))
    }
    const payout = await store.readPayout(deps.sql, { merchant_id, livemode, payout_id: id })
    return payout === null ? refuse('resource_not_found') : reply(200, viewPayout(payout))
  },
})
