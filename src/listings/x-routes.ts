import Type, { type TObject } from 'typebox'
import { amountSources } from '../checkout/link-address.ts'
import { readLabels } from '../checkout/session-list-store.ts'
import { Payment, paymentStatuses, viewPayment } from '../payments/payment.ts'
import { readPaymentsOf } from '../payments/store.ts'
import { batchStatuses, PayoutBatch, viewBatch } from '../payout-batches/batch.ts'
import { readBatchesOf } from '../payout-batches/store.ts'
import { Payout, payoutStatuses, viewPayout } from '../payouts/payout.ts'
import { readPayoutsOf } from '../payouts/store.ts'
import { defineRoute } from '../platform/http/route.ts'
import type { Db } from '../platform/postgres/database.ts'
import { Settlement, settlementStatuses, viewSettlement } from '../settlements/settlement.ts'
import { readSettlementsOf } from '../settlements/store.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import { createdOn, objectField, onlyThese, pageCursor, pageLimit, textOrNull } from '../values/fields.ts'
import { idPattern } from '../values/ids.ts'
import { Msisdn } from '../values/msisdn.ts'
import { operatorCodes } from '../values/operators.ts'
import { findOperations } from './find-operations.ts'
import { allOf, idPrefixes, type OperationKind } from './listed-operation.ts'

/** The number of operations on a page: by default, and at most. */
const PAGE_DEFAULT = 20
const PAGE_MAX = 100

const DAY_MS = 86_400_000

/** Returns the query fields of a list: its filters and its cursor. */
function queryOf<const Status extends string>(kind: OperationKind, statuses: readonly Status[], reference: string) {
  return {
    status: Type.Optional(Type.Enum([...statuses], { description: 'Only those in this state.' })),
    day: createdOn,
    reference: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: reference })),
    limit: pageLimit(PAGE_DEFAULT, PAGE_MAX),
    starting_after: pageCursor(
      'The id of the last one of the page before.',
      idPattern(idPrefixes[kind]),
      `the id of the last ${kind} of the page before, with the prefix ${idPrefixes[kind]}_`,
    ),
  }
}

const byOperator = {
  operator: Type.Optional(Type.Enum([...operatorCodes], { description: 'Only those of this operator.' })),
}

function listOf<Item extends TObject>($id: string, item: Item, description: string) {
  return Type.Object(
    {
      object: objectField('list'),
      data: Type.Array(item, { description: 'Newest first.' }),
      limit: Type.Integer({ description: 'As it was applied.' }),
      has_more: Type.Boolean({ description: 'Whether older ones follow this page.' }),
    },
    { $id, description },
  )
}

type Query = {
  readonly status?: string
  readonly day?: string
  readonly reference?: string
  readonly operator?: string
  readonly limit?: string
  readonly starting_after?: string
}

/** Reads the requested page: the ids of its operations, and the fields of the answer about the page. */
async function pageOf(reads: Db, tenant: Tenant, kind: OperationKind, query: Query) {
  const limit = Math.min(Number(query.limit ?? PAGE_DEFAULT), PAGE_MAX)
  const day = query.day === undefined ? null : new Date(`${query.day}T00:00:00.000Z`)
  const filters = {
    ...allOf(kind),
    statuses: query.status === undefined ? [] : [query.status],
    operator: query.operator ?? null,
    reference: query.reference ?? null,
    created_from: day,
    created_before: day && new Date(day.getTime() + DAY_MS),
  }
  const { rows, after } = await findOperations(reads, tenant, filters, { limit, after: query.starting_after ?? null })
  return { ids: rows.map(({ id }) => id), told: { object: 'list', limit, has_more: after !== null } } as const
}

const common = {
  auth: 'api',
  method: 'GET',
  tags: ['Extensions'],
  scope: 'any',
  invalid: { otherwise: 'invalid_request' },
} as const

const OWN_REFERENCE = 'Only those with this reference of yours, exactly as you sent it.'
const BANK_REFERENCE = "Only the one with this reference of the bank's transfer."

const ListedPayment = Type.Object(
  {
    ...Payment.properties,
    msisdn: textOrNull('The number of the payer, masked; null without one.'),
    description: textOrNull('The purpose, as you sent it.'),
    reference: textOrNull('The reference of its payment page, from a link or its address; null without one.'),
    amount_source: Type.Union([Type.Enum([...amountSources]), Type.Null()], {
      description:
        'The source of the amount of its payment page: `merchant`, `address` or `payer`, as on the session. Null without a page.',
    }),
    metadata: Type.Union([Type.Object({}), Type.Null()], { description: 'As you sent it.' }),
  },
  { $id: 'ListedPayment', description: 'A payment, with what you sent about it.' },
)

/** An extension: after a crash a merchant finds its requests by its own reference. */
export const listPayments = defineRoute({
  ...common,
  path: '/x/payments',
  operation: 'listPayments',
  summary: 'Find payments, newest first, with what you sent about them',
  query: Type.Object({ ...queryOf('payment', paymentStatuses, OWN_REFERENCE), ...byOperator }, onlyThese),
  replies: { 200: listOf('PaymentList', ListedPayment, 'A page of payments.') },
  errors: { 400: ['invalid_request'], 500: ['payment_failed'] },
  fault: 'payment_failed',
  async handle({ caller, query, reply }, { reads }: { reads: Db }) {
    const { ids, told } = await pageOf(reads, caller, 'payment', query)
    const rows = ids.length === 0 ? [] : await readPaymentsOf(reads, tenantOf(caller), ids)
    const labels = await readLabels(reads, tenantOf(caller), rows)
    const data = rows.map(({ description, metadata, ...row }) => {
      const { reference = null, amount_source = null } = labels.get(row.checkout_session_id ?? '') ?? {}
      const msisdn = row.msisdn === null ? null : Msisdn.stored(row.msisdn).masked
      return { ...viewPayment(row), msisdn, description, reference, amount_source, metadata }
    })
    return reply(200, { ...told, data })
  },
})

export const listPayouts = defineRoute({
  ...common,
  path: '/x/payouts',
  operation: 'listPayouts',
  summary: 'Find payouts, newest first',
  description: 'Those of batches are among them. Every number is masked.',
  query: Type.Object({ ...queryOf('payout', payoutStatuses, OWN_REFERENCE), ...byOperator }, onlyThese),
  replies: { 200: listOf('PayoutList', Payout, 'A page of payouts.') },
  errors: { 400: ['invalid_request'], 500: ['payout_failed'] },
  fault: 'payout_failed',
  async handle({ caller, query, reply }, { reads }: { reads: Db }) {
    const { ids, told } = await pageOf(reads, caller, 'payout', query)
    const rows = ids.length === 0 ? [] : await readPayoutsOf(reads, tenantOf(caller), ids)
    return reply(200, { ...told, data: rows.map((row) => viewPayout({ ...row, is_inline: false })) })
  },
})

const { lines: _, ...batchFields } = PayoutBatch.properties
const ListedBatch = Type.Object(batchFields, {
  $id: 'ListedBatch',
  description: 'A batch of payouts without its lines.',
})

export const listBatches = defineRoute({
  ...common,
  path: '/x/batches',
  operation: 'listBatches',
  summary: 'Find batches of payouts, newest first, without their lines',
  query: Type.Object(queryOf('batch', batchStatuses, OWN_REFERENCE), onlyThese),
  replies: { 200: listOf('BatchList', ListedBatch, 'A page of batches.') },
  errors: { 400: ['invalid_request'], 500: ['payout_failed'] },
  fault: 'payout_failed',
  async handle({ caller, query, reply }, { reads }: { reads: Db }) {
    const { ids, told } = await pageOf(reads, caller, 'batch', query)
    const rows = ids.length === 0 ? [] : await readBatchesOf(reads, tenantOf(caller), ids)
    const data = rows.map((row) => {
      const { lines: _, ...batch } = viewBatch(row, [])
      return batch
    })
    return reply(200, { ...told, data })
  },
})

export const findSettlements = defineRoute({
  ...common,
  path: '/x/settlements',
  operation: 'findSettlements',
  summary: 'Find settlements, newest first',
  query: Type.Object({ ...queryOf('settlement', settlementStatuses, BANK_REFERENCE), ...byOperator }, onlyThese),
  replies: { 200: listOf('FoundSettlements', Settlement, 'A page of settlements.') },
  errors: { 400: ['invalid_request'], 500: ['settlement_failed'] },
  fault: 'settlement_failed',
  async handle({ caller, query, reply }, { reads }: { reads: Db }) {
    const { ids, told } = await pageOf(reads, caller, 'settlement', query)
    const rows = ids.length === 0 ? [] : await readSettlementsOf(reads, tenantOf(caller), ids)
    return reply(200, { ...told, data: rows.map(viewSettlement) })
  },
})
