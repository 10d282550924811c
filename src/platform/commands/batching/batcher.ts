import type { OwnerLocks } from '../../owner-locks.ts'
import { type Moves, StateMachine } from '../../state-machine.ts'
import { BatchLocks } from './batch-locks.ts'
import { type Batching, intervalAfter, MIN_BATCH } from './batching.ts'
import { type Call, runCalls } from './calls.ts'
import { takeInTurns } from './take-in-turns.ts'

/** Thrown when the queue is full. The caller answers a fault, and the request may be repeated. */
export class Overloaded extends Error {
  override name = 'Overloaded'
}

/** Rejects an item that was not begun because its caller had already been answered. Nobody waits for this error. */
export class NotWanted extends Error {
  override name = 'NotWanted'
}

export type BatcherOptions<Item, Result> = {
  /**
   * Does the work of all items at once and returns one result for each, in order. A refusal is a result, not an
   * exception. An exception concerns the whole work; each item is then run alone, so that one never fails the others.
   */
  run(items: Item[]): Promise<Result[]>
  /**
   * The owner of an item: a merchant in one mode.
   * - Owners take turns. When more items wait than one batch holds, each owner gets one item in before any gets a
   *   second, so a thousand items of one owner delay nobody else.
   * - When a lock times out, owners are tried once more, separately and at the same time. Only the owner whose lock is
   *   held waits again and fails. Trying item by item would make them wait in a row, with everybody behind them.
   */
  owner?: ((item: Item) => string) | undefined
  /**
   * The owner locks, which a batch holds while it runs. Items whose owner is locked by somebody else wait, without
   * delaying other items.
   */
  locks?: OwnerLocks
  /** The party that takes turns, when it is not the owner of the locks. */
  turnOf?: ((item: Item) => string) | undefined
  /**
   * Whether somebody still waits for an item. Checked when its turn comes; an item whose caller was answered is not
   * begun.
   */
  isWanted?: (item: Item) => boolean
  /**
   * A key that all items of a batch must share, such as the merchant when merchants' rows are spread over several
   * machines. Items of one key are never in two batches at once. Keys take turns, so that a busy key does not delay
   * others. When absent, a batch takes any waiting items.
   */
  key?: (item: Item) => string | number
  /** Most items in a batch. */
  size?: number | undefined
  /** Most calls of `run` at once. */
  concurrency?: number | undefined
  /**
   * Most waiting items; beyond it a call throws `Overloaded` at once. Infinite for work that its source already bounds.
   */
  waiting?: number
  /** When absent, a batch never waits for further items. */
  batching?: Batching | undefined
}

/**
 * Gathers the calls that arrive while the previous statement runs, and runs them together. A call to an idle batcher
 * starts at once, so an idle service adds no delay. A busy service pays for each statement, commit and flush to disk
 * once for all waiting callers.
 *
 * With `concurrency` 1, a `batching` and no keys, the batcher works by halves, because answered callers call again: the
 * database works for one half of the callers while we answer the other half and read their next calls. A batch takes at
 * most its half, so that neither half waits for the other. With fewer than twice `enough` callers there are no halves.
 */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): (item: Item) => Promise<Result> {
  const batcher = new Batcher(options)
  return (item) => new Promise<Result>((resolve, reject) => batcher.add({ item, resolve, reject }))
}

/**
 * When the next batch starts.
 * - `scheduled`: at the end of this turn of the event loop.
 * - `delayed`: when the time for the batch to fill is over.
 * - `idle`: with the next call, or when a batch ends.
 */
const startMoves: Moves<'idle' | 'scheduled' | 'delayed', 'called' | 'turn_ended' | 'started' | 'must_wait'> = {
  idle: { called: 'scheduled', started: 'idle', must_wait: 'delayed' },
  // A batch that ends meanwhile starts another. The end of the turn still comes, so no delay is needed.
  scheduled: { turn_ended: 'idle', started: 'scheduled', must_wait: 'scheduled' },
  // The delay runs until a start ends it.
  delayed: { called: 'scheduled', started: 'idle' },
}

type Key = string | number

class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>
  readonly #turnOf: ((item: Item) => string) | undefined
  readonly #size: number
  readonly #concurrency: number
  readonly #waitingMax: number
  /** The least number of calls in one half; infinite when there are no halves. */
  readonly #halfMin: number
  readonly #locks: BatchLocks<Item> | null
  readonly #next = new StateMachine(startMoves, 'idle')
  /** The waiting calls by key. The key whose turn is next comes first. */
  readonly #waiting = new Map<Key, Call<Item, Result>[]>()
  #waitingCount = 0
  /** Keys with a batch in progress. */
  readonly #busy = new Set<Key>()
  #running = 0
  /** Number of calls in the last batch. `#beforeCount`: in the one before it. */
  #lastCount = 0
  #beforeCount = 0
  #startedAt = Number.NEGATIVE_INFINITY
  /** Duration in milliseconds of the batch that ended last. */
  #took = 0
  #timer: NodeJS.Timeout | undefined
  readonly #start = () => this.#startBatches()

  constructor(options: BatcherOptions<Item, Result>) {
    const { owner, locks, key, batching, concurrency = 1 } = options
    this.#options = options
    this.#turnOf = options.turnOf ?? owner
    this.#size = options.size ?? 256
    this.#concurrency = concurrency
    this.#waitingMax = options.waiting ?? 10_000
    this.#halfMin =
      concurrency === 1 && key === undefined && batching !== undefined ? batching.enough : Number.POSITIVE_INFINITY
    this.#locks =
      locks === undefined || owner === undefined
        ? null
        : new BatchLocks(locks, owner, () => queueMicrotask(this.#start))
  }

  add(call: Call<Item, Result>): void {
    if (this.#waitingCount >= this.#waitingMax) {
      call.reject(new Overloaded('Too many calls wait for the database.'))
      return
    }
    const { key } = this.#options
    const of = key === undefined ? '' : key(call.item)
    const calls = this.#waiting.get(of)
    if (calls === undefined) this.#waiting.set(of, [call])
    else calls.push(call)
    this.#waitingCount += 1
    // Wait for one turn of the event loop, so that requests of the same packet share a batch. By halves, the first half
    // starts.
    if (this.#halfIsThere()) this.#startBatches()
    else if (this.#running < this.#concurrency && !this.#next.is('scheduled')) {
      this.#next.move('called')
      setImmediate(() => {
        this.#next.move('turn_ended')
        this.#startBatches()
      })
    }
  }

  #startBatches(): void {
    clearTimeout(this.#timer)
    this.#next.move('started')
    if (this.#waitingCount === 0) {
      this.#locks?.forgoUnwanted(this.#waiting)
      return
    }
    const wait = this.#running < this.#concurrency ? this.#delay() : 0
    if (wait > 0) {
      this.#next.move('must_wait')
      if (this.#next.is('delayed')) this.#timer = setTimeout(this.#start, wait)
      return
    }
    while (this.#running < this.#concurrency) {
      const next = this.#takeNext()
      if (next === null) return
      this.#run(next.of, next.calls)
    }
  }

  #run(of: Key, calls: Call<Item, Result>[]): void {
    const began = performance.now()
    this.#startedAt = began
    this.#running += 1
    this.#busy.add(of)
    void runCalls(this.#options, calls).then((answer) => {
      this.#took = performance.now() - began
      this.#running -= 1
      this.#busy.delete(of)
      this.#locks?.release(calls)
      // Start the next batch before writing the answers, so that the database works meanwhile.
      this.#startBatches()
      setImmediate(answer)
    })
  }

  /** Takes the calls of the next batch, with their key. Null when none can run now. */
  #takeNext(): { of: Key; calls: Call<Item, Result>[] } | null {
    const blocked = new Map<Key, Call<Item, Result>[]>()
    let next: { of: Key; calls: Call<Item, Result>[] } | null = null
    // This skips at most as many keys as there are batches in progress.
    for (const [of, calls] of this.#waiting) {
      if (this.#options.key !== undefined && this.#busy.has(of)) continue
      this.#waiting.delete(of)
      const wanted = this.#dropUnwanted(calls)
      const [chosen, left] = takeInTurns(wanted, Math.min(this.#size, this.#share(wanted.length)), this.#turnOf)
      const taken = this.#locks === null ? chosen : this.#locks.take(chosen)
      if (taken.length < chosen.length) left.unshift(...chosen.filter((call) => !taken.includes(call)))
      // Items for which this batch has no space go to the end of the queue.
      if (left.length > 0) (taken.length > 0 ? this.#waiting : blocked).set(of, left)
      if (taken.length === 0) continue
      this.#waitingCount -= taken.length
      this.#beforeCount = this.#lastCount
      this.#lastCount = taken.length
      next = { of, calls: taken }
      break
    }
    for (const [of, calls] of blocked) this.#waiting.set(of, calls)
    this.#locks?.forgoUnwanted(this.#waiting)
    return next
  }

  /** Removes and rejects the calls that nobody waits for any more. */
  #dropUnwanted(calls: Call<Item, Result>[]): Call<Item, Result>[] {
    const { isWanted } = this.#options
    if (isWanted === undefined || calls.every(({ item }) => isWanted(item))) return calls
    const { wanted = [], dropped = [] } = Object.groupBy(calls, ({ item }) => (isWanted(item) ? 'wanted' : 'dropped'))
    this.#waitingCount -= dropped.length
    for (const { reject } of dropped) reject(new NotWanted('The caller was answered before the work began.'))
    return wanted
  }

  /**
   * How many of the waiting calls the next batch may take. The callers of the last batch will call again while this one
   * runs.
   */
  #share(count: number): number {
    const callers = count + this.#lastCount
    return callers >= 2 * this.#halfMin ? Math.ceil(callers / 2) : this.#size
  }

  /**
   * Whether half of the callers wait while no batch runs: as many as in the last two batches on average. The calls of
   * the others are still to be read, and the database would be idle meanwhile.
   */
  #halfIsThere(): boolean {
    const half = (this.#lastCount + this.#beforeCount) / 2
    return this.#running === 0 && half >= this.#halfMin && this.#waitingCount >= half
  }

  /** Milliseconds until the next batch may start, so that it can fill. */
  #delay(): number {
    const { batching, key } = this.#options
    if (batching === undefined || this.#free() >= batching.enough) return 0
    const interval =
      key === undefined && this.#lastCount >= MIN_BATCH ? intervalAfter(this.#took, batching) : batching.ms
    return Math.max(0, this.#startedAt + interval - performance.now())
  }

  /** Number of waiting items whose key is not busy. */
  #free(): number {
    if (this.#options.key === undefined) return this.#waitingCount
    let count = this.#waitingCount
    for (const of of this.#busy) count -= this.#waiting.get(of)?.length ?? 0
    return count
  }
}

/**
 * Batches in progress at once when each holds one merchant's items. Fewer than the role's connections, so that reads get
 * one too.
 */
const MERCHANTS_AT_ONCE = 6

/**
 * Options, to spread over others, that keep the rows of two merchants out of one batch when merchants' rows are spread
 * over machines (`SHARDED`): a transaction then touches one machine. Empty otherwise.
 */
export function ofOneMerchant<Item>(
  { sharded }: { readonly sharded: boolean },
  tenantOf: (item: Item) => { readonly merchant_id: number },
): Pick<BatcherOptions<Item, never>, 'key' | 'concurrency'> {
  return sharded ? { key: (item) => tenantOf(item).merchant_id, concurrency: MERCHANTS_AT_ONCE } : {}
}
