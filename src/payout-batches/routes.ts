import Type from 'typebox'
import { defineRoute } from '../platform/http/route.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import { type Caller, tenantOf } from '../values/caller.ts'
import { atRank, LINES_MAX, PayoutBatch, viewBatch } from './batch.ts'
import type { BatchCaller, BatchOrder, CreateBatch } from './create-batch.ts'
import { cancelBatch } from './decide-batch.ts'
import { type ExecuteBatchDeps, executeBatch, type UntilBatchEnded } from './execute-batch.ts'
import { readLine } from './read-line.ts'
import * as store from './store.ts'

export const postBatch = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/v1-payout-batches',
  operation: 'createPayoutBatch',
  summary: 'Prepare up to 500 payouts at once; nothing is sent',
  description:
    'All or nothing: one wrong line refuses the whole batch, and the message names its rank. The total of the lines is at ' +
    'most 1 000 000 000 000 francs: above it, invalid_amount. Above the cap of 24 hours ' +
    'the batch waits for approval in the console.',
  tags: ['Payout batches'],
  scope: 'payout',
  idempotent: true,
  bodyMaxBytes: 1024 * 1024,
  body: Type.Object({
    reference: Type.Optional(
      Type.String({ maxLength: 255, description: 'Your own reference of the batch, returned as given.' }),
    ),
    currency: Type.Optional(Type.String({ pattern: '^[Xx][Oo][Ff]$', default: 'XOF', description: 'Only XOF.' })),
    // `readLine` judges each line, so that the message can name its rank.
    lines: Type.Optional(
      Type.Unknown({
        description:
          `Required. An array of 1 to ${LINES_MAX} objects: amount (integer), beneficiary_id or beneficiary ` +
          '(msisdn, operator, name), reference.',
      }),
    ),
  }),
  example: {
    body: {
      reference: 'wages-september',
      lines: [
        { amount: 4_000, beneficiary: { msisdn: '0500000010', operator: 'mtn_ci', name: 'Awa Koné' } },
        { amount: 3_000, beneficiary: { msisdn: '0700000012', operator: 'orange_ci', name: 'Issa Diallo' } },
      ],
    },
  },
  replies: { 201: PayoutBatch },
  errors: {
    400: ['idempotency_key_required', 'invalid_body'],
    403: ['merchant_inactive'],
    409: ['idempotency_in_progress'],
    422: [
      'invalid_lines',
      'too_many_lines',
      'invalid_amount',
      'invalid_beneficiary',
      'invalid_currency',
      'idempotency_key_reused',
    ],
    500: ['payout_failed'],
  },
  invalid: { currency: 'invalid_currency', otherwise: 'invalid_body' },
  fault: 'payout_failed',
  concurrency: 'exclusive',
  async handle({ call, body, reply, refuse }, deps: { createBatch: CreateBatch }) {
    const { lines: sent } = body
    if (!Array.isArray(sent) || sent.length === 0) return refuse('invalid_lines')
    if (sent.length > LINES_MAX) {
      return refuse('too_many_lines', { message: `lines has ${sent.length} of at most ${LINES_MAX} objects.` })
    }
    const lines: BatchOrder['lines'][number][] = []
    for (const [at, line] of sent.entries()) {
      const read = readLine(line)
      if ('wrong' in read) return refuse(read.wrong, { message: atRank(at + 1, read.message) })
      lines.push(read)
    }
    const total = lines.reduce((sum, { amount }) => sum + amount, 0)
    if (total > AMOUNT_MAX) return refuse('invalid_amount', { message: aboveTotal(total) })
    const result = await deps.createBatch(
      { ...call, caller: callerOf(call.caller) },
      { reference: body.reference ?? null, lines },
    )
    if (result.kind !== 'refused') return reply.stored(result.status, result.text)
    return refuse(result.code, { message: result.message })
  },
})

const batchParam = { batch_id: 'The `id` of a batch, with prefix `pob_`, as `POST /v1-payout-batches` answers it.' }

export const getBatch = defineRoute({
  auth: 'api',
  method: 'GET',
  path: '/v1-payout-batches/:batch_id',
  operation: 'getPayoutBatch',
  summary: 'Read a batch and its lines',
  tags: ['Payout batches'],
  scope: 'any',
  params: { batch_id: 'pob' },
  paramDescriptions: batchParam,
  replies: { 200: PayoutBatch },
  errors: { 404: ['resource_not_found'], 422: ['invalid_id'], 500: ['payout_failed'] },
  fault: 'payout_failed',
  async handle({ caller, params: { batch_id }, reply, refuse }, deps: { sql: Sql }) {
    const batch = await readWhole(deps.sql, keyOf(caller, batch_id))
    return batch === null ? refuse('resource_not_found') : reply(200, batch)
  },
})

export const executeBatchRoute = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/v1-payout-batches/:batch_id/execute',
  operation: 'executePayoutBatch',
  summary: 'Send the lines of a batch',
  description:
    'This call sends the money. A failing line does not cancel the others: check the status, and retry the failed ' +
    'ranks, not the whole batch. When the answer is lost, read the batch: executing again answers 409.',
  tags: ['Payout batches'],
  scope: 'payout',
  params: { batch_id: 'pob' },
  paramDescriptions: batchParam,
  replies: { 200: PayoutBatch },
  errors: {
    403: ['merchant_inactive'],
    404: ['resource_not_found'],
    409: ['batch_pending_approval', 'batch_not_executable'],
    422: ['invalid_id'],
    500: ['payout_failed'],
  },
  fault: 'payout_failed',
  // The operation itself limits its wait for the lines.
  deadlineMs: 75_000,
  concurrency: 'exclusive',
  async handle(
    { caller, params: { batch_id }, turn, reply, refuse },
    deps: { batches: ExecuteBatchDeps; untilBatchEnded: UntilBatchEnded; batch_wait_seconds: number },
  ) {
    const result = await executeBatch(deps.batches, callerOf(caller), batch_id)
    if (result.kind === 'refused') return refuse(result.code)
    const key = keyOf(caller, batch_id)
    await turn.without(() => deps.untilBatchEnded(key, deps.batch_wait_seconds))
    return reply(200, (await readWhole(deps.batches.sql, key))!)
  },
})

export const cancelBatchRoute = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/v1-payout-batches/:batch_id/cancel',
  operation: 'cancelPayoutBatch',
  summary: 'Cancel a batch that has sent nothing',
  tags: ['Payout batches'],
  scope: 'payout',
  params: { batch_id: 'pob' },
  paramDescriptions: batchParam,
  replies: { 200: PayoutBatch },
  errors: { 409: ['batch_not_cancellable'], 422: ['invalid_id'], 500: ['payout_failed'] },
  fault: 'payout_failed',
  concurrency: 'exclusive',
  async handle({ caller, params: { batch_id }, reply, refuse }, deps: { batches: ExecuteBatchDeps }) {
    const result = await cancelBatch(deps.batches, caller, batch_id)
    return result.kind === 'cancelled' ? reply(200, result.batch) : refuse(result.code)
  },
})

/** Reads a batch with its lines in one snapshot. Null when it is not this caller's. */
async function readWhole(sql: Sql, key: store.BatchKey): Promise<PayoutBatch | null> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    const batch = await store.readBatch(tx, key)
    return batch === null ? null : viewBatch(batch, await store.readLines(tx, key))
  })
}

function aboveTotal(total: number): string {
  return `The lines amount to ${total} francs together. A batch takes ${AMOUNT_MAX} at most: divide it into several.`
}

function callerOf(caller: Caller): BatchCaller {
  return { ...tenantOf(caller), merchant_active: caller.merchant_active, maker: { key_id: caller.key_id } }
}

function keyOf({ merchant_id, livemode }: Caller, batch_id: string): store.BatchKey {
  return { merchant_id, livemode, batch_id }
}
