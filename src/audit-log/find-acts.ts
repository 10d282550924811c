import type { Db } from '../platform/postgres/database.ts'
import { WHOLE_SERVICE } from './record-act.ts'
import * as store from './store.ts'

/** A line of the audit log. `merchant_id` is null for the service as a whole, `livemode` for both modes. */
export type AuditLine = Omit<store.StoredAct, 'merchant_id'> & { merchant_id: number | null }

/**
 * Reads the newest lines of the audit log, newest first.
 * @param of `merchant_id`: null for all lines. `livemode`: null for all modes; given, for the lines of this mode and of
 *   both
 * @param limit the most lines
 */
export async function readActs(db: Db, of: store.ActsWanted, limit: number): Promise<AuditLine[]> {
  const lines = await store.readActs(db, of, limit)
  return lines.map((line) => ({ ...line, merchant_id: line.merchant_id === WHOLE_SERVICE ? null : line.merchant_id }))
}
