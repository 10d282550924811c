import Type, { type Static } from 'typebox'
import { type Destination, PayoutBeneficiary, viewDestination } from '../payouts/payout.ts'
import type { Tenant } from '../values/caller.ts'
import { type FailureCode, failureMessages } from '../values/failure-codes.ts'
import { currency, livemode, objectField, textOrNull, time, timeOrNull } from '../values/fields.ts'

/** The states of a batch, in French as in the interface. `states.ts` explains them. */
export const batchStatuses = [
  'brouillon',
  'en_attente_validation',
  'en_cours',
  'termine',
  'termine_avec_erreurs',
  'annule',
] as const
export type BatchStatus = (typeof batchStatuses)[number]

/** The states of a line: `pending` until the batch is executed or cancelled, then the status of its payout. */
const lineStatuses = ['pending', 'processing', 'succeeded', 'failed', 'indeterminate', 'cancelled'] as const
export type LineStatus = (typeof lineStatuses)[number]

/** The most lines in one batch (interface, Limits). */
export const LINES_MAX = 500

/** The reason why a line failed: the operator's, insufficient funds, or `cancelled` without a payout, when its destination was archived. */
export type LineFailure = FailureCode | 'insufficient_funds'

/** A batch with its lines, as the interface shows it. Amounts are in francs. */
export const PayoutBatch = Type.Object(
  {
    id: Type.String({ description: 'Prefix `pob_`.' }),
    object: objectField('payout_batch'),
    status: Type.Enum([...batchStatuses], {
      description:
        '`brouillon`: a draft that can be executed. `en_attente_validation`: above the cap of 24 hours, waits for approval. `en_cours`: under way. `termine`: every line succeeded. `termine_avec_erreurs`: at least one line did not. `annule`: cancelled.',
    }),
    reference: textOrNull('Your own reference of the batch, as you sent it; null without one.'),
    currency,
    total_amount: Type.Integer({ description: 'The sum of its lines, in francs, without fees.' }),
    line_count: Type.Integer({ description: 'How many lines it has, 1 to 500.' }),
    livemode,
    created_at: time('When the batch was made.'),
    executed_at: timeOrNull('When it was executed; null before.'),
    finished_at: timeOrNull('When its last line had an outcome; null before.'),
    lines: Type.Array(
      Type.Object({
        rank: Type.Integer({ description: 'From 1, in the order they were sent in.' }),
        status: Type.Enum([...lineStatuses], {
          description: '`pending` until the batch is executed or cancelled, then that of its payout.',
        }),
        amount: Type.Integer({ description: 'The amount that the beneficiary receives, in francs.' }),
        fee_amount: Type.Integer({ description: 'Commission in francs, fixed when the batch is made.' }),
        reference: textOrNull('Your own reference of the line, as you sent it; null without one.'),
        beneficiary: PayoutBeneficiary,
        payout_id: textOrNull('Prefix `txn_`: the payout that the line became; null until it is sent.'),
        failure_code: textOrNull(
          'Why the line failed, from a closed list, or `insufficient_funds`; null unless it did.',
        ),
        failure_message: textOrNull('Why the line failed, in a sentence for people; null unless it did.'),
      }),
      { description: 'In the order in which they were sent in.' },
    ),
  },
  { $id: 'PayoutBatch', description: 'A batch of payouts with its lines.' },
)
export type PayoutBatch = Static<typeof PayoutBatch>

const { lines: _, ...withoutLines } = PayoutBatch.properties

/** A batch in an event that has no room for its lines. */
export const BatchWithoutLines = Type.Object(
  {
    ...withoutLines,
    lines_omitted: Type.Literal(true, {
      description: 'The event has no room for the lines: read them with `GET /v1-payout-batches/{batch_id}`.',
    }),
  },
  { $id: 'BatchWithoutLines', description: 'A batch of payouts whose lines make the event longer than 64 000 bytes.' },
)

/** The row of a batch. `approved_at`: when a person approved it; the cap of 24 hours then no longer holds it. */
export type BatchRow = Tenant & {
  id: string
  status: BatchStatus
  reference: string | null
  currency: 'XOF'
  total_amount: number
  line_count: number
  /** The cap of 24 hours in force when it was made, in francs. */
  cap_day: number
  /** The API key that made it (`key:…`), or the person. */
  made_by: string
  approved_at: Date | null
  created_at: Date
  executed_at: Date | null
  finished_at: Date | null
}

/** The row of a line. `payout_id` is null until the line is sent, and stays null for a line that is not sent. */
export type LineRow = Omit<Destination, 'beneficiary_id'> & {
  /** Its entry in the book. An inline line has none until it is sent. */
  beneficiary_id: string | null
  /** For an inline line: the archived entries of its number when the batch was made. Null: an earlier version made the batch, and the number was in the book. */
  archived_before: number | null
  rank: number
  status: LineStatus
  amount: number
  fee_amount: number
  reference: string | null
  payout_id: string | null
  failure_code: LineFailure | null
}

/** Whether a batch has sent nothing and can still be executed, now or after an approval. */
export function isDraft({ status }: Pick<BatchRow, 'status'>): boolean {
  return status === 'brouillon' || status === 'en_attente_validation'
}

/** A message about one line of a batch. */
export function atRank(rank: number, message: string): string {
  return `Line ${rank}: ${message}`
}

/** Returns the batch with its lines as answers and events show it. */
export function viewBatch(batch: BatchRow, lines: readonly Omit<LineRow, 'archived_before'>[]): PayoutBatch {
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
      failure_message: messageOf(line),
    })),
  }
}

function messageOf({ failure_code: code, payout_id }: Pick<LineRow, 'failure_code' | 'payout_id'>): string | null {
  if (code === null) return null
  if (code === 'insufficient_funds') return 'The transfer balance does not cover the amount and its fee.'
  // Without a payout, the failure is ours: no operator was asked.
  if (code === 'cancelled' && payout_id === null) return ARCHIVED
  return failureMessages[code]
}

const ARCHIVED = 'The destination was archived after the batch was made. Nothing was sent.'
