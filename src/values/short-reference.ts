/** Letters of the time in an identifier that a reference leaves out: they change every 35 years. */
const ERA_LETTERS = 2
/** Those that it takes: the time to the half minute (2^15 ms). */
const TIME_LETTERS = 5
/** And so many from the end, which are chance: of the payments of half a minute, 33 million can be told apart. */
const END_LETTERS = 5
/** Bits of the time under those that a reference takes. */
const TIME_UNIT_MS = 2 ** 15
const ERA_MS = 2 ** (15 + 5 * TIME_LETTERS)

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * The short form of an identifier, to be read out: ten letters of an alphabet without I, L, O and U, as `KAG5X-C6W0Z`.
 * They are letters of the identifier itself, so nothing is stored for it; `rangeOf` finds it again. Two payments of the same
 * half minute can share one, if rarely: what it finds is a list.
 */
export function shortReference(id: string): string {
  const letters = id.slice(id.indexOf('_') + 1)
  const time = letters.slice(ERA_LETTERS, ERA_LETTERS + TIME_LETTERS)
  return `${time}-${letters.slice(-END_LETTERS)}`.toUpperCase()
}

/** Identifiers from one to before another, that end so. */
export type ReferenceRange = { from: string; before: string; end: string }

/**
 * Where the identifier lies that a reference was made of, as it was heard or typed: in any case, with or without its dash,
 * O for 0, I and L for 1. Null: it is no reference.
 * @param now milliseconds since 1970: of the moments that it may name, the latest until a day from now is meant
 */
export function rangeOf(prefix: string, written: string, now: number): ReferenceRange | null {
  const letters = written
    .toLowerCase()
    .replace(/[\s\-–—.]/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1')
  if (letters.length !== TIME_LETTERS + END_LETTERS) return null
  const values = [...letters].map((letter) => ALPHABET.indexOf(letter))
  if (values.includes(-1)) return null
  const within = values.slice(0, TIME_LETTERS).reduce((sum, value) => sum * 32 + value, 0) * TIME_UNIT_MS
  const latest = now + 86_400_000
  const moment = Math.floor((latest - within) / ERA_MS) * ERA_MS + within
  if (moment < 0) return null
  const letterAt = (units: number) => `${prefix}_${inLetters(units, ERA_LETTERS + TIME_LETTERS)}`
  const unit = moment / TIME_UNIT_MS
  return { from: letterAt(unit), before: letterAt(unit + 1), end: letters.slice(TIME_LETTERS) }
}

function inLetters(value: number, count: number): string {
  let text = ''
  for (let left = value; text.length < count; left = Math.floor(left / 32)) text = ALPHABET[left % 32]! + text
  return text
}
