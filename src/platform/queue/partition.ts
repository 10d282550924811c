import type { Held, TakenJob } from './queue-store.ts'

/**
 * Operations of one owner in a partition in hand at once: enough for the batches behind to be full, and few enough that the next owner's
 * pass through them soon.
 */
export const SHARE = 384

/** How many jobs one partition may have at once. */
export type PartitionSize = {
  /** Run at once. */
  concurrency: number
  /** Taken beyond those, so that the database is asked once for many. */
  ahead: number
}

/** The jobs of one partition that this process has in hand: taken, or running. */
export class QueuePartition {
  readonly #name: string
  readonly #size: PartitionSize
  /** Taken and not begun. */
  #waiting: TakenJob[] = []
  #running = 0
  /** Of those running, how many are each owner's, and how many operations they carry. */
  readonly #runningOf = new Map<string, { jobs: number; weight: number }>()
  /** There may be more due than we took, because the partition was full or an owner had its share. */
  #more = false

  constructor(name: string, size: PartitionSize) {
    this.#name = name
    this.#size = size
  }

  /** Jobs to take now: none while half of those taken ahead still wait, so that many are taken at once. */
  slots(): number {
    const { concurrency, ahead } = this.#size
    return this.#hasFew() ? concurrency + ahead - this.#running - this.#waiting.length : 0
  }

  /** How many jobs each owner has in hand, running or taken. */
  held(): Held[] {
    const counts = new Map(this.#runningOf)
    for (const { owner, weight } of this.#waiting) {
      const before = counts.get(owner) ?? { jobs: 0, weight: 0 }
      counts.set(owner, { jobs: before.jobs + 1, weight: before.weight + weight })
    }
    return Array.from(counts, ([owner, { jobs, weight }]) => ({ partition_key: this.#name, owner, held: jobs, weight }))
  }

  /** The claim of this partition on due jobs. Of a full partition there may always be more. */
  ask(): { slots: number; held: Held[] } {
    const slots = this.slots()
    if (slots === 0) this.#more = true
    return { slots, held: this.held() }
  }

  /** Adds the jobs that were taken when it asked for as much. */
  add(asked: { slots: number; held: readonly Held[] }, jobs: readonly TakenJob[]): void {
    const most = this.#size.concurrency + this.#size.ahead
    const atShare = asked.held.some(
      ({ owner, held, weight }) => owner !== '' && (weight >= SHARE || held >= Math.ceil(most / 2)),
    )
    this.#more = atShare || jobs.length >= asked.slots || jobs.some(({ more }) => more)
    this.#waiting.push(...jobs.toSorted((a, b) => a.run_at.getTime() - b.run_at.getTime()))
  }

  /** Begins the job whose turn it is, of the owner with the fewest running the one due longest; null: none may run now. */
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

  /** When to look for more, of which there may be some and for which there is room: `now`, or at the `next` look. Null: not at all. */
  wants(): 'now' | 'next' | null {
    if (!this.#more || !this.#hasFew()) return null
    // An owner whose share is in hand is not looked for after each of its jobs, but as soon as the interval of looks allows.
    const { concurrency, ahead } = this.#size
    return this.#running + this.#waiting.length + ahead / 2 >= concurrency ? 'now' : 'next'
  }

  /** Empties it of what did not begin, and returns that. */
  leave(): TakenJob[] {
    return this.#waiting.splice(0)
  }

  #hasFew(): boolean {
    return this.#waiting.length <= this.#size.ahead / 2
  }
}
