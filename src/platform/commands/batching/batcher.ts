import type { OwnerLocks } from '../../owner-locks.ts'
import { type Moves, StateMachine } from '../../state-machine.ts'
import { BatchLocks } from './batch-locks.ts'
import { type Batching, intervalAfter, MIN_BATCH } from './batching.ts'
import { type Call, runCalls } from './calls.ts'
import { takeInTurns } from './take-in-turns.ts'

/** The queue is full. The request is answered as a fault and may be repeated. */
export class Overloaded extends Error {
  override name = 'Overloaded'
}

/** An item was not begun because its caller had been answered already. Nobody waits for this error. */
export class NotWanted extends Error {
  override name = 'NotWanted'
}

export type BatcherOptions<Item, Result> = {
  /**
   * Does the work of all items in one go and answers in their order. A refusal is a result, not an exception. An exception
   * concerns the work as a whole, and then each item is run alone, so that one never fails its neighbours.
   */
  run(items: Item[]): Promise<Result[]>
  /**
   * The owner of an item: a merchant in a mode. Owners take turns: when more items wait than one batch carries, each owner has one in
   * it before any has a second, so a thousand items of one owner hold up nobody else's. And when a lock is not had in time,
   * owners are tried once more, apart and all at once: only the one whose lock is held waits for it again, and fails. One
   * by one its items would wait in a row, and everybody behind them.
   */
  owner?: ((item: Item) => string) | undefined
  /**
   * Locks of owners, which a batch holds while it is under way. The items of an owner whose lock somebody else holds wait, and keep no
   * others from travelling.
   */
  locks?: OwnerLocks
  /** The party that takes turns, where that is another than the owner of locks; absent: owners do. */
  turnOf?: ((item: Item) => string) | undefined
  /** Whether somebody still waits for an item. Asked when its turn comes: one whose caller was answered is not begun. */
  isWanted?: (item: Item) => boolean
  /**
   * The key that all items of a batch share, such as the merchant when each has its rows on one of several machines. Those
   * of one key are never in two batches at once; keys take turns, so that a busy one holds up no other. Absent: whatever
   * waits travels together.
   */
  key?: (item: Item) => string | number
  /** Items handed over together at most. */
  size?: number | undefined
  /** Calls of `run` under way at once. */
  concurrency?: number | undefined
  /** Items waiting at most; beyond it `Overloaded` is thrown at once. Infinite for work that is bounded where it comes from. */
  waiting?: number
  /** Absent: a batch never waits for items that have not come yet. */
  batching?: Batching | undefined
}

/**
 * Gathers the calls that arrive while the previous statement runs and hands them over together. A call to an idle
 * batcher starts at once, so an idle service adds no delay, and a busy one pays each statement, each commit and each flush
 * to disk once for everybody who waited.
 *
 * With one batch under way at a time, a batching and no keys it works by halves, because callers call again once they are answered: the database works for
 * one half of them while we answer the other and read what they ask next. A batch takes no more than its half, so that neither
 * waits for the other. With less than twice `enough` callers there are no halves.
 */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): (item: Item) => Promise<Result> {
  const batcher = new Batcher(options)
  return (item) => new Promise<Result>((resolve, reject) => batcher.add({ item, resolve, reject }))
}

/**
 * When batches start next. `scheduled`: at the end of this turn of the event loop. `delayed`: once the time for a batch to fill is over.
 * `idle`: with the next call, or with the end of a batch.
 */
const startMoves: Moves<'idle' | 'scheduled' | 'delayed', 'called' | 'turn_ended' | 'started' | 'must_wait'> = {
  idle: { called: 'scheduled', started: 'idle', must_wait: 'delayed' },
  // A batch that ends meanwhile starts another. The end of the turn comes all the same, and no time has to be waited for.
  scheduled: { turn_ended: 'idle', started: 'scheduled', must_wait: 'scheduled' },
  // The time goes on until a start ends it.
  delayed: { called: 'scheduled', started: 'idle' },
}

type Key = string | number

class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>
  readonly #turnOf: ((item: Item) => string) | undefined
  readonly #size: number
  readonly #concurrency: number
  readonly #waitingMax: number
  /** Calls in one half at least; infinite where there are no halves. */
  readonly #halfMin: number
  readonly #locks: BatchLocks<Item> | null
  readonly #next = new StateMachine(startMoves, 'idle')
  /** The waiting calls, by key; the key whose turn is next comes first. */
  readonly #waiting = new Map<Key, Call<Item, Result>[]>()
  #waitingCount = 0
  /** Keys of which a batch is under way. */
  readonly #busy = new Set<Key>()
  #running = 0
  /** How many went with the last batch, and with the one before. */
  #lastCount = 0
  #beforeCount = 0
  #startedAt = Number.NEGATIVE_INFINITY
  /** Milliseconds that the last batch to end took. */
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
      call.reject(new Overloaded('Too many calls are waiting for the database.'))
      return
    }
    const { key } = this.#options
    const of = key === undefined ? '' : key(call.item)
    const calls = this.#waiting.get(of)
    if (calls === undefined) this.#waiting.set(of, [call])
    else calls.push(call)
    this.#waitingCount += 1
    // One turn of the event loop: requests that arrived in the same packet travel together, by halves the first half of them.
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
      // The next batch starts before the answers are written, so that the database works meanwhile.
      this.#startBatches()
      setImmediate(answer)
    })
  }

  /** The calls of the next batch, with their key; null: there are none, or those there are cannot travel now. */
  #takeNext(): { of: Key; calls: Call<Item, Result>[] } | null {
    const blocked = new Map<Key, Call<Item, Result>[]>()
    let next: { of: Key; calls: Call<Item, Result>[] } | null = null
    // At most as many keys are passed over as batches are under way.
    for (const [of, calls] of this.#waiting) {
      if (this.#options.key !== undefined && this.#busy.has(of)) continue
      this.#waiting.delete(of)
      const wanted = this.#dropUnwanted(calls)
      const [chosen, left] = takeInTurns(wanted, Math.min(this.#size, this.#share(wanted.length)), this.#turnOf)
      const taken = this.#locks === null ? chosen : this.#locks.take(chosen)
      if (taken.length < chosen.length) left.unshift(...chosen.filter((call) => !taken.includes(call)))
      // The items that this batch has no space for go behind everybody else's.
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

  /** Leaves out, and refuses, the calls that nobody waits for any more. */
  #dropUnwanted(calls: Call<Item, Result>[]): Call<Item, Result>[] {
    const { isWanted } = this.#options
    if (isWanted === undefined || calls.every(({ item }) => isWanted(item))) return calls
    const { wanted = [], dropped = [] } = Object.groupBy(calls, ({ item }) => (isWanted(item) ? 'wanted' : 'dropped'))
    this.#waitingCount -= dropped.length
    for (const { reject } of dropped) reject(new NotWanted('The caller was answered before the work began.'))
    return wanted
  }

  /** How many of those that wait may travel now: those of the last batch, answered meanwhile, come again while these are under way. */
  #share(count: number): number {
    const callers = count + this.#lastCount
    return callers >= 2 * this.#halfMin ? Math.ceil(callers / 2) : this.#size
  }

  /**
   * Whether half of the callers wait while nothing is under way, as many as went with the last two batches. The others are still to be
   * read, and the database would be idle meanwhile.
   */
  #halfIsThere(): boolean {
    const half = (this.#lastCount + this.#beforeCount) / 2
    return this.#running === 0 && half >= this.#halfMin && this.#waitingCount >= half
  }

  /** Milliseconds that what waits still waits for the batch to fill. */
  #delay(): number {
    const { batching, key } = this.#options
    if (batching === undefined || this.#free() >= batching.enough) return 0
    const interval =
      key === undefined && this.#lastCount >= MIN_BATCH ? intervalAfter(this.#took, batching) : batching.ms
    return Math.max(0, this.#startedAt + interval - performance.now())
  }

  /** Items that wait, but for those whose key is busy. */
  #free(): number {
    if (this.#options.key === undefined) return this.#waitingCount
    let count = this.#waitingCount
    for (const of of this.#busy) count -= this.#waiting.get(of)?.length ?? 0
    return count
  }
}

/** Batches under way at once when each is one merchant's: fewer than a role has connections, so that reads find one too. */
const MERCHANTS_AT_ONCE = 6

/**
 * The options of a batcher whose batches must not hold rows of two merchants, where merchants' rows are spread over machines
 * (`SHARDED`): a transaction then touches one of them. Nothing otherwise. To be spread over the other options.
 */
export function ofOneMerchant<Item>(
  { sharded }: { readonly sharded: boolean },
  tenantOf: (item: Item) => { readonly merchant_id: number },
): Pick<BatcherOptions<Item, never>, 'key' | 'concurrency'> {
  return sharded ? { key: (item) => tenantOf(item).merchant_id, concurrency: MERCHANTS_AT_ONCE } : {}
}
