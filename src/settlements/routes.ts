import Type from 'typebox'
import { beneficiaryIdIn } from '../beneficiaries/beneficiary.ts'
import { defineRoute } from '../platform/http/route.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { Amount } from '../values/amount.ts'
import { objectField } from '../values/fields.ts'
import { looksLikeId } from '../values/ids.ts'
import type { CreateSettlement } from './create-settlement.ts'
import { Settlement, viewSettlement } from './settlement.ts'
import * as store from './store.ts'

export const postSettlement = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/v1-settlements',
  operation: 'createSettlement',
  summary: 'Ask to be paid what the service owes you',
  description:
    'Never 201: the amount leaves your available balance now, and the staff must validate the request. Nothing is paid yet.',
  tags: ['Settlements'],
  scope: 'payout',
  idempotent: true,
  body: Type.Object({
    amount: Amount,
    beneficiary: Type.Refine(
      Type.String({
        format: 'uuid',
        description: 'The settlement destination that is designated: the id that `bandama destination create` printed.',
      }),
      (written) => beneficiaryIdIn(written) !== null,
      () => 'the id of the designated destination, a UUID',
    ),
  }),
  example: { body: { amount: 5_000, beneficiary: '00000000-0000-4000-8000-000000000000' } },
  replies: { 202: Settlement },
  errors: {
    400: ['invalid_body'],
    403: ['merchant_inactive'],
    404: ['destination_introuvable'],
    409: ['idempotency_key_reused', 'idempotency_in_progress'],
    422: [
      'idempotency_key_required',
      'invalid_amount',
      'invalid_beneficiary',
      'sous_le_plancher',
      'montant_non_eligible',
      'destination_non_designee',
      'destination_trop_recente',
    ],
    500: ['settlement_failed'],
  },
  invalid: { amount: 'invalid_amount', beneficiary: 'invalid_beneficiary', otherwise: 'invalid_body' },
  fault: 'settlement_failed',
  concurrency: 'batched',
  async handle({ call, body, reply, refuse }, deps: { createSettlement: CreateSettlement }) {
    const order = { amount: body.amount, beneficiary_id: body.beneficiary }
    const result = await deps.createSettlement(call, order)
    if (result.kind === 'refused') return refuse(result.code, { message: result.message })
    return reply.stored(result.status, result.text)
  },
})

/** The most settlements in the list. */
const NEWEST_MAX = 50

const SettlementList = Type.Object(
  {
    object: objectField('list'),
    data: Type.Array(Settlement, { description: 'Newest first.' }),
    total_count: Type.Integer({ description: 'All your settlements, whatever the list shows.' }),
    total: Type.Integer({ description: 'The same as `total_count`.' }),
    limit: Type.Integer({ description: `Always ${NEWEST_MAX}.` }),
    offset: Type.Integer({ description: 'Always 0.' }),
    has_more: Type.Boolean({ description: 'Whether there are older ones.' }),
  },
  { $id: 'SettlementList', description: 'Your newest settlements.' },
)

export const listSettlements = defineRoute({
  auth: 'api',
  method: 'GET',
  path: '/v1-settlements',
  operation: 'listSettlements',
  summary: `Read the ${NEWEST_MAX} newest settlements`,
  tags: ['Settlements'],
  scope: 'any',
  replies: { 200: SettlementList },
  errors: { 500: ['settlement_failed'] },
  fault: 'settlement_failed',
  async handle({ caller, reply }, deps: { sql: Sql }) {
    const { settlements, total_count } = await store.readNewest(deps.sql, caller, NEWEST_MAX)
    return reply(200, {
      object: 'list',
      data: settlements.map(viewSettlement),
      total_count,
      total: total_count,
      limit: NEWEST_MAX,
      offset: 0,
      has_more: total_count > settlements.length,
    })
  },
})

export const getSettlement = defineRoute({
  auth: 'api',
  method: 'GET',
  path: '/v1-settlements/:settlement_id',
  operation: 'getSettlement',
  summary: 'Read a settlement',
  tags: ['Settlements'],
  scope: 'any',
  // The interface has no `invalid_id` here: a text that is no id is not found either.
  params: { settlement_id: 'text' },
  paramDescriptions: {
    settlement_id: 'The `id` of a settlement, with prefix `stl_`, as `POST /v1-settlements` answers it.',
  },
  replies: { 200: Settlement },
  errors: { 404: ['resource_not_found'], 500: ['settlement_failed'] },
  fault: 'settlement_failed',
  async handle({ caller: { merchant_id, livemode }, params: { settlement_id }, reply, refuse }, deps: { sql: Sql }) {
    if (!looksLikeId('stl', settlement_id)) return refuse('resource_not_found')
    const settlement = await store.readSettlement(deps.sql, { merchant_id, livemode, settlement_id })
    return settlement === null ? refuse('resource_not_found') : reply(200, viewSettlement(settlement))
  },
})
