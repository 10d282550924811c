/** A JSON object of an operator's, of which nothing is certain. */
export type Fields = Readonly<Record<string, unknown>>

/** An operator's words, each beside its meaning to us. A word without a row decides nothing, `constructor` least of all. */
export type WordTable<Meaning> = ReadonlyMap<string, Meaning>

export function wordTable<Meaning extends string | object>(
  rows: Readonly<Record<string, Meaning>>,
): WordTable<Meaning> {
  return new Map(Object.entries(rows))
}

/** A value as an object; null for anything else. */
export function objectIn(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

/** A word that has no row, for people; `unreadable` when it is no word at all. */
export function unlisted(word: unknown): { unlisted: string } {
  return { unlisted: typeof word === 'string' && /^[\w .:-]{1,80}$/.test(word) ? word : 'unreadable' }
}
