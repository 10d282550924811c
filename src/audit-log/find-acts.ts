import type { Db } from '../platform/postgres/database.ts'
import { WHOLE_SERVICE } from './record-act.ts'
import * as store from './store.ts'

/** A line of the audit log. `merchant_id` null: the service as a whole. `livemode` null: both modes. */
export type AuditLine = Omit<store.StoredAct, 'merchant_id'> & { merchant_id: number | null }

/**
 * The newest lines of the audit log, the newest first.
 * @param of `merchant_id` null: those of everybody. `livemode` null: those of any mode; given: of this one or of both
 * @param limit lines at most
 */
export async function readActs(db: Db, of: store.ActsWanted, limit: number): Promise<AuditLine[]> {
  const lines = await store.readActs(db, of, limit)
  return lines.map((line) => ({ ...line, merchant_id: line.merchant_id === WHOLE_SERVICE ? null : line.merchant_id }))
}
