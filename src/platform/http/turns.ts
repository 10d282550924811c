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
const LINES_KEPT_MAX = 10_000

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
   * A place for one call, at once or when its turn comes. Null: the call is not to be begun, because the merchant's line is full,
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
type Line = {
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
 * wait in a line of their own, where they hold neither a connection nor a lock, and lines take turns for the places that all share.
 */
export function createTurns(options: TurnsOptions): Turns {
  return new TurnTaker(options)
}

class TurnTaker implements Turns {
  readonly #options: TurnsOptions
  readonly #lines = new Map<string, Line>()
  /** Lines in which a call waits, the one whose turn is next first. */
  readonly #hungry = new Set<Line>()
  /** Calls of all merchants that run alone now. */
  #alone = 0
  /** The line that called last, and the one that did so before another. */
  #newest: { line: Line | null; at: number } = { line: null, at: Number.NEGATIVE_INFINITY }
  #before_newest = this.#newest
  // Not at once: a lock may become free while the lines are gone through.
  readonly #asker: Asker = { wake: () => queueMicrotask(() => this.#beginWaiting()) }

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  enter(tenant: Tenant, concurrency: Concurrency, isWanted: () => boolean): Turn | Promise<Turn | null> | null {
    const line = this.#lineOf(tenant)
    this.#noteCall(line)
    if (this.#occupy(line, concurrency)) return this.#turnOf(line, concurrency)
    if (line.waiting.length < this.#options.waiting_max) return this.#waitInLine(line, concurrency, isWanted)
    this.#leftLine(line)
    return null
  }

  #waitInLine(line: Line, concurrency: Concurrency, isWanted: () => boolean): Promise<Turn | null> {
    return new Promise((resolve) => {
      const answer = (turn: Turn | null) => {
        clearTimeout(timer)
        resolve(turn)
      }
      const waiter: Waiter = {
        concurrency,
        isWanted,
        begin: () => answer(this.#turnOf(line, concurrency)),
        refuse: () => answer(null),
      }
      const timer = setTimeout(() => {
        line.waiting.splice(line.waiting.indexOf(waiter), 1)
        this.#leftLine(line)
        resolve(null)
      }, this.#options.wait_max_ms).unref()
      this.#wait(line, waiter, 'back')
    })
  }

  #lineOf(tenant: Tenant): Line {
    const name = tenantKey(tenant)
    const known = this.#lines.get(name)
    if (known !== undefined) return known
    if (this.#lines.size >= LINES_KEPT_MAX) this.#forgetIdleLines()
    const line = { name, batched: 0, alone: 0, waiting: [], exclusiveSince: 0, rests: false }
    this.#lines.set(name, line)
    return line
  }

  #forgetIdleLines(): void {
    for (const [name, line] of this.#lines) {
      if (line.batched === 0 && line.alone === 0 && !line.rests && line.waiting.length === 0) this.#lines.delete(name)
    }
  }

  /** Takes a place for a call. False: there is none now, or its merchant's lock is held. */
  #occupy(line: Line, concurrency: Concurrency): boolean {
    if (concurrency === 'batched') {
      if (line.batched >= BATCHED_MAX) return false
      line.batched += 1
      return true
    }
    if (line.alone >= ALONE_MAX || this.#alone >= this.#options.alone_max) return false
    if (concurrency === 'exclusive') {
      if (line.rests || !this.#options.locks.take(line.name, this.#asker)) return false
      line.exclusiveSince = performance.now()
    }
    line.alone += 1
    this.#alone += 1
    return true
  }

  #free(line: Line, concurrency: Concurrency): void {
    if (concurrency === 'batched') line.batched -= 1
    else {
      line.alone -= 1
      this.#alone -= 1
      if (concurrency === 'exclusive') {
        if (this.#haveOthersCalled(line)) this.#rest(line)
        this.#options.locks.release(line.name)
      }
    }
    if (this.#hungry.size > 0) this.#beginWaiting()
  }

  #noteCall(line: Line): void {
    if (this.#newest.line !== line) this.#before_newest = this.#newest
    this.#newest = { line, at: performance.now() }
  }

  #haveOthersCalled(line: Line): boolean {
    const other = this.#newest.line === line ? this.#before_newest : this.#newest
    return performance.now() - other.at < CALLING_MS
  }

  /** Leaves the database to other merchants' single calls and to sends for a while, then begins the next call. */
  #rest(line: Line): void {
    line.rests = true
    this.#options.locks.forgo(line.name, this.#asker)
    setTimeout(
      () => {
        line.rests = false
        this.#beginWaiting()
      },
      REST_TIMES * (performance.now() - line.exclusiveSince),
    )
  }

  /** Calls left the line without having begun. When none is left that wants the lock, others are let have it. */
  #leftLine(line: Line): void {
    if (!line.waiting.some(({ concurrency }) => concurrency === 'exclusive'))
      this.#options.locks.forgo(line.name, this.#asker)
  }

  /** Begins what fits now: one call of each line, then a second of each. */
  #beginWaiting(): void {
    for (const line of this.#hungry) {
      const began = this.#beginNext(line)
      if (!began && line.waiting.length > 0) continue
      this.#hungry.delete(line)
      // Behind the others, where this loop comes to it again.
      if (line.waiting.length > 0) this.#hungry.add(line)
    }
  }

  /** Begins the first call of a line that fits, and refuses those before it that nobody waits for. Whether one began. */
  #beginNext(line: Line): boolean {
    for (let at = 0; at < line.waiting.length; ) {
      const { concurrency, isWanted, begin, refuse } = line.waiting[at]!
      if (!isWanted()) {
        line.waiting.splice(at, 1)
        this.#leftLine(line)
        refuse()
      } else if (this.#occupy(line, concurrency)) {
        line.waiting.splice(at, 1)
        begin()
        return true
      } else at += 1
    }
    return false
  }

  /** @param from at which end of the line the call joins it */
  #wait(line: Line, waiter: Waiter, from: 'front' | 'back'): void {
    if (from === 'front') line.waiting.unshift(waiter)
    else line.waiting.push(waiter)
    this.#hungry.add(line)
  }

  #turnOf(line: Line, concurrency: Concurrency): Turn {
    let place: Concurrency | null = concurrency
    // Without the lock: what it was needed for is done.
    const again = concurrency === 'exclusive' ? 'alone' : concurrency
    const end = (): void => {
      if (place !== null) this.#free(line, place)
      place = null
    }
    return {
      end,
      without: async (work) => {
        end()
        try {
          return await work()
        } finally {
          if (!this.#occupy(line, again)) {
            await new Promise<void>((resolve) => {
              this.#wait(line, { concurrency: again, isWanted: () => true, begin: resolve, refuse: resolve }, 'front')
            })
          }
          place = again
        }
      },
    }
  }
}
