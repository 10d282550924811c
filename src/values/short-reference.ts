/** The leading letters of the identifier's time that a reference leaves out. They change every 35 years. */
const ERA_LETTERS = 2
/** The letters of the time that it takes: to the half minute (2^15 ms). */
const TIME_LETTERS = 5
/** The random letters that it takes from the end: 33 million values for the payments of half a minute. */
const END_LETTERS = 5
/** The letters of the code of a receipt. */
const CODE_LETTERS = 4
/** The milliseconds of one unit of the last letter of the time. */
const TIME_UNIT_MS = 2 ** 15
const ERA_MS = 2 ** (15 + 5 * TIME_LETTERS)

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * Returns the short form of an identifier, to read aloud: ten letters of an alphabet without I, L, O and U, such as `KAG5X-C6W0Z`. They are
 * letters of the identifier itself, so nothing is stored, and `rangeOf` finds the identifier again. In rare cases two payments of the same
 * half minute share a reference, so a search returns a list.
 */
export function shortReference(id: string): string {
  const letters = id.slice(id.indexOf('_') + 1)
  const time = letters.slice(ERA_LETTERS, ERA_LETTERS + TIME_LETTERS)
  return `${time}-${letters.slice(-END_LETTERS)}`.toUpperCase()
}

/**
 * Returns the code of a receipt: the last four letters of the short reference, such as `6W0Z`. A million values tell the payments of a shop's day
 * apart; a reader who asks for one gets all that have it.
 */
export function shortCode(id: string): string {
  return id.slice(-CODE_LETTERS).toUpperCase()
}

/** The identifiers from `from` to before `before` that end with `end`. */
export type ReferenceRange = { from: string; before: string; end: string }

/**
 * Returns the range of identifiers for a reference, in any letter case, with or without its dash, also with O for 0, and I or L for 1. Null
 * when the text is no reference.
 * @param now milliseconds since 1970. Of the moments that a reference may name, it means the latest up to a day from now
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
