import { records, type Sql } from '../postgres/database.ts'

// How a lane works on the queue's own table. Everybody else adds jobs (jobs.ts) and never looks in here.

export type TakenJob = { id: number; kind: string; payload: unknown; attempts: number }

/**
 * Takes up to `room` due jobs, the oldest first. What another process takes in this moment is skipped. A job counts as
 * tried when it is taken: one that kills its worker each time comes to an end.
 */
export async function takeJobs(
  sql: Sql,
  worker_id: string,
  names: readonly string[],
  room: number,
): Promise<TakenJob[]> {
  return sql<TakenJob[]>`
    with due as materialized (
      select id
        from graphile_worker._private_jobs
       where is_available = true and job_queue_id is null
         and run_at <= now()
         and task_id = any(array(
               select id from graphile_worker._private_tasks where identifier = any(${names}::text[])))
       order by priority, run_at
       limit ${room}
         for update skip locked
    )
    update graphile_worker._private_jobs j
       set attempts = j.attempts + 1, locked_by = ${worker_id}, locked_at = now()
      from due
      join graphile_worker._private_tasks t on true
     where j.id = due.id and t.id = j.task_id
    returning j.id, t.identifier as kind, j.payload, j.attempts`
}

/** Jobs that are done. */
export async function dropJobs(sql: Sql, ids: readonly number[]): Promise<void> {
  await sql`delete from graphile_worker._private_jobs where id = any(${ids}::bigint[])`
}

export type Failure = {
  id: number
  error: string
  delay_seconds: number
  /** Whether it counts against the tries that the job has. */
  counts: boolean
}

/** Puts failed jobs back for later. One that was taken from us meanwhile is not ours to put back. */
export async function putBackJobs(sql: Sql, worker_id: string, failures: readonly Failure[]): Promise<void> {
  await sql`
    update graphile_worker._private_jobs j
       set run_at = greatest(now(), j.run_at) + make_interval(secs => f.delay_seconds),
           attempts = j.attempts - case when f.counts then 0 else 1 end,
           last_error = f.error, locked_by = null, locked_at = null
      from json_to_recordset(${records(sql, failures)})
        as f(id bigint, error text, delay_seconds double precision, counts boolean)
     where j.id = f.id and j.locked_by = ${worker_id}`
}

/** Jobs taken and never begun, as if they had not been taken. */
export async function giveBackJobs(sql: Sql, worker_id: string, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update graphile_worker._private_jobs
       set attempts = attempts - 1, locked_by = null, locked_at = null
     where id = any(${ids}::bigint[]) and locked_by = ${worker_id}`
}

/** Frees what is taken in our name and not among `held`: the answer that would have told us was lost. */
export async function freeAllBut(sql: Sql, worker_id: string, held: readonly number[]): Promise<void> {
  await sql`
    update graphile_worker._private_jobs
       set attempts = attempts - 1, locked_by = null, locked_at = null
     where locked_by = ${worker_id} and id <> all(${held}::bigint[])`
}
