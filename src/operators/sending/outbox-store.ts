import type { Tx } from '../../platform/postgres/database.ts'
import { given } from '../../platform/postgres/rows.ts'
import { enqueueReturned } from '../../platform/queue/jobs.ts'
import type { InstructionKey } from '../instruction.ts'
import { LOST_JOB_SECONDS, sendCollectionsJob } from './jobs.ts'

/** A collection that was accepted and has no instruction yet. */
export type OutboxCollection = InstructionKey & {
  simulate: 'succeed' | null
  /** Its reference, derived from the key of its request. Null or absent: it gets one when its sending begins. */
  reference?: string | null
}

/** Collections of one operator that were accepted together and are sent together. */
export type OutboxGroup = {
  /** Our UUID. */
  id: string
  /** The partition of their job. */
  partition_key: string
  /** The merchant when all collections belong to one; otherwise empty. */
  owner: string
  collections: readonly OutboxCollection[]
}

/**
 * Inserts groups and the jobs that send them. Does not wait: both travel with the next statement, at the latest with
 * the commit. One statement writes both, so that their common content is sent once. It does not use `insertRows`, which
 * costs an answer of the server for each table; these are one or two rows.
 */
export function insertGroups(tx: Tx, groups: readonly OutboxGroup[]): void {
  enqueueReturned(
    tx,
    sendCollectionsJob,
    tx`
      insert into collection_outbox (id, partition_key, owner, collections)
      select g.id, g.partition_key, g.owner, g.collections
        from ${given(tx, 'collection_outbox g', groups, ['id', 'partition_key', 'owner', 'collections'])}
      returning partition_key, owner, json_array_length(collections) as weight,
                json_build_object('group', id, 'collections', collections) as payload`,
  )
}

/** A group taken from the outbox, with the database's times at which it was accepted and claimed. */
export type ClaimedGroup = Pick<OutboxGroup, 'id' | 'collections'> & { created_at: Date; taken_at: Date }

/**
 * Takes groups from the outbox, to be begun in this transaction. It deletes them in key order, because two transactions
 * may name the same ones. Groups that another run took are absent from the result.
 */
export async function claimGroups(tx: Tx, ids: readonly string[]): Promise<ClaimedGroup[]> {
  return tx<ClaimedGroup[]>`
    with locked as materialized (
      select id
        from collection_outbox
       where id = any(${[...ids]}::uuid[])
       order by id
         for update
    )
    delete from collection_outbox w
     using locked l
     where w.id = l.id
    returning w.id, w.collections, w.created_at, clock_now() as taken_at`
}

/** Splits a group into one for each collection, and returns these. Empty when another run took the group. */
export async function splitGroup(tx: Tx, id: string): Promise<OutboxGroup[]> {
  return tx<OutboxGroup[]>`
    with split as (
      delete from collection_outbox
       where id = ${id}
      returning partition_key, owner, collections, created_at
    )
    insert into collection_outbox (id, partition_key, owner, collections, created_at)
    select gen_random_uuid(), partition_key, owner, json_build_array(one), created_at
      from split
     cross join json_array_elements(collections) as one
    returning id, partition_key, owner, collections`
}

/**
 * Takes up groups whose job seems lost, and postpones their next check. Skips groups that another transaction has
 * locked.
 */
export async function claimDueGroups(tx: Tx, limit: number): Promise<OutboxGroup[]> {
  return tx<OutboxGroup[]>`
    with due as materialized (
      select id
        from collection_outbox
       where next_check_at <= clock_now()
       order by next_check_at
       limit ${limit}
         for no key update skip locked
    )
    update collection_outbox w
       set next_check_at = clock_now() + make_interval(secs => ${LOST_JOB_SECONDS})
      from due d
     where w.id = d.id
    returning w.id, w.partition_key, w.owner, w.collections`
}
