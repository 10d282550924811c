import type { PartOfRequests, WaitingFor } from '../payouts/approval-store.ts'
import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { PageWanted } from '../values/page.ts'
import type { BatchRow } from './batch.ts'
import { type BatchKey, batchColumns } from './store.ts'

// Batches for the merchant's people who request and approve them.

/** A batch with the person who decided on it, and with its executor: a person or `key:…`. Null: nobody has. */
export type BatchToDecide = BatchRow & {
  decided_by: string | null
  executed_by: string | null
  /** The reason that the person who declined it wrote. */
  decline_reason: string | null
}

const columns = [...batchColumns, 'decided_by', 'executed_by', 'decline_reason']

/** Reads a batch with its decision. Null when it is not this merchant's. */
export async function readBatchToDecide(db: Db, key: BatchKey): Promise<BatchToDecide | null> {
  const [row] = await db<BatchToDecide[]>`
    select ${db(columns)}
      from payout_batches
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.batch_id}`
  return row ?? null
}

/** Lists a merchant's batches for one person: those that wait, oldest first, or the others, newest first. */
export function readBatchesFor(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { person, part, limit, after }: { person: string; part: PartOfRequests } & PageWanted,
): Promise<BatchToDecide[]> {
  const wanted = {
    waiting: () => db`
       and status = 'en_attente_validation' and person_in(made_by) <> person_in(${person}) and id > ${after ?? ''}
     order by id`,
    mine: () => db`
       and person_in(made_by) = person_in(${person}) and (status = 'en_attente_validation' or decided_by is not null)
       and id < ${after ?? 'pob_z'}
     order by id desc`,
    decided: () => db`
       and decided_by is not null and id < ${after ?? 'pob_z'}
     order by id desc`,
  }
  return db<BatchToDecide[]>`
    select ${db(columns)}
      from payout_batches
     where merchant_id = ${merchant_id} and livemode = ${livemode} ${wanted[part]()}
     limit ${limit}`
}

/** Counts the batches that wait and that this person did not make. A batch does not expire. */
export async function countBatchesFor(db: Db, { merchant_id, livemode }: Tenant, person: string): Promise<WaitingFor> {
  const [row] = await db<WaitingFor[]>`
    select count(*)::integer as count, coalesce(sum(total_amount), 0)::bigint as amount, null as first_expires_at,
           min(id) as first_id
      from payout_batches
     where merchant_id = ${merchant_id} and livemode = ${livemode} and status = 'en_attente_validation'
       and person_in(made_by) <> person_in(${person})`
  return row!
}

/** Reads the newest batch that was executed before this one was made. Null when there is none. */
export async function readExecutedBefore(db: Db, key: BatchKey): Promise<BatchRow | null> {
  const [row] = await db<BatchRow[]>`
    select ${db(batchColumns)}
      from payout_batches
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id < ${key.batch_id}
       and executed_at is not null
     order by id desc
     limit 1`
  return row ?? null
}
