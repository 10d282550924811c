import { createPayerWindows, NOWHERE } from './payer-windows.ts'

/**
 * Counts attempts of each payer, at most `max` in a window that begins with the first of them. All windows are equally
 * long, so those that were opened first end first, and the past is taken off that end: no timers.
 * A payer is a number other than zero.
 * @param payersMax payers remembered; beyond it those whose windows end first are forgotten early
 */
export function createAttemptCounts(max: number, windowMs: number, payersMax: number) {
  const windows = createPayerWindows()

  /** At most two for each attempt, which opens at most one: they become fewer, and no attempt pays for a minute's. */
  function forgetPast(now: number): void {
    for (let nth = 0; nth < 2; nth += 1) {
      const first = windows.first()
      if (first === NOWHERE || (windows.endOf(first) > now && windows.size() <= payersMax)) return
      windows.close(first)
    }
  }

  return {
    /** Whether one more attempt may be made; only then it counts. */
    take(payer: number, now: number): boolean {
      forgetPast(now)
      const place = windows.find(payer)
      if (place !== NOWHERE && windows.endOf(place) > now) {
        const count = windows.countOf(place)
        if (count >= max) return false
        windows.setCount(place, count + 1)
        return true
      }
      if (place !== NOWHERE) windows.close(place)
      windows.open(payer, now + windowMs)
      return true
    },
    /** Takes back an attempt that led to nothing. False: none is counted here. */
    giveBack(payer: number, now: number): boolean {
      const place = windows.find(payer)
      if (place === NOWHERE || windows.endOf(place) <= now || windows.countOf(place) === 0) return false
      windows.setCount(place, windows.countOf(place) - 1)
      return true
    },
  }
}
