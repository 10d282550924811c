import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { BatchDraft } from './batch-draft.ts'

/** The lines of an open draft. */
export type DraftedLines = Pick<BatchDraft, 'id' | 'created_at' | 'lines'>

/** Reads the lines of the newest open drafts of a merchant, without one of them. */
export async function readDraftedLines(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { without, limit }: { without: string; limit: number },
): Promise<DraftedLines[]> {
  return db<DraftedLines[]>`
    select d.id, d.created_at, d.lines
      from batch_drafts d
     where d.merchant_id = ${merchant_id} and d.livemode = ${livemode} and d.id <> ${without}
       and d.expires_at > clock_now()
       and not exists (
          select from drafted_batches b
           where b.merchant_id = d.merchant_id and b.livemode = d.livemode and b.draft_id = d.id)
     order by d.id desc
     limit ${limit}`
}
