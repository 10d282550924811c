import { setTimeout as sleep } from 'node:timers/promises'

/** When operations are to begin. `next` resolves when one may begin, with the moment from which its time is counted. */
export type Arrivals = {
  next(): Promise<number>
  /** An operation has ended. */
  ended(): void
  /** Operations begun and not ended. */
  underWay(): number
}

/** Shorter waits than this are not worth a timer, in milliseconds. */
const MOMENT_MS = 0.2

/**
 * Operations that arrive at a fixed rate, whether or not the earlier ones have ended. Each has its moment, and its time
 * is counted from there even when it begins later because nobody was free: an operation that had to wait for others is
 * as slow as it was for who wanted it.
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
