import { readFileSync } from 'node:fs'

const LENGTH_MIN = 12
/** The most characters of a password: enough for any sentence, and quickly hashed. */
const LENGTH_MAX = 200
/** The least characters of a password that remain without its common words. */
const REST_MIN = 8
/** The least number of different characters. */
const LETTERS_MIN = 5
/** Words of the person with fewer letters are not looked for in the password. */
const WORD_MIN = 4

export type PasswordRefusal = 'password_too_short' | 'password_too_long' | 'password_common' | 'password_contextual'

/** The words of a person that attackers try first. */
export type PasswordContext = { brand: string; email: string; name: string }

/** Words of the trade and the country that attackers of this service try. */
const wordsOfOurs = [
  'bandama',
  'mobilemoney',
  'orangemoney',
  'abidjan',
  'cotedivoire',
  'motdepasse',
  'password',
  'azerty',
  'qwerty',
]

let common: ReadonlySet<string> | null = null

/** The 5 000 most frequent passwords of twelve letters and more, from public lists. Read at the first use. */
function commonPasswords(): ReadonlySet<string> {
  common ??= new Set(readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8').split('\n'))
  return common
}

/**
 * Returns the reason why a password cannot be chosen, or null when it can. The rule is length (NIST SP 800-63B): no kind of character is
 * required, and none is forbidden.
 */
export function judgePassword(password: string, context: PasswordContext): PasswordRefusal | null {
  const letters = [...password.normalize('NFKC')]
  if (letters.length < LENGTH_MIN) return 'password_too_short'
  if (letters.length > LENGTH_MAX) return 'password_too_long'
  const written = letters.join('').toLowerCase()
  if (commonPasswords().has(written) || new Set(written).size < LETTERS_MIN || isRepeated(written)) {
    return 'password_common'
  }
  return restWithout(written, wordsOf(context)).length < REST_MIN ? 'password_contextual' : null
}

/** Whether a password is a short word repeated. */
function isRepeated(written: string): boolean {
  return /^(.{1,6})\1+.{0,2}$/su.test(written)
}

function wordsOf({ brand, email, name }: PasswordContext): string[] {
  const parts = [brand, email, name].flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])
  return [...parts.map(bare), ...wordsOfOurs].filter((word) => word.length >= WORD_MIN)
}

/** Removes words from a password, the longest first, and returns the rest. */
function restWithout(written: string, words: readonly string[]): string {
  let rest = bare(written)
  for (const word of words.toSorted((a, b) => b.length - a.length)) rest = rest.replaceAll(word, '')
  return rest
}

/** Normalizes a text for comparison: without accents, spaces and punctuation. */
function bare(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
