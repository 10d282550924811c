import type { Sql, Tx } from '../postgres/database.ts'
import { given } from '../postgres/rows.ts'
import { ATTEMPTS_MAX, type Queue } from './jobs.ts'

// The queue's own statements on the table of jobs. All other code only adds jobs (jobs.ts).

/** The duration of a lease: the time for which a job belongs to the worker that claimed it, unless the worker extends it. */
const LEASE = '30 seconds'
/** A lease with less than this left is extended. A younger one is not, because most jobs end before. */
const EXTENDED_BELOW = '20 seconds'

export type TakenJob = {
  id: string
  partition_key: string
  owner: string
  /** How many operations it carries. */
  weight: number
  kind: string
  payload: unknown
  attempts: number
  run_at: Date
  /** Whether more jobs of this owner may be due than the statement read. */
  more: boolean
}

/** The number of jobs of a partition that may be claimed now. */
export type FreeSlots = { partition_key: string; slots: number }

/** The jobs of an owner in a partition that this process holds, and their operations. */
export type Held = { partition_key: string; owner: string; held: number; weight: number }

/**
 * Claims due jobs: of each partition the number in `freeSlots`, or `slots` if it is not named there. The owners of a partition take turns: the
 * owner with the fewest held jobs comes first, and of each owner the job due longest. An owner holds at most half of a partition, and gets no
 * job while its held jobs carry `share` operations or more. Jobs without an owner have no such limit.
 *
 * The statement steps through the index from one partition and owner to the next, so that jobs waiting in a full partition cost nothing. With
 * many owners it reads only a few jobs of each (`candidates`), and `more` says so. It passes the due ids on as an array, because otherwise the
 * planner estimates more rows than the table holds and reads it whole. It skips jobs that another process is claiming. A claim counts as a
 * try. Kinds that this process does not know are left to a newer version.
 */
export async function takeJobs(
  sql: Sql,
  { worker_id, queue, kinds }: { worker_id: string; queue: Queue; kinds: readonly string[] },
  {
    freeSlots,
    held,
    slots,
    share,
  }: { freeSlots: readonly FreeSlots[]; held: readonly Held[]; slots: number; share: number },
): Promise<TakenJob[]> {
  return sql<TakenJob[]>`
    with recursive found as (
      (select partition_key, owner
         from jobs
        where queue = ${queue} and locked_by is null
        order by partition_key, owner
        limit 1)
      union all
      select n.partition_key, n.owner
        from found f
       cross join lateral (
             select j.partition_key, j.owner
               from jobs j
              where j.queue = ${queue} and j.locked_by is null
                and (j.partition_key, j.owner) > (f.partition_key, f.owner)
              order by j.partition_key, j.owner
              limit 1) n
    ), owners as (
      select f.partition_key, f.owner, coalesce(h.held::integer, 0) as held, coalesce(h.weight, 0) as weight,
             coalesce(r.slots::integer, ${slots}) as slots,
             least(case when f.owner = '' then coalesce(r.slots::integer, ${slots})
                        when coalesce(h.weight, 0) >= ${share} then 0
                        else least(coalesce(r.slots::integer, ${slots}), ${Math.ceil(slots / 2)} - coalesce(h.held::integer, 0)) end,
                   greatest(8, 4 * coalesce(r.slots::integer, ${slots}) / count(*) over (partition by f.partition_key))) as candidates
        from found f
        left join ${given(sql, 'jobs r', freeSlots, ['partition_key', 'slots'])} on r.partition_key = f.partition_key
        left join ${given(sql, 'jobs h', held, ['partition_key', 'owner', 'held', 'weight'])}
          on (h.partition_key, h.owner) = (f.partition_key, f.owner)
    ), due as materialized (
      select d.id, o.partition_key, o.owner, o.slots, o.candidates, d.run_at,
             o.held + row_number() over of_owner as turn,
             count(*) over (partition by o.partition_key, o.owner) as seen,
             o.owner = '' or o.weight + sum(d.weight) over of_owner - d.weight < ${share} as fits
        from owners o
       cross join lateral (
               select id, run_at, weight
                 from jobs
                where queue = ${queue} and partition_key = o.partition_key and owner = o.owner and locked_by is null
                  and run_at <= now()
                  and attempts < ${ATTEMPTS_MAX}
                  and kind = any(${kinds}::text[])
                order by run_at
                limit greatest(o.candidates, 0)
                  for no key update skip locked) d
      window of_owner as (partition by o.partition_key, o.owner order by d.run_at, d.id)
    ), chosen as materialized (
      select id, more
        from (select id, slots, more, row_number() over (partition by partition_key order by turn, run_at) as place
                from (select id, partition_key, slots, turn, run_at, fits,
                             seen >= candidates or not bool_and(fits) over (partition by partition_key, owner) as more
                        from due) looked_at
               where fits) placed
       where place <= slots
    ), taken as (
      update jobs j
         set attempts = j.attempts + 1, locked_by = ${worker_id}, locked_until = now() + ${LEASE}::interval
       where j.id = any(array(select id from chosen))
      returning j.id, j.partition_key, j.owner, j.weight, j.kind, j.payload, j.attempts, j.run_at
    )
    select t.id, t.partition_key, t.owner, t.weight, t.kind, t.payload, t.attempts, t.run_at, c.more
      from taken t
      join chosen c on c.id = t.id`
}

/** Deletes finished jobs. Leaves a job that was freed meanwhile, because another worker may be running it again. */
export async function dropJobs(sql: Sql, worker_id: string, ids: readonly string[]): Promise<void> {
  await sql`delete from jobs where id = any(${ids}::uuid[]) and locked_by = ${worker_id}`
}

export type Failure = {
  id: string
  error: string
  delay_seconds: number
  /** Whether the failure counts as a try. */
  counts: boolean
}

/** Puts failed jobs back for later. Leaves a job that was freed meanwhile. */
export async function putBackJobs(sql: Sql, worker_id: string, failures: readonly Failure[]): Promise<void> {
  await sql.begin((tx) => {
    tx.send(tx`
      update jobs j
         set run_at = greatest(now(), j.run_at) + make_interval(secs => f.delay_seconds::double precision),
             attempts = j.attempts - case when f.counts::boolean then 0 else 1 end,
             last_error = f.error
        from ${given(tx, 'jobs f', failures, ['id', 'error', 'delay_seconds', 'counts'])}
       where j.id = f.id and j.locked_by = ${worker_id}`)
    freeOurs(
      tx,
      worker_id,
      failures.map(({ id }) => id),
    )
  })
}

/** Releases jobs that never began, as if they had not been claimed. */
export async function giveBackJobs(sql: Sql, worker_id: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql.begin((tx) => {
    tx.send(tx`
      update jobs
         set attempts = attempts - 1
       where id = any(${ids}::uuid[]) and locked_by = ${worker_id}`)
    freeOurs(tx, worker_id, ids)
  })
}

function freeOurs(tx: Tx, worker_id: string, ids: readonly string[]): void {
  tx.send(tx`
    select free_jobs(array(
           select id
             from jobs
            where id = any(${ids}::uuid[]) and locked_by = ${worker_id}))`)
}

/** Releases the jobs claimed under our name that are not in `held`: the answer to their claim was lost. */
export async function giveBackAllBut(sql: Sql, worker_id: string, held: readonly string[]): Promise<void> {
  const unknown = await sql<{ id: string }[]>`
    select id
      from jobs
     where locked_by = ${worker_id} and id <> all(${held}::uuid[])`
  await giveBackJobs(
    sql,
    worker_id,
    unknown.map(({ id }) => id),
  )
}

/** Extends the jobs that these workers hold to a whole lease, including those whose lease has run out unnoticed. */
export async function extendLeases(sql: Sql, worker_ids: readonly string[]): Promise<void> {
  await sql`
    update jobs
       set locked_until = now() + ${LEASE}::interval
     where locked_by = any(${worker_ids}::text[]) and locked_until < now() + ${EXTENDED_BELOW}::interval`
}

/** Frees jobs whose lease has run out, and returns their workers. Skips a job that its worker is extending. */
export async function freeExpiredJobs(sql: Sql): Promise<string[]> {
  const rows = await sql<{ worker_id: string }[]>`
    with expired as materialized (
      select id, locked_by
        from jobs
       where locked_by is not null and locked_until < now()
         for no key update skip locked
    ), freed as materialized (
      select free_jobs(array(select id from expired))
    )
    select distinct e.locked_by as worker_id
      from expired e, freed`
  return rows.map(({ worker_id }) => worker_id)
}

/** Frees all jobs of these workers, which no longer run. */
export async function freeJobsOf(sql: Sql, worker_ids: readonly string[]): Promise<void> {
  await sql`select free_jobs(array(select id from jobs where locked_by = any(${worker_ids}::text[])))`
}
