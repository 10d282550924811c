import type { Tenant } from '../../words/caller.ts'

/**
 * How the calls of a route share the database with others, per merchant and mode:
 * - `batched`: they travel in one transaction with everybody's, in which merchants take turns. Up to 256 are under way.
 * - `alone`: each has transactions of its own. Two are under way, and over all merchants so many as `alone_max` says.
 * - `exclusive`: as `alone`, but one at a time, because it locks what the merchant has only one of, such as its transfer balance.
 */
export type Concurrency = 'batched' | 'alone' | 'exclusive'

/** Calls of one merchant and mode under way at once: as many as one batch carries, and two of those that run alone. */
const BATCHED_MAX = 256
const ALONE_MAX = 2
/** Merchants remembered while none of their calls is under way. */
const LINES_KEPT_MAX = 10_000

export type TurnsOptions = {
  /** Calls of all merchants that run alone at once: fewer than the pool has connections, so that a batch always finds one. */
  readonly alone_max: number
  /** Calls of one merchant and mode that wait at once. */
  readonly waiting_max: number
  /** Milliseconds that a call waits at most. */
  readonly wait_max_ms: number
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
type Line = { batched: number; alone: number; exclusive: boolean; readonly waiting: Waiter[] }

/**
 * Turns in front of the pool: what one merchant asks for at once costs the others no more than its share. The calls of a merchant
 * wait in a line of their own, where they hold neither a connection nor a lock, and lines take turns for the places that all share.
 */
export function createTurns({ alone_max, waiting_max, wait_max_ms }: TurnsOptions): Turns {
  const lines = new Map<string, Line>()
  /** Lines in which a call waits, the one whose turn is next first. */
  const hungry = new Set<Line>()
  let alone = 0

  function lineOf({ merchant_id, livemode }: Tenant): Line {
    const name = `${merchant_id}/${livemode}`
    const known = lines.get(name)
    if (known !== undefined) return known
    if (lines.size >= LINES_KEPT_MAX) forgetIdleLines()
    const line = { batched: 0, alone: 0, exclusive: false, waiting: [] }
    lines.set(name, line)
    return line
  }

  function forgetIdleLines(): void {
    for (const [name, line] of lines) {
      if (line.batched === 0 && line.alone === 0 && line.waiting.length === 0) lines.delete(name)
    }
  }

  function fits(line: Line, concurrency: Concurrency): boolean {
    if (concurrency === 'batched') return line.batched < BATCHED_MAX
    return line.alone < ALONE_MAX && alone < alone_max && !(concurrency === 'exclusive' && line.exclusive)
  }

  function occupy(line: Line, concurrency: Concurrency): void {
    if (concurrency === 'batched') line.batched += 1
    else {
      line.alone += 1
      alone += 1
      if (concurrency === 'exclusive') line.exclusive = true
    }
  }

  function free(line: Line, concurrency: Concurrency): void {
    if (concurrency === 'batched') line.batched -= 1
    else {
      line.alone -= 1
      alone -= 1
      if (concurrency === 'exclusive') line.exclusive = false
    }
    if (hungry.size > 0) beginWaiting()
  }

  /** Begins what fits now: one call of each line, then a second of each. */
  function beginWaiting(): void {
    for (const line of hungry) {
      const began = beginNext(line)
      if (!began && line.waiting.length > 0) continue
      hungry.delete(line)
      // Behind the others, where this loop comes to it again.
      if (line.waiting.length > 0) hungry.add(line)
    }
  }

  /** Begins the first call of a line that fits, and refuses those before it that nobody waits for. Whether one began. */
  function beginNext(line: Line): boolean {
    for (let at = 0; at < line.waiting.length; ) {
      const { concurrency, isWanted, begin, refuse } = line.waiting[at]!
      if (!isWanted()) {
        line.waiting.splice(at, 1)
        refuse()
      } else if (fits(line, concurrency)) {
        line.waiting.splice(at, 1)
        occupy(line, concurrency)
        begin()
        return true
      } else at += 1
    }
    return false
  }

  /** @param from at which end of the line the call joins it */
  function wait(line: Line, waiter: Waiter, from: 'front' | 'back'): void {
    if (from === 'front') line.waiting.unshift(waiter)
    else line.waiting.push(waiter)
    hungry.add(line)
  }

  function turnOf(line: Line, concurrency: Concurrency): Turn {
    let held = true
    const end = (): void => {
      if (held) free(line, concurrency)
      held = false
    }
    return {
      end,
      async without(work) {
        end()
        try {
          return await work()
        } finally {
          if (fits(line, concurrency)) occupy(line, concurrency)
          else {
            await new Promise<void>((resolve) => {
              wait(line, { concurrency, isWanted: () => true, begin: resolve, refuse: resolve }, 'front')
            })
          }
          held = true
        }
      },
    }
  }

  return {
    enter({ merchant_id, livemode }, concurrency, isWanted) {
      const line = lineOf({ merchant_id, livemode })
      if (fits(line, concurrency)) {
        occupy(line, concurrency)
        return turnOf(line, concurrency)
      }
      if (line.waiting.length >= waiting_max) return null
      return new Promise((resolve) => {
        const waiter: Waiter = {
          concurrency,
          isWanted,
          begin() {
            clearTimeout(timer)
            resolve(turnOf(line, concurrency))
          },
          refuse() {
            clearTimeout(timer)
            resolve(null)
          },
        }
        const timer = setTimeout(() => {
          line.waiting.splice(line.waiting.indexOf(waiter), 1)
          resolve(null)
        }, wait_max_ms).unref()
        wait(line, waiter, 'back')
      })
    },
  }
}
