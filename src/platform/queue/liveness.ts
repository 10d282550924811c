import type pg from 'pg'
import type { Log } from '../log.ts'
import { openSession } from '../postgres/failover.ts'
import { channelOf, type Lane, laneNames } from './jobs.ts'

/** Through which a process says that its workers live, and frees the jobs of those that do not. */
export type Liveness = {
  /** From now on this worker lives. */
  join(worker_id: string): void
  /** It ended. Jobs that it could not give back are freed like those of a dead one. */
  leave(worker_id: string): void
  /** One beat now, instead of waiting for the next. Never throws: a beat that fails is made up for by the next. */
  beat(): Promise<void>
  /** Ends the beats; the jobs still held by our workers, which no longer run, are free at once. */
  stop(): Promise<void>
}

export type LivenessOptions = {
  url: string
  log: Log
  /** The queue has new jobs, as far as this connection heard. */
  onJobs?: (lane: Lane) => void
}

/** How often a worker says that it lives. */
const BEAT_MS = 2_000
/** One whose connection is gone and that was silent for this long is dead: it was killed, or its machine fell. */
const GONE_SECONDS = 6
/** One that was silent for this long counts as dead although its connection stands: it hangs, or the network fell. */
const SILENT_SECONDS = 45
/** Every so many beats we look for jobs held by a worker of which nobody ever heard. */
const STRAYS_EVERY = 5
/** The first half of the locks by which a connection stands for its workers. Any number that nobody else uses. */
export const WORKER_LOCKS = 0x62_65_61_74

/**
 * Beats for the workers of this process, judges those of others and listens for new jobs.
 *
 * Each worker beats, and holds a lock on one connection that does nothing else. A killed process loses its connection
 * with its life, so its work goes on within seconds; one that is merely slow keeps it and is left alone. Judged wrongly,
 * a worker loses nothing but time: jobs are written to bear a second run.
 */
export function keepAlive({ url, log, onJobs = () => {} }: LivenessOptions): Liveness {
  const ours = new Set<string>()
  const departed = new Set<string>()
  /** Those of ours for which the connection holds its lock. */
  const locked = new Set<string>()
  let connection: pg.Client | null = null
  let heardAt = Number.NEGATIVE_INFINITY
  let heardSince = 0
  let beats = 0

  /** The connection of the locks. When it is lost the locks are, and the next beat takes them anew. */
  async function connected(): Promise<pg.Client> {
    if (connection !== null) return connection
    const fresh = await openSession(url, {
      application_name: 'bandama beat',
      connectionTimeoutMillis: 2_000,
      statement_timeout: 5_000,
      query_timeout: 6_000,
    })
    fresh.on('error', () => lose(fresh))
    fresh.on('end', () => lose(fresh))
    fresh.on('notification', ({ channel }) => {
      const lane = laneNames.find((name) => channelOf(name) === channel)
      if (lane !== undefined) onJobs(lane)
    })
    await fresh.query(laneNames.map((lane) => `listen ${channelOf(lane)}`).join('; '))
    connection = fresh
    return fresh
  }

  function lose(lost: pg.Client): void {
    if (connection !== lost) return
    connection = null
    locked.clear()
  }

  async function beatOnce(): Promise<void> {
    if (ours.size + departed.size === 0) return
    const client = await connected()
    try {
      await forgetDeparted(client)
      for (const id of ours.difference(locked)) {
        const { rows } = await client.query('select pg_try_advisory_lock($1, hashtext($2)) as held', [WORKER_LOCKS, id])
        if (rows[0].held) locked.add(id)
      }
      await client.query(
        `insert into workers (worker_id, beat_at)
         select unnest($1::text[]), now()
         on conflict (worker_id) do update set beat_at = excluded.beat_at`,
        [[...ours]],
      )
      if (hasBeenHeard()) await judge(client)
    } catch (error) {
      // A new connection is the surer one, for any failure.
      lose(client)
      client.end().catch(() => {})
      throw error
    }
  }

  async function forgetDeparted(client: pg.Client): Promise<void> {
    if (departed.size === 0) return
    const ids = [...departed]
    await client.query(
      `with gone as (delete from workers where worker_id = any($1))
       select free_jobs(array(select id from jobs where locked_by = any($1)))`,
      [ids],
    )
    for (const id of ids) {
      departed.delete(id)
      if (locked.delete(id)) await client.query('select pg_advisory_unlock($1, hashtext($2))', [WORKER_LOCKS, id])
    }
  }

  /**
   * Whether we were heard for as long as we demand of others. When the database was away nobody was, and all beats are
   * old: who comes back first must not take everybody else for dead.
   */
  function hasBeenHeard(): boolean {
    const now = performance.now()
    if (now - heardAt > GONE_SECONDS * 1_000) heardSince = now
    heardAt = now
    return now - heardSince >= GONE_SECONDS * 1_000
  }

  async function judge(client: pg.Client): Promise<void> {
    beats += 1
    const released = await freeDead(client)
    if (beats % STRAYS_EVERY === 0) released.push(...(await freeStrays(client)))
    if (released.length > 0) log.warn({ released }, 'workers are gone and their jobs are free again')
  }

  let waiting = 0
  let beating: Promise<void> = Promise.resolve()
  /** One after the other, because they share the connection. */
  const beat = () => {
    waiting += 1
    beating = beating
      .then(beatOnce)
      .catch((error) => log.warn({ error }, 'no beat'))
      .finally(() => {
        waiting -= 1
      })
    return beating
  }
  const timer = setInterval(() => waiting === 0 && void beat(), BEAT_MS)

  return {
    join(worker_id) {
      ours.add(worker_id)
      void beat()
    },
    leave(worker_id) {
      if (ours.delete(worker_id)) departed.add(worker_id)
    },
    beat,
    async stop() {
      clearInterval(timer)
      for (const id of ours) departed.add(id)
      ours.clear()
      await beat()
      await connection?.end().catch(() => {})
    },
  }
}

const isConnected = `exists (
  select from pg_locks l
   where l.locktype = 'advisory' and l.classid = ${WORKER_LOCKS} and l.objsubid = 2
     and l.objid = (hashtext(w.worker_id)::bigint & 4294967295)::oid
     and l.database = (select oid from pg_database where datname = current_database()))`

/** Forgets dead workers and frees their jobs, in one statement; returns whom it found. */
function freeDead(client: pg.Client): Promise<string[]> {
  return freeJobsOf(
    client,
    `delete from workers w
      where beat_at < now() - make_interval(secs => $1)
        and (beat_at < now() - make_interval(secs => $2) or not ${isConnected})
     returning worker_id`,
    [GONE_SECONDS, SILENT_SECONDS],
  )
}

/**
 * Frees jobs whose worker nobody knows: it died before its first beat, or was forgotten while it slept. It is given the
 * longer time, from when it took them.
 */
function freeStrays(client: pg.Client): Promise<string[]> {
  return freeJobsOf(
    client,
    `select distinct j.locked_by as worker_id
       from jobs j
      where j.locked_by is not null and j.locked_at < now() - make_interval(secs => $1)
        and not exists (select from workers w where w.worker_id = j.locked_by)`,
    [SILENT_SECONDS],
  )
}

async function freeJobsOf(client: pg.Client, found: string, values: number[]): Promise<string[]> {
  const { rows } = await client.query<{ worker_id: string }>(
    `with found as materialized (${found}), freed as materialized (
       select free_jobs(array(select id from jobs where locked_by in (select worker_id from found)))
     )
     select f.worker_id
       from found f, freed`,
    values,
  )
  return rows.map(({ worker_id }) => worker_id)
}
