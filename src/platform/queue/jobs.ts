import type { Sql, Statement, Tx } from '../postgres/database.ts'
import { given } from '../postgres/rows.ts'

/**
 * Separate queues keep one kind of work from delaying another: money never waits for a merchant's slow web server. Each queue
 * has its own workers.
 */
export const queueNames = ['money', 'webhooks', 'upkeep'] as const
export type Queue = (typeof queueNames)[number]

/** A kind of job: its name, its queue, and the type of its payload. */
export type JobKind<Payload> = { readonly name: string; readonly queue: Queue; readonly payload?: Payload }

/** Declares a kind of job. `Payload` must survive JSON. */
export function defineJob<Payload>(name: string, queue: Queue): JobKind<Payload> {
  return { name, queue }
}

export type NewJob<Payload> = {
  payload: Payload
  /** Milliseconds until the job may run, by the database's clock. Absent: at once. */
  delay_ms?: number
  /**
   * The partition of the job. Jobs of one partition never delay those of another, however long they take. For a job that makes a network
   * call it is the called party. A queue has few partitions. Absent: one common partition.
   */
  partition_key?: string
  /**
   * The owner of the job, such as a merchant. Within a partition owners take turns, and none exceeds its share. Absent: the job belongs to
   * several owners, and has no such limit.
   */
  owner?: string
  /** The number of operations in the job, which counts towards its owner's share. Absent: one. */
  weight?: number
  /** The job replaces a waiting job of the same kind and key, but not one that a worker holds. */
  key?: string
}

/** The number of tries after which the queue gives a job up. */
export const ATTEMPTS_MAX = 25

/** For each queue, the functions that wake its runners in this process. Runners in other processes poll by themselves. */
const wakes: Record<Queue, Set<() => void>> = { money: new Set(), webhooks: new Set(), upkeep: new Set() }
const wakeOf = Object.fromEntries(
  queueNames.map((queue) => [
    queue,
    () => {
      for (const wake of wakes[queue]) wake()
    },
  ]),
) as Record<Queue, () => void>

/** Calls back when this process has committed new jobs of a queue. Returns a function that ends this. */
export function onJobs(queue: Queue, wake: () => void): () => void {
  wakes[queue].add(wake)
  return () => void wakes[queue].delete(wake)
}

/**
 * Adds jobs in the caller's transaction, so that they exist exactly if the transaction commits. A job may run more than once
 * (its worker can die after the work and before recording it), so it must be safe to repeat. Jobs with keys are
 * added in a fixed order, because two transactions that add the same keys wait for each other.
 */
export function enqueue<Payload>(tx: Tx, kind: JobKind<Payload>, jobs: readonly NewJob<Payload>[]): void {
  if (jobs.length === 0) return
  const free = jobs.filter(({ key }) => key === undefined)
  if (free.length > 0) {
    tx.send(tx`
      insert into jobs (queue, partition_key, owner, weight, kind, payload, run_at)
      select ${kind.queue}, r.partition_key, r.owner, r.weight, ${kind.name}, r.payload,
             now() + make_interval(secs => r.delay_ms::double precision / 1000)
        from ${given(tx, 'jobs r', free.map(rowOf), ['partition_key', 'owner', 'weight', 'payload', 'delay_ms'])}`)
  }
  // One statement cannot replace a job that it adds itself, so only the last job of each key is added.
  const keyed = new Map(jobs.flatMap((job) => (job.key === undefined ? [] : [[job.key, job]])))
  if (keyed.size > 0) {
    tx.send(tx`
      insert into jobs (queue, partition_key, owner, weight, kind, key, payload, run_at)
      select ${kind.queue}, r.partition_key, r.owner, r.weight, ${kind.name}, r.key, r.payload,
             now() + make_interval(secs => r.delay_ms::double precision / 1000)
        from ${given(tx, 'jobs r', [...keyed.values()].map(rowOf), ['partition_key', 'owner', 'weight', 'key', 'payload', 'delay_ms'])}
       order by r.key
      on conflict (kind, key) where locked_by is null and key is not null
      do update set partition_key = excluded.partition_key, owner = excluded.owner, weight = excluded.weight, payload = excluded.payload,
                    run_at = excluded.run_at, attempts = 0, last_error = null`)
  }
  tx.afterCommit(wakeOf[kind.queue])
}

/** The row that a statement returns for each job to add. */
type Returned<Payload> = { partition_key: string; owner: string; weight: number; payload: Payload }

/**
 * Like `enqueue`, but adds a job for each row that a statement returns, in one statement with it. The jobs have no key and no delay.
 */
export function enqueueReturned<Payload>(tx: Tx, kind: JobKind<Payload>, jobs: Statement<Returned<Payload>[]>): void {
  tx.send(tx`
    with r as (${jobs})
    insert into jobs (queue, partition_key, owner, weight, kind, payload, run_at)
    select ${kind.queue}, r.partition_key, r.owner, r.weight, ${kind.name}, r.payload, now()
      from r`)
  tx.afterCommit(wakeOf[kind.queue])
}

function rowOf<Payload>(job: NewJob<Payload>) {
  return { delay_ms: 0, partition_key: '', owner: '', weight: 1, ...job }
}

/** Deletes jobs that were tried too often; the sweeps find their subjects. Returns the number of each kind. */
export async function dropSpentJobs(sql: Sql): Promise<{ kind: string; failed: number }[]> {
  return sql<{ kind: string; failed: number }[]>`
    with spent as (
      delete from jobs
       where locked_by is null and attempts >= ${ATTEMPTS_MAX}
      returning kind
    )
    select kind, count(*) as failed
      from spent
     group by kind`
}

/** Seconds since the oldest unclaimed due job fell due; 0 if there is none. */
export async function readJobLag(sql: Sql): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select greatest(extract(epoch from now() - min(run_at)), 0)::float8 as seconds
      from jobs
     where locked_by is null and attempts < ${ATTEMPTS_MAX}`
  return row!.seconds
}
