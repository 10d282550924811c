import Type, { type Static } from 'typebox'
import { type Destination, PayoutBeneficiary, viewDestination } from '../payouts/payout.ts'
import type { Tenant } from '../words/caller.ts'
import { errorMessages } from '../words/error-codes.ts'
import { type FailureCode, failureMessages } from '../words/failure-codes.ts'

/** In French, as the interface has them; `states.ts` says what they mean. */
export const batchStatuses = [
  'brouillon',
  'en_attente_validation',
  'en_cours',
  'termine',
  'termine_avec_erreurs',
  'annule',
] as const
export type BatchStatus = (typeof batchStatuses)[number]

/** `pending` until the batch is executed or cancelled, then those of the payout that the line became. */
export const lineStatuses = ['pending', 'processing', 'succeeded', 'failed', 'indeterminate', 'cancelled'] as const
export type LineStatus = (typeof lineStatuses)[number]

/** Lines of one batch at most (interface, Limits). */
export const LINES_MAX = 500

/** Why a line failed: what an operator said, or the transfer balance that did not cover it. */
export type LineFailure = FailureCode | 'insufficient_funds'

const nullableText = Type.Union([Type.String(), Type.Null()])

/** A batch with its lines, as the interface shows it. Amounts in francs. */
export const PayoutBatch = Type.Object(
  {
    id: Type.String({ description: 'Prefix `pob_`.' }),
    object: Type.Literal('payout_batch'),
    status: Type.Enum([...batchStatuses]),
    reference: nullableText,
    currency: Type.String(),
    total_amount: Type.Integer(),
    line_count: Type.Integer(),
    livemode: Type.Boolean(),
    created_at: Type.String({ format: 'date-time' }),
    executed_at: nullableText,
    finished_at: nullableText,
    lines: Type.Array(
      Type.Object({
        rank: Type.Integer({ description: 'From 1, in the order they were sent in.' }),
        status: Type.Enum([...lineStatuses]),
        amount: Type.Integer(),
        fee_amount: Type.Integer(),
        reference: nullableText,
        beneficiary: PayoutBeneficiary,
        payout_id: nullableText,
        failure_code: nullableText,
        failure_message: nullableText,
      }),
    ),
  },
  { $id: 'PayoutBatch' },
)
export type PayoutBatch = Static<typeof PayoutBatch>

/** The row of a batch. `approved_at`: a person let it through, so the cap of 24 hours no longer holds it. */
export type BatchRow = Tenant & {
  id: string
  status: BatchStatus
  reference: string | null
  currency: 'XOF'
  total_amount: number
  line_count: number
  /** `key:…`: the API key that made it. */
  made_by: string
  approved_at: Date | null
  created_at: Date
  executed_at: Date | null
  finished_at: Date | null
}

/** The row of a line; `payout_id` is null until it is sent, and stays so when it is not. */
export type LineRow = Destination & {
  rank: number
  status: LineStatus
  amount: number
  fee_amount: number
  reference: string | null
  payout_id: string | null
  failure_code: LineFailure | null
}

/** The batch with its lines, as every answer and every event shows it. */
export function viewBatch(batch: BatchRow, lines: readonly LineRow[]): PayoutBatch {
  return {
    id: batch.id,
    object: 'payout_batch',
    status: batch.status,
    reference: batch.reference,
    currency: batch.currency,
    total_amount: batch.total_amount,
    line_count: batch.line_count,
    livemode: batch.livemode,
    created_at: batch.created_at.toISOString(),
    executed_at: batch.executed_at?.toISOString() ?? null,
    finished_at: batch.finished_at?.toISOString() ?? null,
    lines: lines.map((line) => ({
      rank: line.rank,
      status: line.status,
      amount: line.amount,
      fee_amount: line.fee_amount,
      reference: line.reference,
      beneficiary: viewDestination(line),
      payout_id: line.payout_id,
      failure_code: line.failure_code,
      failure_message: messageOf(line.failure_code),
    })),
  }
}

function messageOf(code: LineFailure | null): string | null {
  if (code === null) return null
  return code === 'insufficient_funds' ? errorMessages.insufficient_funds : failureMessages[code]
}
