import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The times at which operations begin. `next` resolves when one may begin, with the time from which its latency counts,
 * in milliseconds of `performance.now()`.
 */
export type Arrivals = {
  next(): Promise<number>
  /** Reports that an operation ended. */
  ended(): void
  /** The number of operations begun and not ended. */
  underWay(): number
}

/** The shortest wait worth a timer, in milliseconds. */
const MOMENT_MS = 0.2

/**
 * Operations that arrive at a fixed rate, whether or not the earlier ones have ended. The latency of each counts from
 * its planned time, even if no connection was free then: its caller waited for that long.
 */
export function arriveAtRate(perSecond: number, begin: number): Arrivals {
  let arrived = 0
  let underWay = 0
  return {
    async next() {
      const due = begin + (arrived++ * 1_000) / perSecond
      for (let wait = due - performance.now(); wait > MOMENT_MS; wait = due - performance.now()) await sleep(wait)
      underWay += 1
      return due
    },
    ended() {
      underWay -= 1
    },
    underWay: () => underWay,
  }
}

/** Operations that begin as soon as fewer than `most` are under way. */
export function arriveWhenFree(most: number): Arrivals {
  let underWay = 0
  const waiting: (() => void)[] = []
  return {
    async next() {
      while (underWay >= most) await new Promise<void>((resolve) => waiting.push(resolve))
      underWay += 1
      return performance.now()
    },
    ended() {
      underWay -= 1
      waiting.shift()?.()
    },
    underWay: () => underWay,
  }
}
