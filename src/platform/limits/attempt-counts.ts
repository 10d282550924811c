import { NumberTable } from './number-table.ts'

/** Tables for the length of one window. Each holds the windows that began in its tenth, and is dropped once all of them have ended. */
const PARTS = 10

/** The start of a window, in milliseconds since the start of its table, and the attempts in it. One number, to save an object for each payer. */
type Packed = number

type Part = { readonly from: number; readonly windows: NumberTable }

/**
 * Counts the attempts of each payer, at most `max` in a window that begins with the first attempt. Hundreds of thousands of
 * windows begin and end within minutes. So whole tables are dropped, and there is no timer. A payer is a number, never 0.
 * @param payersMax the most payers; above it the oldest table is dropped
 */
export function createAttemptCounts(max: number, windowMs: number, payersMax: number) {
  const partMs = windowMs / PARTS
  const base = max + 1
  /** The tables, newest first. */
  let parts: Part[] = []

  /** Finds the current window of a payer, with its attempts. */
  function find(payer: number, now: number): { windows: NumberTable; packed: Packed; count: number } | null {
    for (const { from, windows } of parts) {
      const packed = windows.get(payer)
      if (packed === undefined) continue
      return from + Math.floor(packed / base) + windowMs > now ? { windows, packed, count: packed % base } : null
    }
    return null
  }

  function open(payer: number, now: number): void {
    const size = parts.reduce((sum, { windows }) => sum + windows.size, 0)
    if (size >= payersMax) parts.pop()
    if (parts.length === 0 || now >= parts[0]!.from + partMs) parts.unshift({ from: now, windows: new NumberTable() })
    const { from, windows } = parts[0]!
    // Before the start of the table only if the clock went back. The window then ends that much later.
    windows.set(payer, Math.max(0, Math.floor(now - from)) * base + 1)
  }

  return {
    /** Counts one more attempt, if it is allowed. Returns whether it is. */
    take(payer: number, now: number): boolean {
      // If the clock went back far, its future counts would stay too long.
      parts = parts.filter(({ from }) => now < from + partMs + windowMs && now > from - windowMs)
      const found = find(payer, now)
      if (found === null) open(payer, now)
      else if (found.count >= max) return false
      else found.windows.set(payer, found.packed + 1)
      return true
    },
    /** Removes an attempt that led to no payment. False: this process counted none. */
    giveBack(payer: number, now: number): boolean {
      const found = find(payer, now)
      if (found === null || found.count === 0) return false
      found.windows.set(payer, found.packed - 1)
      return true
    },
  }
}
