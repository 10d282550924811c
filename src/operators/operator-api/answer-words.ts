/** An unchecked JSON object from an operator. */
export type Fields = Readonly<Record<string, unknown>>

/** A table from an operator's words to our meanings. An unknown word decides nothing, not even `constructor`. */
export type WordTable<Meaning> = ReadonlyMap<string, Meaning>

export function wordTable<Meaning extends string | object>(
  rows: Readonly<Record<string, Meaning>>,
): WordTable<Meaning> {
  return new Map(Object.entries(rows))
}

/** A value as an object. Null for anything else. */
export function objectIn(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

/** An unknown word, for people to read. `unreadable` when the value is not a word. */
export function unlisted(word: unknown): { unlisted: string } {
  return { unlisted: typeof word === 'string' && /^[\w .:-]{1,80}$/.test(word) ? word : 'unreadable' }
}
