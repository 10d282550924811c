import type { NameMatch } from '../port.ts'

/** Most parts of a name, and most letters of a part. Longer ones are cut, because an operator's answer can hold anything. */
const PARTS_MAX = 12
const LETTERS_MAX = 40

/** Words that do not identify a person: forms of address, particles, and words that join a married name. */
const beside = new Set(
  'm mr mme mlle monsieur madame mademoiselle dr pr me el hadj hadja al ben bin de du des da la le les van von ould epouse epse ep nee veuve vve'.split(
    ' ',
  ),
)

/** Letters that Unicode does not decompose. */
const spelled: Readonly<Record<string, string>> = { œ: 'oe', æ: 'ae', ø: 'o', ß: 'ss', ł: 'l', đ: 'd', ɛ: 'e', ɔ: 'o' }

/**
 * Compares the merchant's name with the operator's. Case, accents, hyphens, apostrophes, particles, forms of address and
 * the order of the parts do not count. Pure.
 * - `match`: the same parts, or more of them in the middle of one of the two;
 * - `close`: every part of the shorter name has one in the longer that is equal, begins as an initial says, or is spelled nearly so; or
 *   of names of three parts and more, all but one are equal;
 * - `no_match`: anything else, such as a family name alone in common;
 * - `unknown`: the operator holds nothing to compare with, such as initials alone.
 */
export function compareNames(written: string, held: string): NameMatch {
  const [ours, theirs] = [partsOf(written), partsOf(held)]
  if (theirs.every(({ length }) => length === 1)) return 'unknown'
  return compareParts(joinedAs(theirs, ours), joinedAs(ours, theirs))
}

/** Joins a single letter to the next part if the other name has both as one (`N Guessan`). Other single letters are initials. */
function joinedAs(other: readonly string[], parts: readonly string[]): string[] {
  const joined: string[] = []
  for (const part of parts) {
    const before = joined.at(-1) ?? ''
    if (before.length === 1 && other.includes(before + part)) joined[joined.length - 1] = before + part
    else joined.push(part)
  }
  return joined
}

function partsOf(name: string): string[] {
  const plain = name
    .slice(0, PARTS_MAX * LETTERS_MAX)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[œæøßłđɛɔ]/g, (letter) => spelled[letter]!)
    .replace(/(\p{L})['’ʼ`´](?=\p{L})/gu, '$1')
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const named = words.filter((word) => !beside.has(word))
  // A name of such words alone is compared unchanged.
  return (named.length > 0 ? named : words).slice(0, PARTS_MAX).map((word) => word.slice(0, LETTERS_MAX))
}

function compareParts(one: readonly string[], other: readonly string[]): 'match' | 'close' | 'no_match' {
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one]
  if (shorter.length === 0) return 'no_match'
  if (one.join('') === other.join('')) return 'match'
  const rest = [...longer]
  const take = (fits: (part: string) => boolean): boolean => {
    const at = rest.findIndex(fits)
    if (at >= 0) rest.splice(at, 1)
    return at >= 0
  }
  const unequal = shorter.filter((part) => !take((held) => held === part))
  const equal = shorter.length - unequal.length
  if (unequal.length === 0) {
    if (shorter.length === longer.length) return 'match'
    return equal >= 2 && sameEnds(shorter, longer) ? 'match' : 'close'
  }
  const others = unequal.filter((part) => !take((held) => isNear(part, held)))
  const missed = others.filter((part) => !take((held) => isInitial(part, held)))
  // An initial alone proves nothing, so another part has to agree.
  if (missed.length === 0) return others.length < shorter.length ? 'close' : 'no_match'
  return missed.length === 1 && equal >= 2 ? 'close' : 'no_match'
}

/** Whether the first and the last part are the same, in either order. The longer name then only adds parts between them. */
function sameEnds(shorter: readonly string[], longer: readonly string[]): boolean {
  const ends = (parts: readonly string[]) => [parts[0]!, parts.at(-1)!].sort().join(' ')
  return ends(shorter) === ends(longer)
}

function isInitial(one: string, other: string): boolean {
  return (one.length === 1 || other.length === 1) && one[0] === other[0]
}

/**
 * Whether two parts are spelled nearly alike: two writings of one sound (`Ouattara`, `Wattara`), or one letter apart from five letters on, two from
 * eight on. Short names differ by a letter.
 */
function isNear(one: string, other: string): boolean {
  const least = Math.min(one.length, other.length)
  if (Math.max(one.length, other.length) < 5) return false
  return soundOf(one) === soundOf(other) || distance(one, other) <= (least >= 8 ? 2 : 1)
}

function soundOf(part: string): string {
  return part
    .replace(/ou(?=[aeiy])/g, 'w')
    .replace(/ph/g, 'f')
    .replace(/y/g, 'i')
    .replace(/(.)\1+/g, '$1')
}

/** The number of letters to insert, delete, replace or swap with a neighbour, to turn one word into the other. */
function distance(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next.push(
        Math.min(replaced, row[j]! + 1, next[j - 1]! + 1, swapped ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY),
      )
    }
    before = row
    row = next
  }
  return row[other.length]!
}
