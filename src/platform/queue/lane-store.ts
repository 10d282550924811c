import { records, type Sql, type Tx } from '../postgres/database.ts'
import { ATTEMPTS_MAX, type Lane } from './jobs.ts'

// How a lane works on the table of jobs. Everybody else adds jobs (jobs.ts) and never looks in here.

export type TakenJob = { id: string; line: string; kind: string; payload: unknown; attempts: number; run_at: Date }

/** How many jobs of a line may be taken now. */
export type Room = { line: string; room: number }

/**
 * Takes due jobs, of each line those due longest first: as many as `rooms` says of it, and `room` of a line that is not named
 * there. The lines are found by steps through the index, from one to the next, so that what waits in one that is full costs nothing.
 * What is due is handed on as an array, because the planner would take it for more than the table holds, and read all of that.
 * What another process takes in this moment is skipped. A job counts as tried when it is taken. Kinds that this process
 * does not know are left to a newer one.
 */
export async function takeJobs(
  sql: Sql,
  { worker_id, lane, kinds }: { worker_id: string; lane: Lane; kinds: readonly string[] },
  rooms: readonly Room[],
  room: number,
): Promise<TakenJob[]> {
  return sql<TakenJob[]>`
    with recursive lines as (
      select min(line) as line
        from jobs
       where lane = ${lane} and locked_by is null
      union all
      select (select min(j.line)
                from jobs j
               where j.lane = ${lane} and j.locked_by is null
                 and j.line > l.line)
        from lines l
       where l.line is not null
    ), due as materialized (
      select d.id
        from lines l
        left join json_to_recordset(${records(sql, rooms)}) as r(line text, room integer) on r.line = l.line
       cross join lateral (
               select id
                 from jobs
                where lane = ${lane} and line = l.line and locked_by is null
                  and run_at <= now()
                  and attempts < ${ATTEMPTS_MAX}
                  and kind = any(${kinds}::text[])
                order by run_at
                limit coalesce(r.room, ${room})
                  for no key update skip locked) d
    )
    update jobs j
       set attempts = j.attempts + 1, locked_by = ${worker_id}, locked_at = now()
     where j.id = any(array(select id from due))
    returning j.id, j.line, j.kind, j.payload, j.attempts, j.run_at`
}

/** Jobs that are done. One that was taken from us meanwhile is somebody else's, perhaps for another time. */
export async function dropJobs(sql: Sql, worker_id: string, ids: readonly string[]): Promise<void> {
  await sql`delete from jobs where id = any(${ids}::uuid[]) and locked_by = ${worker_id}`
}

export type Failure = {
  id: string
  error: string
  delay_seconds: number
  /** Whether it counts against the tries that the job has. */
  counts: boolean
}

/** Puts failed jobs back for later. One that was taken from us meanwhile is not ours to put back. */
export async function putBackJobs(sql: Sql, worker_id: string, failures: readonly Failure[]): Promise<void> {
  await sql.begin((tx) => {
    tx.send(tx`
      update jobs j
         set run_at = greatest(now(), j.run_at) + make_interval(secs => f.delay_seconds),
             attempts = j.attempts - case when f.counts then 0 else 1 end,
             last_error = f.error
        from json_to_recordset(${records(tx, failures)})
          as f(id uuid, error text, delay_seconds double precision, counts boolean)
       where j.id = f.id and j.locked_by = ${worker_id}`)
    freeOurs(
      tx,
      worker_id,
      failures.map(({ id }) => id),
    )
  })
}

/** Jobs taken and never begun, as if they had not been taken. */
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

/** Gives back what is taken in our name and not among `held`: the answer that would have told us was lost. */
export async function giveBackAllBut(sql: Sql, worker_id: string, held: readonly string[]): Promise<void> {
  const astray = await sql<{ id: string }[]>`
    select id
      from jobs
     where locked_by = ${worker_id} and id <> all(${held}::uuid[])`
  await giveBackJobs(
    sql,
    worker_id,
    astray.map(({ id }) => id),
  )
}
