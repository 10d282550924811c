import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'

/** An approved batch that nobody has executed yet. */
export type BatchToLaunch = { id: string; reference: string | null; total_amount: number; line_count: number }

/**
 * Reads the approved batches that wait to be executed, oldest first.
 * @param person their maker; null: of all makers
 */
export async function readToLaunch(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { person, limit }: { person: string | null; limit: number },
): Promise<BatchToLaunch[]> {
  return db<BatchToLaunch[]>`
    select id, reference, total_amount, line_count
      from payout_batches
     where merchant_id = ${merchant_id} and livemode = ${livemode} and status = 'brouillon' and approved_at is not null
       ${person === null ? db`` : db`and person_in(made_by) = person_in(${person})`}
     order by id
     limit ${limit}`
}
