/**
 * The most typing slips to accept, by the length of the intended word. A slip changes, adds, drops or swaps letters.
 */
function slipsIn(meant: string): number {
  return meant.length <= 3 ? 1 : meant.length <= 8 ? 2 : 3
}

/**
 * Guesses the intended candidate: the one with the fewest typing slips, or the only one that begins with the typed
 * word. Null when none is near enough.
 */
export function nearest(typed: string, candidates: Iterable<string>): string | null {
  const word = typed.toLowerCase()
  let best: { candidate: string; slips: number } | null = null
  const beginning: string[] = []
  for (const candidate of candidates) {
    const slips = slipsBetween(word, candidate)
    // With as many slips as letters, any word would match.
    if (slips <= slipsIn(candidate) && slips < candidate.length && slips < (best?.slips ?? Infinity)) {
      best = { candidate, slips }
    }
    if (word.length >= 2 && candidate.startsWith(word)) beginning.push(candidate)
  }
  return best?.candidate ?? (beginning.length === 1 ? beginning[0]! : null)
}

/** The Damerau-Levenshtein distance: letters changed, added or dropped, and neighbours swapped. */
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

/** ` Did you mean …?` for the end of a message. Empty when no candidate is near. */
export function didYouMean(typed: string, candidates: Iterable<string>, before = ''): string {
  const meant = nearest(typed, candidates)
  return meant === null ? '' : ` Did you mean ${before}${meant}?`
}
