import type { Db } from '../platform/postgres/database.ts'
import { WHOLE_SERVICE } from './act.ts'
import * as store from './store.ts'

export { type ActsWanted, readActsWith } from './store.ts'

/** A line of the audit log. `merchant_id` is null for the service as a whole, `livemode` for both modes. */
export type AuditLine = Omit<store.StoredAct, 'merchant_id'> & { merchant_id: number | null }

/** All lines. */
export const EVERY_ACT: store.ActsWanted = {
  merchant_id: null,
  livemode: null,
  actor: null,
  act: null,
  subject: null,
  until: null,
}

/**
 * Reads a page of the audit log, newest first.
 * @param after the `after` of the previous page; any other text counts as the beginning. Null: from the newest
 * @returns the lines, and the place of the last one when older lines follow
 */
export async function readActs(
  db: Db,
  wanted: store.ActsWanted,
  { after, limit }: { after: string | null; limit: number },
): Promise<{ acts: AuditLine[]; after: string | null }> {
  const place = /^(\d{1,15})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(after ?? '')
  const from = place === null ? null : { at: new Date(Number(place[1])), id: place[2]! }
  const lines = await store.readActs(db, wanted, from, limit + 1)
  const acts = lines
    .slice(0, limit)
    .map((line) => ({ ...line, merchant_id: line.merchant_id === WHOLE_SERVICE ? null : line.merchant_id }))
  const last = acts.at(-1)
  return { acts, after: lines.length > limit && last !== undefined ? `${last.at.getTime()}_${last.id}` : null }
}
