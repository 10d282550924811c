import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { createBatcher, NOTE_PACE, restAfter } from '../postgres/batcher.ts'
import type { Sql } from '../postgres/database.ts'
import { isConnectionLost } from '../postgres/failures.ts'
import type { Lane } from './jobs.ts'
import * as store from './lane-store.ts'

export type LaneOptions = {
  sql: Sql
  lane: Lane
  /** By which the lane's jobs are known to be in hand. */
  worker_id: string
  /** What carries out each kind of job, by its name. An exception puts the job back. */
  handlers: ReadonlyMap<string, (payload: unknown) => Promise<void>>
  /** Jobs of one line run at once. */
  concurrency: number
  /** Jobs of a line taken beyond those, so that the database is asked once for many. */
  ahead: number
  log: Log
}

export type RunningLane = {
  /** There may be new jobs: looks at once. */
  nudge(): void
  /** Gives back what was only taken, and resolves when the jobs under way have ended and it is written. */
  stop(): Promise<void>
}

type Line = {
  /** Taken and not begun. */
  waiting: store.TakenJob[]
  running: number
  /** Of those running, how many are each owner's, and how many operations they carry. */
  runningOf: Map<string, { jobs: number; weight: number }>
  /** There may be more due than we took, because the line was full or an owner had its share. */
  more: boolean
}

/** A job that is due later is only found by looking: this is how late it may be, in milliseconds. */
const POLL_MS = 250
/** Between two looks when nothing more was due at the first, so that jobs that come singly are taken together. */
const PACE = { ms: 20, most: 60 }
/**
 * Operations of one owner in a line in hand at once: enough for the batches behind to be full, and few enough that the next owner's
 * pass through them soon.
 */
const SHARE = 384
/** Milliseconds before a database that did not answer is asked again. */
const AWAY_MS = 1_000

/**
 * Runs the jobs of one lane until stopped. A database that goes away stops nothing: what could not be read or written is
 * tried until it can be, and a job that ended is noted as ended when the database is back.
 */
export function runLane({ sql, lane, worker_id, handlers, concurrency, ahead, log }: LaneOptions): RunningLane {
  const kinds = [...handlers.keys()]
  /** The lines of which there were jobs. None waits for another. */
  const lines = new Map<string, Line>()
  /** In hand: waiting, under way, or ended with the note of it not yet written. */
  const held = new Set<string>()
  const underWay = new Set<Promise<void>>()
  /** More jobs are due than we took, and there is room again. */
  let hurry = false
  /** We asked for jobs and do not know what we were given. */
  let astray = false
  let stopping = false
  let wake = () => {}

  /** Takes as many of each line as there is room for. */
  async function take(): Promise<void> {
    if (astray) await store.giveBackAllBut(sql, worker_id, [...held])
    astray = true
    const most = concurrency + ahead
    const rooms = Array.from(lines, ([line, { waiting, running }]) => {
      return { line, room: waiting.length <= ahead / 2 ? most - running - waiting.length : 0 }
    })
    // Of a full line there may always be more.
    for (const { line, room } of rooms) lines.get(line)!.more ||= room === 0
    const inHand = Array.from(lines, ([line, { waiting, runningOf }]) => heldOf(line, waiting, runningOf)).flat()
    const taken = await store.takeJobs(
      sql,
      { worker_id, lane, kinds },
      { rooms, held: inHand, room: most, share: SHARE },
    )
    astray = false
    const byLine = Map.groupBy(taken, ({ line }) => line)
    const atShare = new Set(inHand.filter((one) => hasItsShare(one, most)).map(({ line }) => line))
    for (const { line, room } of rooms) {
      lines.get(line)!.more = atShare.has(line) || isMore(byLine.get(line) ?? [], room)
    }
    for (const [name, jobs] of byLine) {
      const line: Line = lines.get(name) ?? { waiting: [], running: 0, runningOf: new Map(), more: isMore(jobs, most) }
      lines.set(name, line)
      for (const job of jobs) held.add(job.id)
      line.waiting.push(...jobs.sort((a, b) => a.run_at.getTime() - b.run_at.getTime()))
      start(line)
    }
  }

  function start(line: Line): void {
    while (line.running < concurrency && line.waiting.length > 0 && !stopping) {
      const run = runJob(line, takeNext(line)).finally(() => underWay.delete(run))
      underWay.add(run)
    }
  }

  async function runJob(line: Line, job: store.TakenJob): Promise<void> {
    line.running += 1
    const ofOwner = line.runningOf.get(job.owner) ?? { jobs: 0, weight: 0 }
    line.runningOf.set(job.owner, { jobs: ofOwner.jobs + 1, weight: ofOwner.weight + job.weight })
    let failure: store.Failure | null = null
    try {
      await handlers.get(job.kind)!(job.payload)
    } catch (error) {
      log.error({ error, job: job.kind }, 'a job failed and will be tried again')
      failure = { id: job.id, error: nameOf(error), ...retryOf(error, job.attempts) }
    }
    line.running -= 1
    const { jobs, weight } = line.runningOf.get(job.owner)!
    if (jobs === 1) line.runningOf.delete(job.owner)
    else line.runningOf.set(job.owner, { jobs: jobs - 1, weight: weight - job.weight })
    start(line)
    if (line.more && line.waiting.length <= ahead / 2) {
      // An owner whose share is in hand is not looked for after each of its jobs, but as soon as the pace of looks allows.
      if (line.running + line.waiting.length + ahead / 2 >= concurrency) hurry = true
      wake()
    }
    await writeEnd(job, failure)
    held.delete(job.id)
  }

  /** Until it is written the job stays in hand, so that nobody runs it again without need. */
  async function writeEnd(job: store.TakenJob, failure: store.Failure | null): Promise<void> {
    for (;;) {
      try {
        await (failure === null ? drop(job.id) : putBack(failure))
        return
      } catch (error) {
        log.warn({ error, job: job.kind }, 'the end of a job is not written yet')
        if (stopping) return
        await sleep(AWAY_MS)
      }
    }
  }

  const drop = createBatcher<string, void>({
    pace: NOTE_PACE,
    run: async (ids) => {
      await store.dropJobs(sql, worker_id, ids)
      return ids.map(() => undefined)
    },
  })
  const putBack = createBatcher<store.Failure, void>({
    run: async (failures) => {
      await store.putBackJobs(sql, worker_id, failures)
      return failures.map(() => undefined)
    },
  })

  async function look(): Promise<void> {
    let lookedAt = Number.NEGATIVE_INFINITY
    let took = 0
    while (!stopping) {
      const early = hurry ? 0 : lookedAt + restAfter(took, PACE) - performance.now()
      if (early > 0) await sleep(early)
      lookedAt = performance.now()
      hurry = false
      const nap = new Promise<void>((resolve) => {
        wake = resolve
      })
      const away = await take().then(
        () => false,
        (error) => {
          log.warn({ error }, 'jobs are not taken now')
          return true
        },
      )
      took = performance.now() - lookedAt
      if (away) await sleep(AWAY_MS)
      else await Promise.race([nap, sleep(POLL_MS)])
    }
  }

  const looking = look()
  return {
    nudge: () => wake(),
    async stop() {
      stopping = true
      wake()
      await looking
      const untouched = Array.from(lines.values(), ({ waiting }) => waiting.splice(0).map(({ id }) => id)).flat()
      for (const id of untouched) held.delete(id)
      await store.giveBackJobs(sql, worker_id, untouched).catch((error) => {
        log.warn({ error }, 'jobs taken ahead are not given back')
      })
      await Promise.all(underWay)
    },
  }
}

/** Whether more may be due than these, which were taken of a line with so much room. */
function isMore(jobs: readonly store.TakenJob[], room: number): boolean {
  return jobs.length >= room || jobs.some(({ more }) => more)
}

/** Whether an owner may take no more now. */
function hasItsShare({ owner, held, weight }: store.Held, most: number): boolean {
  return owner !== '' && (weight >= SHARE || held >= Math.ceil(most / 2))
}

/** How many jobs of a line each owner has in hand, running or taken. */
function heldOf(line: string, waiting: readonly store.TakenJob[], runningOf: Line['runningOf']): store.Held[] {
  const counts = new Map(runningOf)
  for (const { owner, weight } of waiting) {
    const before = counts.get(owner) ?? { jobs: 0, weight: 0 }
    counts.set(owner, { jobs: before.jobs + 1, weight: before.weight + weight })
  }
  return Array.from(counts, ([owner, { jobs, weight }]) => ({ line, owner, held: jobs, weight }))
}

/** Takes the job whose turn it is: of the owner with the fewest running, the one due longest. */
function takeNext({ waiting, runningOf }: Line): store.TakenJob {
  const running = ({ owner }: store.TakenJob): number => runningOf.get(owner)?.jobs ?? 0
  let next = 0
  for (let at = 1; at < waiting.length && running(waiting[next]!) > 0; at += 1) {
    if (running(waiting[at]!) < running(waiting[next]!)) next = at
  }
  return waiting.splice(next, 1)[0]!
}

/** When a job runs again, in seconds. That the database was away is not the job's fault and not counted. */
function retryOf(error: unknown, attempts: number): { delay_seconds: number; counts: boolean } {
  if (isConnectionLost(error)) return { delay_seconds: 1, counts: false }
  return { delay_seconds: Math.exp(Math.min(attempts, 10)), counts: true }
}

/** Kind and code only: a message may quote what it is about. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error ? `${error.name} ${error.code}` : error.name
}
