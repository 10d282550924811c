import { type Tenant, tenantKey } from '../../values/caller.ts'
import type { Asker, OwnerLocks } from '../owner-locks.ts'

/**
 * How the calls of a route share the database with others, per merchant and mode:
 * - `batched`: they travel in one transaction with everybody's, in which merchants take turns. Up to 256 are under way.
 * - `alone`: each has transactions of its own. Two are under way, and over all merchants so many as `alone_max` says.
 * - `exclusive`: as `alone`, but one at a time, because it locks what the merchant has only one of: its transfer balance. Batches that
 *   lock the same are kept apart from it by `locks`. While other merchants call too, it is followed by a rest, twice as long as it took.
 */
export type Concurrency = 'batched' | 'alone' | 'exclusive'

/** Calls of one merchant and mode under way at once: as many as one batch carries, and two of those that run alone. */
const BATCHED_MAX = 256
const ALONE_MAX = 2
/** The rest after an exclusive call, as a multiple of the time that the call took. */
const REST_TIMES = 2
/** Milliseconds after its last call for which a merchant counts as calling. */
const CALLING_MS = 1_000
/** Merchants remembered while none of their calls is under way. */
const MERCHANTS_KEPT_MAX = 10_000

export type TurnsOptions = {
  /** Calls of all merchants that run alone at once: fewer than the pool has connections, so that a batch always finds one. */
  readonly alone_max: number
  /** Calls of one merchant and mode that wait at once. */
  readonly waiting_max: number
  /** Milliseconds that a call waits at most. */
  readonly wait_max_ms: number
  /** Held by calls that are `exclusive`, under the name of their merchant and mode (`tenantKey`). */
  readonly locks: OwnerLocks
}

/** The place of one call among those under way. */
export type Turn = {
  /** Gives the place to the next. */
  end(): void
  /**
   * Does without the place while `work` waits for something else than the database, and has one again afterwards, however long that
   * takes: what the call was to do is done, and only its answer is missing.
   */
  without<Result>(work: () => Promise<Result>): Promise<Result>
}

export type Turns = {
  /**
   * A place for one call, at once or when its turn comes. Null: the call is not to be begun, because too many of the merchant wait,
   * the call waited too long, or nobody waits for its answer any more.
   * @param isWanted asked when the turn comes
   */
  enter(tenant: Tenant, concurrency: Concurrency, isWanted: () => boolean): Turn | Promise<Turn | null> | null
}

type Waiter = {
  readonly concurrency: Concurrency
  readonly isWanted: () => boolean
  readonly begin: () => void
  readonly refuse: () => void
}

/** The calls of one merchant in one mode: how many are under way, and those that wait. */
type MerchantCalls = {
  readonly name: string
  batched: number
  alone: number
  readonly waiting: Waiter[]
  /** When its exclusive call under way began: milliseconds of `performance.now()`. */
  exclusiveSince: number
  /** No exclusive call begins now. */
  rests: boolean
}

/**
 * Turns in front of the pool: what one merchant asks for at once costs the others no more than its share. The calls of a merchant
 * wait in a queue of their own, where they hold neither a connection nor a lock, and merchants take turns for the places that all share.
 */
export function createTurns(options: TurnsOptions): Turns {
  return new TurnTaker(options)
}

class TurnTaker implements Turns {
  readonly #options: TurnsOptions
  readonly #merchants = new Map<string, MerchantCalls>()
  /** Merchants of whom a call waits, the one whose turn is next first. */
  readonly #hungry = new Set<MerchantCalls>()
  /** Calls of all merchants that run alone now. */
  #alone = 0
  /** The merchant that called last, and the one that did so before another. */
  #newest: { calls: MerchantCalls | null; at: number } = { calls: null, at: Number.NEGATIVE_INFINITY }
  #before_newest = this.#newest
  // Not at once: a lock may become free while the merchants are gone through.
  readonly #asker: Asker = { wake: () => queueMicrotask(() => this.#beginWaiting()) }

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  enter(tenant: Tenant, concurrency: Concurrency, isWanted: () => boolean): Turn | Promise<Turn | null> | null {
    const calls = this.#callsOf(tenant)
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

  #callsOf(tenant: Tenant): MerchantCalls {
    const name = tenantKey(tenant)
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

  /** Takes a place for a call. False: there is none now, or its merchant's lock is held. */
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

  /** Leaves the database to other merchants' single calls and to sends for a while, then begins the next call. */
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

  /** Calls left the queue without having begun. When none is left that wants the lock, others are let have it. */
  #noteLeft(calls: MerchantCalls): void {
    if (!calls.waiting.some(({ concurrency }) => concurrency === 'exclusive'))
      this.#options.locks.forgo(calls.name, this.#asker)
  }

  /** Begins what fits now: one call of each merchant, then a second of each. */
  #beginWaiting(): void {
    for (const calls of this.#hungry) {
      const began = this.#beginNext(calls)
      if (!began && calls.waiting.length > 0) continue
      this.#hungry.delete(calls)
      // Behind the others, where this loop comes to it again.
      if (calls.waiting.length > 0) this.#hungry.add(calls)
    }
  }

  /** Begins the first call of a merchant that fits, and refuses those before it that nobody waits for. Whether one began. */
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
    // Without the lock: what it was needed for is done.
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
