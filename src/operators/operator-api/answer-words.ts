import { maskNumbers } from '../../values/msisdn.ts'
import { writtenText } from './whole-francs.ts'

/** An unchecked JSON object from an operator. */
export type Fields = Readonly<Record<string, unknown>>

/**
 * A table from an operator's words to our meanings. A word is a text or a number: an unknown word decides nothing, not even `constructor`, and
 * neither does a list of one word, which JavaScript would write like the word itself.
 */
export class WordTable<Meaning> extends Map<string, Meaning> {
  override get(word: unknown): Meaning | undefined {
    const text = writtenText(word)
    return text === null ? undefined : super.get(text)
  }

  override has(word: unknown): boolean {
    return this.get(word) !== undefined
  }
}

export function wordTable<Meaning extends string | object>(
  rows: Readonly<Record<string, Meaning>>,
): WordTable<Meaning> {
  return new WordTable(Object.entries(rows))
}

/** A value as an object. Null for anything else. */
export function objectIn(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

/** An unknown word, for people to read, with masked phone numbers. `unreadable` when the value is not a word. */
export function unlisted(word: unknown): { unlisted: string } {
  return { unlisted: typeof word === 'string' && /^[\w .:-]{1,80}$/.test(word) ? maskNumbers(word) : 'unreadable' }
}
