import { createPayerWindows, NOWHERE } from './payer-windows.ts'

/** How often it is looked whose window ended. */
const LOOK_EVERY_MS = 1_000
/** When there are too many, this part of them makes room at once, for the same reason that looks are rare. */
const ROOM = 1 / 100

/**
 * Counts attempts of each payer, at most `max` in a window that begins with the first of them. All windows are equally
 * long, so those that were opened first end first, and the past is taken off that end: no timers.
 * A payer is a number other than zero.
 * @param payersMax payers remembered; beyond it those whose windows end first are forgotten early
 */
export function createAttemptCounts(max: number, windowMs: number, payersMax: number) {
  const windows = createPayerWindows()
  let next_look_at = Number.NEGATIVE_INFINITY

  function forgetPast(now: number): void {
    const tooMany = windows.size() > payersMax
    if (now < next_look_at && !tooMany) return
    next_look_at = now + LOOK_EVERY_MS
    const kept_max = tooMany ? Math.ceil(payersMax * (1 - ROOM)) : payersMax
    for (let first = windows.first(); first !== NOWHERE; first = windows.first()) {
      if (windows.endOf(first) > now && windows.size() <= kept_max) return
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
