import Type, { type Static } from 'typebox'
import { checkResult } from '../payouts/x-routes.ts'
import { defineRoute } from '../platform/http/route.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Caller } from '../values/caller.ts'
import { livemode, objectField, textOrNull, timeOrNull } from '../values/fields.ts'
import { isDraft } from './batch.ts'
import type { CheckBatch } from './check-batch.ts'
import { type LineCheckRow, readLineChecks } from './check-store.ts'
import { type BatchKey, readBatch } from './store.ts'

const BatchCheck = Type.Object(
  {
    id: Type.String({ description: 'Prefix `pob_`: the batch.' }),
    object: objectField('payout_batch_check'),
    livemode,
    lines: Type.Array(
      Type.Object({
        rank: Type.Integer({ description: 'The rank of the line in its batch.' }),
        status: Type.Enum(['unchecked', 'checking', 'checked'], {
          description: '`checking`: its operator is asked. `checked`: `result` says what came of it.',
        }),
        result: Type.Union([checkResult, Type.Null()], {
          description: 'As `POST /x/recipients/check` answers it; null until it is checked.',
        }),
        operator: textOrNull('The operator that the line is paid through; null: none follows from its number.'),
        checked_at: timeOrNull('When it was checked; null before.'),
      }),
      { description: 'In the order of the ranks.' },
    ),
  },
  { $id: 'PayoutBatchCheck', description: 'The check of the names in a batch, line by line.' },
)
type BatchCheck = Static<typeof BatchCheck>

const common = {
  auth: 'api',
  path: '/x/payout-batches/:batch_id/check',
  tags: ['Extensions'],
  params: { batch_id: 'pob' },
  paramDescriptions: {
    batch_id: 'The `id` of a batch, with prefix `pob_`, as `POST /v1-payout-batches` answers it.',
  },
  fault: 'payout_failed',
} as const

/** An extension: checks the names of a draft's lines before it is executed. */
export const postBatchCheck = defineRoute({
  ...common,
  method: 'POST',
  operation: 'checkPayoutBatch',
  summary: 'Have the names of a batch compared with those of the holders of its numbers',
  description:
    'Nothing is sent. The operators are asked behind this call: read the words with GET on the same address. Lines that have one keep it, but ' +
    'for `unknown`. Executing the batch neither waits for this nor goes by it. A line whose number was checked too often is `unknown`.',
  scope: 'payout',
  replies: { 202: BatchCheck },
  errors: {
    403: ['merchant_inactive'],
    404: ['resource_not_found'],
    409: ['batch_not_executable'],
    422: ['invalid_id'],
    429: ['too_many_attempts'],
    500: ['payout_failed'],
  },
  async handle(
    { caller, params: { batch_id }, reply, refuse },
    deps: { sql: Sql; checkBatch: CheckBatch; rateHeaders: (caller: Caller) => Promise<Record<string, string>> },
  ) {
    const result = await deps.checkBatch(caller, batch_id)
    if (result.kind === 'checking') return reply(202, (await readCheck(deps.sql, keyOf(caller, batch_id)))!)
    if (result.code !== 'too_many_attempts') return refuse(result.code)
    return refuse('too_many_attempts', { headers: await deps.rateHeaders(caller) })
  },
})

export const getBatchCheck = defineRoute({
  ...common,
  method: 'GET',
  operation: 'getPayoutBatchCheck',
  summary: 'Read how the names of a batch were found, line by line',
  scope: 'any',
  replies: { 200: BatchCheck },
  errors: { 404: ['resource_not_found'], 422: ['invalid_id'], 500: ['payout_failed'] },
  async handle({ caller, params: { batch_id }, reply, refuse }, deps: { sql: Sql }) {
    const check = await readCheck(deps.sql, keyOf(caller, batch_id))
    return check === null ? refuse('resource_not_found') : reply(200, check)
  },
})

/** Reads the checks of a batch in one snapshot. Null when it is not this caller's. */
function readCheck(sql: Sql, key: BatchKey): Promise<BatchCheck | null> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    const batch = await readBatch(tx, key)
    if (batch === null) return null
    const lines = (await readLineChecks(tx, key)).map((line) => ({
      rank: line.rank,
      status: statusOf(line, isDraft(batch)),
      result: line.name_check,
      operator: line.operator,
      checked_at: line.name_checked_at?.toISOString() ?? null,
    }))
    return { id: key.batch_id, object: 'payout_batch_check', livemode: key.livemode, lines }
  })
}

/** The state of a line's check. No job checks a line once its batch is no longer a draft. */
function statusOf(
  { name_check, name_check_asked_at }: LineCheckRow,
  draft: boolean,
): BatchCheck['lines'][number]['status'] {
  if (name_check !== null) return 'checked'
  return draft && name_check_asked_at !== null ? 'checking' : 'unchecked'
}

function keyOf({ merchant_id, livemode }: Caller, batch_id: string): BatchKey {
  return { merchant_id, livemode, batch_id }
}
