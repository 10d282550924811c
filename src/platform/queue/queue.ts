import { setTimeout as sleep } from 'node:timers/promises'
import { createBatcher } from '../commands/batching/batcher.ts'
import { ACK_BATCHING, intervalAfter } from '../commands/batching/batching.ts'
import type { Log } from '../log.ts'
import type { Sql } from '../postgres/database.ts'
import { isConnectionLost } from '../postgres/failures.ts'
import { StateMachine } from '../state-machine.ts'
import type { Queue } from './jobs.ts'
import { QueuePartition, SHARE } from './partition.ts'
import { modes } from './queue-modes.ts'
import * as store from './queue-store.ts'

export type QueueOptions = {
  sql: Sql
  queue: Queue
  /** The name under which this queue holds its jobs. */
  worker_id: string
  /** The handler of each kind of job, by its name. An exception puts the job back. */
  handlers: ReadonlyMap<string, (payload: unknown) => Promise<void>>
  /** The most jobs of one partition that run at once. */
  concurrency: number
  /** Further jobs of a partition claimed in advance, so that one query claims many. */
  ahead: number
  /** Whether it may claim jobs now; otherwise it asks again in a second. Absent: always. */
  mayClaim?: () => boolean
  log: Log
}

export type RunningQueue = {
  /** Polls at once, because there may be new jobs. */
  wake(): void
  /** Releases the claimed jobs that have not begun. Resolves when the running jobs have ended and their ends are written. */
  stop(): Promise<void>
}

/** Milliseconds between polls: the delay of a job that falls due later or comes from another process. */
const POLL_MS = 50
/** Milliseconds between polls after `IDLE_AFTER_MS` without jobs. A job that this process adds always wakes the queue at once. */
const IDLE_POLL_MS = 250
const IDLE_AFTER_MS = 5_000
/** The pause after a poll that found all due jobs, so that one poll claims several jobs that arrive singly. */
const LOOKS = { ms: 20, most: 60 }
/** Milliseconds between tries while the database does not answer. */
const AWAY_MS = 1_000

/**
 * Runs the jobs of one queue until stopped. While the database is away the queue repeats its reads and writes, and records
 * ended jobs once the database is back.
 */
export function runQueue(options: QueueOptions): RunningQueue {
  const running = new QueueRun(options)
  return { wake: () => running.tell('called'), stop: () => running.stop() }
}

class QueueRun {
  readonly #options: QueueOptions
  readonly #mode = new StateMachine(modes, 'resting')
  /** The partitions that have had jobs. None waits for another. */
  readonly #partitions = new Map<string, QueuePartition>()
  /** The ids of held jobs: waiting, running, or ended with the end not yet written. */
  readonly #held = new Set<string>()
  readonly #underWay = new Set<Promise<void>>()
  readonly #drop: (id: string) => Promise<void>
  readonly #putBack: (failure: store.Failure) => Promise<void>
  readonly #looking: Promise<void>
  /** The start of the last poll, and its milliseconds. */
  #lookedAt = Number.NEGATIVE_INFINITY
  #took = 0
  /** The time when the queue last claimed a job or was woken. */
  #busyAt = performance.now()
  #endNap = () => {}

  constructor(options: QueueOptions) {
    const { sql, worker_id } = options
    this.#options = options
    this.#drop = createBatcher<string, void>({
      batching: ACK_BATCHING,
      run: async (ids) => {
        await store.dropJobs(sql, worker_id, ids)
        return ids.map(() => undefined)
      },
    })
    this.#putBack = createBatcher<store.Failure, void>({
      run: async (failures) => {
        await store.putBackJobs(sql, worker_id, failures)
        return failures.map(() => undefined)
      },
    })
    this.#looking = this.#look()
  }

  /** Handles a trigger from outside the loop, and ends a nap. */
  tell(trigger: 'called' | 'short' | 'stop'): void {
    this.#busyAt = performance.now()
    this.#mode.move(trigger)
    this.#endNap()
  }

  async stop(): Promise<void> {
    const { sql, worker_id, log } = this.#options
    this.tell('stop')
    await this.#looking
    const untouched = this.#partitions
      .values()
      .flatMap((partition) => partition.leave())
      .map(({ id }) => id)
      .toArray()
    for (const id of untouched) this.#held.delete(id)
    await store.giveBackJobs(sql, worker_id, untouched).catch((error) => {
      log.warn({ error }, 'queue: releasing jobs failed, they wait for another worker')
    })
    await Promise.all(this.#underWay)
  }

  async #look(): Promise<void> {
    while (!this.#mode.is('stopping')) {
      if (this.#mode.is('resting')) await this.#rest()
      else if (this.#mode.is('napping')) await this.#nap()
      else if (this.#mode.is('claimOutcomeUnknown')) await this.#clear()
      else await this.#take()
    }
  }

  async #rest(): Promise<void> {
    const early = this.#lookedAt + intervalAfter(this.#took, LOOKS) - performance.now()
    if (early > 0) await sleep(early)
    this.#mode.move('time')
  }

  async #nap(): Promise<void> {
    const idle = performance.now() - this.#busyAt > IDLE_AFTER_MS
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, idle ? IDLE_POLL_MS : POLL_MS)
      this.#endNap = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#endNap = () => {}
    if (this.#mode.is('napping')) this.#mode.move('time')
  }

  /** Once the database answers again, releases the jobs claimed under our name that this process does not know. */
  async #clear(): Promise<void> {
    const { sql, worker_id, log } = this.#options
    await sleep(AWAY_MS)
    if (this.#mode.is('stopping')) return
    try {
      await store.giveBackAllBut(sql, worker_id, [...this.#held])
      this.#mode.move('cleared')
    } catch (error) {
      log.warn({ error }, 'queue: releasing jobs claimed without an answer failed, retrying')
    }
  }

  /** Claims as many jobs of each partition as it has room for. */
  async #take(): Promise<void> {
    const { sql, queue, worker_id, handlers, mayClaim, log } = this.#options
    if (mayClaim?.() === false) {
      await sleep(AWAY_MS)
      this.#mode.move('answered')
      return
    }
    const asked = new Map(Array.from(this.#partitions, ([partition, jobs]) => [partition, jobs.ask()]))
    this.#lookedAt = performance.now()
    try {
      const taken = await store.takeJobs(
        sql,
        { worker_id, queue, kinds: [...handlers.keys()] },
        {
          freeSlots: Array.from(asked, ([partition_key, { slots }]) => ({ partition_key, slots })),
          held: [...asked.values()].flatMap(({ held }) => held),
          slots: this.#most(),
          share: SHARE,
        },
      )
      if (taken.length > 0) this.#busyAt = performance.now()
      this.#add(asked, taken)
      this.#mode.move('answered')
    } catch (error) {
      log.warn({ error }, 'queue: claiming jobs failed, retrying')
      this.#mode.move('not_answered')
    }
    this.#took = performance.now() - this.#lookedAt
  }

  /** The most jobs that a partition holds. */
  #most(): number {
    return this.#options.concurrency + this.#options.ahead
  }

  #add(asked: ReadonlyMap<string, ReturnType<QueuePartition['ask']>>, taken: readonly store.TakenJob[]): void {
    // A job that was freed and that we claimed again is already running here.
    const fresh = taken.filter(({ id }) => !this.#held.has(id))
    for (const { id } of fresh) this.#held.add(id)
    const byPartition = Map.groupBy(fresh, ({ partition_key }) => partition_key)
    for (const name of new Set([...asked.keys(), ...byPartition.keys()])) {
      const partition = this.#partitions.get(name) ?? new QueuePartition(name, this.#options)
      this.#partitions.set(name, partition)
      partition.add(asked.get(name) ?? { slots: this.#most(), held: [] }, byPartition.get(name) ?? [])
      this.#start(partition)
    }
  }

  #start(partition: QueuePartition): void {
    while (!this.#mode.is('stopping')) {
      const job = partition.begin()
      if (job === null) return
      const run = this.#run(partition, job).finally(() => this.#underWay.delete(run))
      this.#underWay.add(run)
    }
  }

  async #run(partition: QueuePartition, job: store.TakenJob): Promise<void> {
    const { handlers, log } = this.#options
    let failure: store.Failure | null = null
    try {
      await handlers.get(job.kind)!(job.payload)
    } catch (error) {
      log.error({ error, job: job.kind }, 'queue: job failed, retrying')
      failure = { id: job.id, error: nameOf(error), ...retryOf(error, job.attempts) }
    }
    partition.end(job)
    this.#start(partition)
    const wants = partition.wants()
    if (wants !== null) this.tell(wants === 'now' ? 'short' : 'called')
    await this.#writeEnd(job, failure)
    this.#held.delete(job.id)
  }

  /** The job stays held until its end is written, so that no process runs it again without need. */
  async #writeEnd(job: store.TakenJob, failure: store.Failure | null): Promise<void> {
    for (;;) {
      try {
        await (failure === null ? this.#drop(job.id) : this.#putBack(failure))
        return
      } catch (error) {
        this.#options.log.warn({ error, job: job.kind }, 'queue: acknowledging job failed, retrying')
        if (this.#mode.is('stopping')) return
        await sleep(AWAY_MS)
      }
    }
  }
}

/** Seconds until a failed job runs again. A failure of the database is not the job's fault and does not count as a try. */
function retryOf(error: unknown, attempts: number): { delay_seconds: number; counts: boolean } {
  if (isConnectionLost(error)) return { delay_seconds: 1, counts: false }
  return { delay_seconds: Math.exp(Math.min(attempts, 10)), counts: true }
}

/** Returns only the name and code of an error, because its message could quote a secret or a number. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error ? `${error.name} ${error.code}` : error.name
}
