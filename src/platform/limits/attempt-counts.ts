/** Maps in a window. Each has the windows that began within its tenth, and is dropped whole when the last of them has ended. */
const PARTS = 10

/** A window's beginning, in milliseconds since its map's, and the attempts in it, as one small number: no object for a payer. */
type Packed = number

type Part = { readonly from: number; readonly windows: Map<number, Packed> }

/**
 * Counts attempts of each payer, at most `max` in a window that begins with the first of them. Hundreds of thousands of
 * windows open and end within minutes; nothing is deleted one by one, and no timer runs. A payer is a number.
 * @param payersMax payers remembered; beyond it those whose windows began first are forgotten, a tenth of a window at once
 */
export function createAttemptCounts(max: number, windowMs: number, payersMax: number) {
  const partMs = windowMs / PARTS
  const base = max + 1
  /** The newest first. */
  let parts: Part[] = []

  /** The newest window of a payer that has not ended, and the attempts in it. */
  function find(payer: number, now: number): { windows: Map<number, Packed>; packed: Packed; count: number } | null {
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
    if (parts.length === 0 || now >= parts[0]!.from + partMs) parts.unshift({ from: now, windows: new Map() })
    const { from, windows } = parts[0]!
    // Behind its beginning only when the clock was put back: the window then ends so much later.
    windows.set(payer, Math.max(0, Math.floor(now - from)) * base + 1)
  }

  return {
    /** Whether one more attempt may be made; only then it counts. */
    take(payer: number, now: number): boolean {
      // A clock that was put back by far would keep the counts of its future for too long.
      parts = parts.filter(({ from }) => now < from + partMs + windowMs && now > from - windowMs)
      const found = find(payer, now)
      if (found === null) open(payer, now)
      else if (found.count >= max) return false
      else found.windows.set(payer, found.packed + 1)
      return true
    },
    /** Takes back an attempt that led to nothing. False: none is counted here. */
    giveBack(payer: number, now: number): boolean {
      const found = find(payer, now)
      if (found === null || found.count === 0) return false
      found.windows.set(payer, found.packed - 1)
      return true
    },
  }
}
