import { titleKey } from './find-columns.ts'

/** The most words of a column whose meaning is kept. */
const KNOWN_MAX = 100

/** A name whose words a text is. `begins`: the text only begins with them, as a label does. */
export type KnownWord = { readonly name: string; readonly begins: boolean }

/** Returns a function that finds the name whose words a text is or, with a star, begins with. */
export function wordsOf(lists: Readonly<Record<string, readonly string[]>>): (text: string) => KnownWord | null {
  const exact = new Map<string, string>()
  const begun: [string, string][] = []
  for (const [name, words] of Object.entries(lists)) {
    for (const word of words) {
      if (word.endsWith('*')) begun.push([wholeWords(word.slice(0, -1)), name])
      else exact.set(wordKey(word), name)
    }
  }
  // A column of types has a few words, each a thousand times.
  const found = new Map<string, KnownWord | null>()
  function find(text: string): KnownWord | null {
    const name = exact.get(wordKey(text))
    if (name !== undefined) return { name, begins: false }
    if (begun.length === 0) return null
    const label = wholeWords(text)
    const prefix = begun.find(([word]) => word !== '' && label.startsWith(word))
    return prefix === undefined ? null : { name: prefix[1], begins: true }
  }
  return (text) => {
    if (text === '' || exact.size + begun.length === 0) return null
    const earlier = found.get(text)
    if (earlier !== undefined) return earlier
    const known = find(text)
    if (found.size < KNOWN_MAX) found.set(text, known)
    return known
  }
}

/** The form in which words are compared. A word of signs, such as `+`, stays as it is. */
export function wordKey(word: string): string {
  return titleKey(word) || word.trim().replaceAll('\u2212', '-')
}

/** The words of a label with a space behind each, so that `TAF ` begins `TAF SUR COMMISSION` and not `TAFIRE`. */
function wholeWords(label: string): string {
  const words = label
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return words
    .filter((word) => word !== '')
    .map((word) => `${word} `)
    .join('')
}
