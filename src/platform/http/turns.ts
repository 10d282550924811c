import { type Tenant, tenantKey } from '../../values/caller.ts'
import type { Asker, OwnerLocks } from '../owner-locks.ts'

/**
 * How the calls of a route share the database with others, per merchant and mode:
 * - `batched`: they share a transaction with all merchants' calls, in which merchants take turns. Up to 256 run at once.
 * - `alone`: each call has its own transactions. Two run at once, and `alone_max` over all merchants.
 * - `exclusive`: like `alone`, but one at a time, because it locks the merchant's transfer balance. `locks` keeps batches that lock the same
 *   balance apart from it. While other merchants call too, a pause of twice its duration follows.
 */
export type Concurrency = 'batched' | 'alone' | 'exclusive'

/** Calls of one merchant and mode that run at once: those of one full batch, and two that run alone. */
const BATCHED_MAX = 256
const ALONE_MAX = 2
/** The pause after an exclusive call, as a multiple of its duration. */
const REST_TIMES = 2
/** Milliseconds after its last call for which a merchant counts as calling. */
const CALLING_MS = 1_000
/** Merchants remembered while none of their calls runs. */
const MERCHANTS_KEPT_MAX = 10_000

export type TurnsOptions = {
  /** The most calls of all merchants that run alone at once: fewer than the pool has connections, so that a batch always finds one. */
  readonly alone_max: number
  /** The most calls of one merchant and mode that wait. */
  readonly waiting_max: number
  /** The most milliseconds that a call waits. */
  readonly wait_max_ms: number
  /** The locks that exclusive calls hold, by merchant and mode (`tenantKey`). */
  readonly locks: OwnerLocks
}

/** The right of one call to run. */
export type Turn = {
  /** Ends the turn, so that the next call can begin. */
  end(): void
  /**
   * Gives the turn up while `work` waits for something other than the database, and waits for a new turn afterwards, without a time-out:
   * the call has done its work, and only its answer is missing.
   */
  without<Result>(work: () => Promise<Result>): Promise<Result>
}

export type Turns = {
  /**
   * Returns the turn of a call, at once or later. Null: do not begin the call, because too many calls of the merchant wait, the call
   * waited too long, or its caller no longer waits for the answer.
   * @param owner the merchant and mode, or the thing that a call without a merchant is about (`about.ts`)
   * @param isWanted whether the caller still waits; checked when the turn comes
   */
  enter(owner: Tenant | string, concurrency: Concurrency, isWanted: () => boolean): Turn | Promise<Turn | null> | null
}

type Waiter = {
  readonly concurrency: Concurrency
  readonly isWanted: () => boolean
  readonly begin: () => void
  readonly refuse: () => void
}

/** The calls of one merchant in one mode: the number of running ones, and those that wait. */
type MerchantCalls = {
  readonly name: string
  batched: number
  alone: number
  readonly waiting: Waiter[]
  /** The start of its running exclusive call: milliseconds of `performance.now()`. */
  exclusiveSince: number
  /** During the pause no exclusive call begins. */
  rests: boolean
}

/**
 * Merchants' turns in front of the pool, so that one merchant with many calls takes no more than its share. The calls of a merchant
 * wait in its own queue, without a connection or a lock, and merchants take turns for the shared places.
 */
export function createTurns(options: TurnsOptions): Turns {
  return new TurnTaker(options)
}

class TurnTaker implements Turns {
  readonly #options: TurnsOptions
  readonly #merchants = new Map<string, MerchantCalls>()
  /** Merchants with a waiting call, the one whose turn is next first. */
  readonly #hungry = new Set<MerchantCalls>()
  /** The number of calls of all merchants that run alone now. */
  #alone = 0
  /** The merchant of the newest call, and the one that called before it. */
  #newest: { calls: MerchantCalls | null; at: number } = { calls: null, at: Number.NEGATIVE_INFINITY }
  #before_newest = this.#newest
  // Not at once: a lock may be released while `#beginWaiting` iterates.
  readonly #asker: Asker = { wake: () => queueMicrotask(() => this.#beginWaiting()) }

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  enter(owner: Tenant | string, concurrency: Concurrency, isWanted: () => boolean): Turn | Promise<Turn | null> | null {
    const calls = this.#callsOf(typeof owner === 'string' ? owner : tenantKey(owner))
    this.#noteCall(calls)
    if (this.#occupy(calls, concurrency)) return this.#turnOf(calls, concurrency)
    if (calls.waiting.length < this.#options.waiting_max) return this.#waitForTurn(calls, concurrency, isWanted)
    this.#noteLeft(calls)
    return null
  }

  #waitForTurn(calls: MerchantCalls, concurrency: Concurrency, isWanted: () => boolean): Promise<Turn | null> {
    return new Promise((resolve) => {
      const answer = (turn: Turn | null) => {
        clearTimeout(timer)
        resolve(turn)
      }
      const waiter: Waiter = {
        concurrency,
        isWanted,
        begin: () => answer(this.#turnOf(calls, concurrency)),
        refuse: () => answer(null),
      }
      const timer = setTimeout(() => {
        calls.waiting.splice(calls.waiting.indexOf(waiter), 1)
        this.#noteLeft(calls)
        resolve(null)
      }, this.#options.wait_max_ms).unref()
      this.#wait(calls, waiter, 'back')
    })
  }

  #callsOf(name: string): MerchantCalls {
    const known = this.#merchants.get(name)
    if (known !== undefined) return known
    if (this.#merchants.size >= MERCHANTS_KEPT_MAX) this.#forgetIdle()
    const calls = { name, batched: 0, alone: 0, waiting: [], exclusiveSince: 0, rests: false }
    this.#merchants.set(name, calls)
    return calls
  }

  #forgetIdle(): void {
    for (const [name, calls] of this.#merchants) {
      if (calls.batched === 0 && calls.alone === 0 && !calls.rests && calls.waiting.length === 0)
        this.#merchants.delete(name)
    }
  }

  /** Takes a place for a call. False: no place is free, or another call holds the merchant's lock. */
  #occupy(calls: MerchantCalls, concurrency: Concurrency): boolean {
    if (concurrency === 'batched') {
      if (calls.batched >= BATCHED_MAX) return false
      calls.batched += 1
      return true
    }
    if (calls.alone >= ALONE_MAX || this.#alone >= this.#options.alone_max) return false
    if (concurrency === 'exclusive') {
      if (calls.rests || !this.#options.locks.take(calls.name, this.#asker)) return false
      calls.exclusiveSince = performance.now()
    }
    calls.alone += 1
    this.#alone += 1
    return true
  }

  #free(calls: MerchantCalls, concurrency: Concurrency): void {
    if (concurrency === 'batched') calls.batched -= 1
    else {
      calls.alone -= 1
      this.#alone -= 1
      if (concurrency === 'exclusive') {
        if (this.#haveOthersCalled(calls)) this.#rest(calls)
        this.#options.locks.release(calls.name)
      }
    }
    if (this.#hungry.size > 0) this.#beginWaiting()
  }

  #noteCall(calls: MerchantCalls): void {
    if (this.#newest.calls !== calls) this.#before_newest = this.#newest
    this.#newest = { calls, at: performance.now() }
  }

  #haveOthersCalled(calls: MerchantCalls): boolean {
    const other = this.#newest.calls === calls ? this.#before_newest : this.#newest
    return performance.now() - other.at < CALLING_MS
  }

  /** Leaves the database to other merchants and to sends for a while, then begins the next call. */
  #rest(calls: MerchantCalls): void {
    calls.rests = true
    this.#options.locks.forgo(calls.name, this.#asker)
    setTimeout(
      () => {
        calls.rests = false
        this.#beginWaiting()
      },
      REST_TIMES * (performance.now() - calls.exclusiveSince),
    )
  }

  /** A call left the queue without having begun. If no waiting call needs the lock, others may take it. */
  #noteLeft(calls: MerchantCalls): void {
    if (!calls.waiting.some(({ concurrency }) => concurrency === 'exclusive'))
      this.#options.locks.forgo(calls.name, this.#asker)
  }

  /** Begins the calls that find a place: one of each merchant, then a second of each. */
  #beginWaiting(): void {
    for (const calls of this.#hungry) {
      const began = this.#beginNext(calls)
      if (!began && calls.waiting.length > 0) continue
      this.#hungry.delete(calls)
      // At the end of the set, where this loop reaches it again.
      if (calls.waiting.length > 0) this.#hungry.add(calls)
    }
  }

  /** Begins the first call of a merchant that finds a place. Refuses calls before it whose callers left. Returns whether one began. */
  #beginNext(calls: MerchantCalls): boolean {
    for (let at = 0; at < calls.waiting.length; ) {
      const { concurrency, isWanted, begin, refuse } = calls.waiting[at]!
      if (!isWanted()) {
        calls.waiting.splice(at, 1)
        this.#noteLeft(calls)
        refuse()
      } else if (this.#occupy(calls, concurrency)) {
        calls.waiting.splice(at, 1)
        begin()
        return true
      } else at += 1
    }
    return false
  }

  /** @param from the end at which the call joins the queue */
  #wait(calls: MerchantCalls, waiter: Waiter, from: 'front' | 'back'): void {
    if (from === 'front') calls.waiting.unshift(waiter)
    else calls.waiting.push(waiter)
    this.#hungry.add(calls)
  }

  #turnOf(calls: MerchantCalls, concurrency: Concurrency): Turn {
    let place: Concurrency | null = concurrency
    // Without the lock: the work that needed it is done.
    const again = concurrency === 'exclusive' ? 'alone' : concurrency
    const end = (): void => {
      if (place !== null) this.#free(calls, place)
      place = null
    }
    return {
      end,
      without: async (work) => {
        end()
        try {
          return await work()
        } finally {
          if (!this.#occupy(calls, again)) {
            await new Promise<void>((resolve) => {
              this.#wait(calls, { concurrency: again, isWanted: () => true, begin: resolve, refuse: resolve }, 'front')
            })
          }
          place = again
        }
      },
    }
  }
}
