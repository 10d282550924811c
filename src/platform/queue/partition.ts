import type { Held, TakenJob } from './queue-store.ts'

/**
 * The most operations of one owner that a partition holds at once: enough to fill the batches behind it, and few enough that the next owner
 * waits only briefly.
 */
export const SHARE = 384

/** The most jobs that one partition holds at once. */
export type PartitionSize = {
  /** Jobs that run at once. */
  concurrency: number
  /** Further jobs claimed in advance, so that one query claims many. */
  ahead: number
}

/** The jobs of one partition that this process holds: waiting or running. */
export class QueuePartition {
  readonly #name: string
  readonly #size: PartitionSize
  /** Claimed jobs that have not begun. */
  #waiting: TakenJob[] = []
  #running = 0
  /** The running jobs of each owner, and their operations. */
  readonly #runningOf = new Map<string, { jobs: number; weight: number }>()
  /** Whether more jobs may be due, because the partition was full or an owner had its share. */
  #more = false

  constructor(name: string, size: PartitionSize) {
    this.#name = name
    this.#size = size
  }

  /** The number of jobs to claim now: none while half of `ahead` still waits, so that one query claims many. */
  slots(): number {
    const { concurrency, ahead } = this.#size
    return this.#hasFew() ? concurrency + ahead - this.#running - this.#waiting.length : 0
  }

  /** The held jobs of each owner, running or waiting. */
  held(): Held[] {
    const counts = new Map(this.#runningOf)
    for (const { owner, weight } of this.#waiting) {
      const before = counts.get(owner) ?? { jobs: 0, weight: 0 }
      counts.set(owner, { jobs: before.jobs + 1, weight: before.weight + weight })
    }
    return Array.from(counts, ([owner, { jobs, weight }]) => ({ partition_key: this.#name, owner, held: jobs, weight }))
  }

  /** The arguments of this partition's next claim. After a claim of a full partition, more jobs may always be due. */
  ask(): { slots: number; held: Held[] } {
    const slots = this.slots()
    if (slots === 0) this.#more = true
    return { slots, held: this.held() }
  }

  /** Adds the jobs that a claim with the arguments `asked` returned. */
  add(asked: { slots: number; held: readonly Held[] }, jobs: readonly TakenJob[]): void {
    const most = this.#size.concurrency + this.#size.ahead
    const atShare = asked.held.some(
      ({ owner, held, weight }) => owner !== '' && (weight >= SHARE || held >= Math.ceil(most / 2)),
    )
    this.#more = atShare || jobs.length >= asked.slots || jobs.some(({ more }) => more)
    this.#waiting.push(...jobs.toSorted((a, b) => a.run_at.getTime() - b.run_at.getTime()))
  }

  /** Begins the next job: of the owner with the fewest running jobs, the one due longest. Null if none may run now. */
  begin(): TakenJob | null {
    if (this.#running >= this.#size.concurrency || this.#waiting.length === 0) return null
    const running = ({ owner }: TakenJob): number => this.#runningOf.get(owner)?.jobs ?? 0
    let next = 0
    for (let at = 1; at < this.#waiting.length && running(this.#waiting[next]!) > 0; at += 1) {
      if (running(this.#waiting[at]!) < running(this.#waiting[next]!)) next = at
    }
    const job = this.#waiting.splice(next, 1)[0]!
    this.#count(job, 1)
    return job
  }

  end(job: TakenJob): void {
    this.#count(job, -1)
  }

  #count({ owner, weight }: TakenJob, by: 1 | -1): void {
    this.#running += by
    const before = this.#runningOf.get(owner) ?? { jobs: 0, weight: 0 }
    const after = { jobs: before.jobs + by, weight: before.weight + by * weight }
    if (after.jobs === 0) this.#runningOf.delete(owner)
    else this.#runningOf.set(owner, after)
  }

  /** The time to poll for more jobs: `now` or with the `next` poll. Null if there is no room, or no more jobs are due. */
  wants(): 'now' | 'next' | null {
    if (!this.#more || !this.#hasFew()) return null
    // For an owner that had its share, the queue polls after the interval, not after each of its jobs.
    const { concurrency, ahead } = this.#size
    return this.#running + this.#waiting.length + ahead / 2 >= concurrency ? 'now' : 'next'
  }

  /** Removes and returns the jobs that have not begun. */
  leave(): TakenJob[] {
    return this.#waiting.splice(0)
  }

  #hasFew(): boolean {
    return this.#waiting.length <= this.#size.ahead / 2
  }
}
