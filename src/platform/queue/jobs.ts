import type { Sql, Statement, Tx } from '../postgres/database.ts'
import { given } from '../postgres/rows.ts'

/**
 * Queues keep one kind of work from holding up another: money never waits behind a slow merchant's web server. Each queue
 * has its own workers.
 */
export const queueNames = ['money', 'webhooks', 'upkeep'] as const
export type Queue = (typeof queueNames)[number]

/** A kind of job: its name in the queue, its queue, and the type of what it carries. */
export type JobKind<Payload> = { readonly name: string; readonly queue: Queue; readonly payload?: Payload }

/** Declares a kind of job. `Payload` must survive JSON. */
export function defineJob<Payload>(name: string, queue: Queue): JobKind<Payload> {
  return { name, queue }
}

export type NewJob<Payload> = {
  payload: Payload
  /** Milliseconds from now before which it does not run; absent: at once. Counted by the database. */
  delay_ms?: number
  /**
   * Jobs of one partition hold up no job of another, however long they take and however many wait: whom they call, for jobs that
   * call somebody. Few for each queue. Absent: the partition of all that name none.
   */
  partition_key?: string
  /**
   * The owner of the job, such as a merchant: within a partition owners take turns, and none has more than its share in hand. Absent: it is of
   * several, which are not bounded together.
   */
  owner?: string
  /** How many operations it carries, which counts towards its owner's share; one, unless said. */
  weight?: number
  /** A waiting job of the same kind and key is replaced rather than doubled. One that a worker has in hand is not. */
  key?: string
}

/** Times a job is tried before it is given up. */
export const ATTEMPTS_MAX = 25

/** By queue, the calls that have the queues of this process look for jobs at once. Queues of other processes look by themselves. */
const wakes: Record<Queue, Set<() => void>> = { money: new Set(), webhooks: new Set(), upkeep: new Set() }
const wakeOf = Object.fromEntries(
  queueNames.map((queue) => [
    queue,
    () => {
      for (const wake of wakes[queue]) wake()
    },
  ]),
) as Record<Queue, () => void>

/** Tells when this process has committed new jobs of a queue. Returns what ends the telling. */
export function onJobs(queue: Queue, wake: () => void): () => void {
  wakes[queue].add(wake)
  return () => void wakes[queue].delete(wake)
}

/**
 * Adds jobs in the caller's transaction: they exist if and only if what they follow from does. A job may run more than
 * once (its worker can die after the work and before the note of it), so what it does must be safe to repeat. It does not
 * wait: the jobs travel with what follows in the transaction, at the latest with its commit, and a failure fails it. Those with
 * keys go in one order, because two transactions that add the same ones wait for one another.
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
  // One statement cannot replace a job that it adds itself: of one key, the last is meant.
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

/** The row that a statement returns for each job that follows from it. */
type Returned<Payload> = { partition_key: string; owner: string; weight: number; payload: Payload }

/**
 * Adds a job for each row that a statement returns, likewise, and by one statement with it: to be run at once, without a key.
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

/** Drops jobs that were tried too often; the sweeps find their subjects. Returns how many of each kind. */
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

/** Seconds for which the oldest job that nobody has in hand has been due; 0 when none is. */
export async function readJobLag(sql: Sql): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select greatest(extract(epoch from now() - min(run_at)), 0)::float8 as seconds
      from jobs
     where locked_by is null and attempts < ${ATTEMPTS_MAX}`
  return row!.seconds
}
