import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { Page, PageWanted } from '../values/page.ts'
import { type BatchRow, type BatchStatus, type PayoutBatch, viewBatch } from './batch.ts'
import { readBatchesPage, readWaitingBatches } from './store.ts'

/** A batch in the staff's lists: with its merchant, without its lines. */
export type BatchForStaff = Omit<PayoutBatch, 'lines'> & { merchant_id: number; made_by: string }

/** Lists batches: those that wait for an approval, oldest first; those in another state or in any (`status: null`), newest first. */
export async function listBatches(
  db: Db,
  wanted: PageWanted & { tenant: Tenant | null; status: BatchStatus | null },
): Promise<Page<BatchForStaff>> {
  const waiting = wanted.status === 'en_attente_validation'
  const { rows, after } = await (waiting ? readWaitingBatches(db, wanted) : readBatchesPage(db, wanted))
  return { rows: rows.map(viewForStaff), after }
}

function viewForStaff(row: BatchRow): BatchForStaff {
  const { lines: _, ...view } = viewBatch(row, [])
  return { ...view, merchant_id: row.merchant_id, made_by: row.made_by }
}
