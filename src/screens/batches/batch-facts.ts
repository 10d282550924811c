import type { BatchDraft } from '../../batch-files/batch-draft.ts'
import { readDraftOfBatch } from '../../batch-files/store.ts'
import type { RefusedOrder } from '../../operators/doubts/ask-refused.ts'
import type { BatchToDecide } from '../../payout-batches/approval-store.ts'
import type { LineRow } from '../../payout-batches/batch.ts'
import { type LineCheckRow, readLineChecks } from '../../payout-batches/check-store.ts'
import { keyOf, readLines } from '../../payout-batches/store.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { tenantOf } from '../../values/caller.ts'
import { type Repeated, readRepeated } from './read-repeated.ts'

/** The facts on the page of a batch. */
export type BatchPageFacts = {
  readonly batch: BatchToDecide
  readonly lines: readonly LineRow[]
  readonly checks: readonly LineCheckRow[]
  /** The draft of its file. Null when the API made the batch. */
  readonly draft: BatchDraft | null
  /** The operators' later words about the failed lines that were sent. Null: the person has not asked. */
  readonly asked: readonly RefusedOrder[] | null
  /** Lines of the same number and amount, in other operations and among these. Null: it cannot be sent now. */
  readonly repeated: Repeated | null
}

/** Reads the facts on the page of a batch. */
export async function readBatchPage(db: Db, batch: BatchToDecide, now: Date): Promise<Omit<BatchPageFacts, 'asked'>> {
  const key = keyOf(batch)
  const [lines, checks, draft] = await Promise.all([
    readLines(db, key),
    readLineChecks(db, key),
    readDraftOfBatch(db, key),
  ])
  const repeated = batch.status === 'brouillon' ? await readRepeatedIn(db, batch, lines, now) : null
  return { batch, lines, checks, draft, repeated }
}

/** Compares the lines of a batch with other operations and with one another. */
export function readRepeatedIn(db: Db, batch: BatchToDecide, lines: readonly LineRow[], now: Date): Promise<Repeated> {
  const compared = lines.map(({ rank: line, msisdn, amount, beneficiary_id }) => ({
    line,
    msisdn,
    amount,
    beneficiary_id,
  }))
  return readRepeated(db, tenantOf(batch), compared, { own: batch.id, now })
}
