import { readFileSync } from 'node:fs'

const LENGTH_MIN = 12
/** Long enough for any sentence, short enough to be hashed at once. */
const LENGTH_MAX = 200
/** The rest of a password, once the words that everybody guesses are taken out, must be so long itself. */
const REST_MIN = 8
/** Fewer different letters are no password, however many they are. */
const LETTERS_MIN = 5
/** Shorter words are too short to tell anything of the person. */
const WORD_MIN = 4

export type PasswordRefusal = 'password_too_short' | 'password_too_long' | 'password_common' | 'password_contextual'

/** The words that a guesser tries first with this person. */
export type PasswordContext = { brand: string; email: string; name: string }

/** The trade and the country, which every guesser of ours knows. */
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

/** The 5 000 most frequent passwords of twelve letters and more, of lists that are public. Read at the first use. */
function commonPasswords(): ReadonlySet<string> {
  common ??= new Set(readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8').split('\n'))
  return common
}

/**
 * Why a password may not be chosen; null: it may. Length is what counts (NIST SP 800-63B): no kind of character is asked for, and none is
 * forbidden.
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

/** A short word written several times. */
function isRepeated(written: string): boolean {
  return /^(.{1,6})\1+.{0,2}$/su.test(written)
}

function wordsOf({ brand, email, name }: PasswordContext): string[] {
  const parts = [brand, email, name].flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])
  return [...parts.map(bare), ...wordsOfOurs].filter((word) => word.length >= WORD_MIN)
}

/** The letters of a password that are left when these words are taken out, the longest first. */
function restWithout(written: string, words: readonly string[]): string {
  let rest = bare(written)
  for (const word of words.toSorted((a, b) => b.length - a.length)) rest = rest.replaceAll(word, '')
  return rest
}

/** Without accents, spaces and punctuation, which change no word. */
function bare(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
