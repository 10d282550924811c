import type { Db } from '../../platform/postgres/database.ts'
import { secondsSince } from '../../platform/postgres/seconds-since.ts'

/** Due instructions except those in the list, longest due first. Takes no locks. */
export async function readDueInstructions(
  db: Db,
  limit: number,
  without: readonly string[],
): Promise<{ merchant_id: number; subject_id: string }[]> {
  return db<{ merchant_id: number; subject_id: string }[]>`
    select merchant_id, subject_id
      from instructions
     where next_check_at <= clock_now() and subject_id <> all(${without})
     order by next_check_at
     limit ${limit}`
}

/**
 * The merchants of the instructions that have been due for longest.
 * @param limit the number of instructions to read
 */
export async function readMerchantsDue(db: Db, limit: number): Promise<number[]> {
  const rows = await db<{ merchant_id: number }[]>`
    select distinct merchant_id
      from (select merchant_id
              from instructions
             where next_check_at <= clock_now()
             order by next_check_at
             limit ${limit}) longest`
  return rows.map(({ merchant_id }) => merchant_id)
}

/** Seconds for which the oldest instruction or group of collections has been due; 0 when none is due. */
export async function readInstructionLag(db: Db): Promise<number> {
  return secondsSince(
    db,
    db`
      select least((select min(next_check_at) from collection_outbox),
                   (select min(next_check_at) from instructions where next_check_at is not null))`,
  )
}
