import { records, type Sql, type Tx } from '../postgres/database.ts'

/**
 * Lanes keep one kind of work from holding up another: money never waits behind a slow merchant's web server. Each lane
 * has its own workers.
 */
export type Lane = 'money' | 'webhooks' | 'upkeep'

/** A kind of job: its name in the queue, its lane, and the type of what it carries. */
export type JobKind<Payload> = { readonly name: string; readonly lane: Lane; readonly payload?: Payload }

/** Declares a kind of job. `Payload` must survive JSON. */
export function defineJob<Payload>(name: string, lane: Lane): JobKind<Payload> {
  return { name, lane }
}

export type NewJob<Payload> = {
  payload: Payload
  /** Milliseconds from now before which it does not run; absent: at once. Counted by the database. */
  delay_ms?: number
  /** A waiting job with the same key is replaced rather than doubled. */
  key?: string
}

/**
 * Adds jobs in the caller's transaction: they exist if and only if what they follow from does. A job may run more than
 * once (its worker can die after the work and before the note of it), so what it does must be safe to repeat.
 */
export async function enqueue<Payload>(
  tx: Tx,
  kind: JobKind<Payload>,
  jobs: readonly NewJob<Payload>[],
): Promise<void> {
  if (jobs.length === 0) return
  const specs = jobs.map(({ payload, delay_ms = 0, key = null }) => ({ payload, delay_ms, key }))
  await tx`
    select count(*) from graphile_worker.add_jobs((
      select array_agg((
               ${kind.name}, s.payload, null,
               case when s.delay_ms > 0 then now() + make_interval(secs => s.delay_ms / 1000.0) end,
               25, s.key, 0, null)::graphile_worker.job_spec)
        from json_to_recordset(${records(tx, specs)})
          as s(payload json, delay_ms double precision, key text)))`
}

/**
 * Drops jobs that will never run again: those tried too often, and those replaced while their worker held them, which
 * the queue keeps as if they had failed. What they were for is found by the sweeps. Returns how many of each kind had
 * failed.
 */
export async function dropSpentJobs(sql: Sql): Promise<{ task_identifier: string; failed: number }[]> {
  return sql<{ task_identifier: string; failed: number }[]>`
    with spent as materialized (
      select id, task_identifier, last_error is not null as failed
        from graphile_worker.jobs
       where locked_at is null and attempts >= max_attempts
       limit 10000
    ), dropped as (
      select id from graphile_worker.complete_jobs((select array_agg(id) from spent))
    )
    select s.task_identifier, count(*) filter (where s.failed) as failed
      from spent s
      join dropped using (id)
     group by s.task_identifier`
}
