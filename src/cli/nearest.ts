/** A slip of the finger changes, adds, drops or swaps letters: so many of them at most, by the length of what was meant. */
function slipsIn(meant: string): number {
  return meant.length <= 3 ? 1 : meant.length <= 8 ? 2 : 3
}

/**
 * Guesses the candidate that was meant: the one with the fewest typing slips, or the only one that begins with the typed
 * word. Null when nothing is near enough.
 */
export function nearest(typed: string, candidates: Iterable<string>): string | null {
  const word = typed.toLowerCase()
  let best: { candidate: string; slips: number } | null = null
  const beginning: string[] = []
  for (const candidate of candidates) {
    const slips = slipsBetween(word, candidate)
    // As many slips as letters would make anything out of anything.
    if (slips <= slipsIn(candidate) && slips < candidate.length && slips < (best?.slips ?? Infinity)) {
      best = { candidate, slips }
    }
    if (word.length >= 2 && candidate.startsWith(word)) beginning.push(candidate)
  }
  return best?.candidate ?? (beginning.length === 1 ? beginning[0]! : null)
}

/** The distance of Damerau and Levenshtein: letters changed, added, dropped, and neighbours swapped. */
function slipsBetween(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1]
      let slips = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      if (swapped) slips = Math.min(slips, beforeLast[j - 2]! + 1)
      row.push(slips)
    }
    beforeLast = last
    last = row
  }
  return last[other.length]!
}

/** ` Did you mean …?` for the end of a message; empty when nothing is near. */
export function didYouMean(typed: string, candidates: Iterable<string>, before = ''): string {
  const meant = nearest(typed, candidates)
  return meant === null ? '' : ` Did you mean ${before}${meant}?`
}
