import type { BatchDraft } from '../../batch-files/batch-draft.ts'
import { readDraftOfBatch } from '../../batch-files/store.ts'
import type { RefusedOrder } from '../../operators/doubts/ask-refused.ts'
import type { BatchToDecide } from '../../payout-batches/approval-store.ts'
import type { LineRow } from '../../payout-batches/batch.ts'
import { type LineCheckRow, readLineChecks } from '../../payout-batches/check-store.ts'
import { keyOf, readLines } from '../../payout-batches/store.ts'
import type { Db } from '../../platform/postgres/database.ts'

/** The facts on the page of a batch. */
export type BatchPageFacts = {
  readonly batch: BatchToDecide
  readonly lines: readonly LineRow[]
  readonly checks: readonly LineCheckRow[]
  /** The draft of its file. Null when the API made the batch. */
  readonly draft: BatchDraft | null
  /** The operators' later words about the failed lines that were sent. Null: the person has not asked. */
  readonly asked: readonly RefusedOrder[] | null
}

/** Reads the facts on the page of a batch. */
export async function readBatchPage(db: Db, batch: BatchToDecide): Promise<Omit<BatchPageFacts, 'asked'>> {
  const key = keyOf(batch)
  const [lines, checks, draft] = await Promise.all([
    readLines(db, key),
    readLineChecks(db, key),
    readDraftOfBatch(db, key),
  ])
  return { batch, lines, checks, draft }
}
