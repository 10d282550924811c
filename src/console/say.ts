import { keepTogether } from '../platform/http/pages/write-values.ts'
import { type Language, languages, type Words } from '../values/language.ts'

export type { Words }

/** A person's own words as a quotation in a sentence. */
export const quoted = ['«\u00a0{text}\u00a0»', '“{text}”'] as const satisfies Words

type Gaps<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Gaps<Rest> : never
/** The fillings of a text: none without variables, otherwise an object with exactly these. */
type Filled<Text extends Words> = [Gaps<Text[0] | Text[1]>] extends [never]
  ? []
  : [Readonly<Record<Gaps<Text[0] | Text[1]>, string | number>>]

/** Writes words in one language. Fillings are plain text; a caller that puts the result on a page escapes it. */
export type Say = <const Text extends Words>(words: Text, ...fillings: Filled<Text>) => string

/** Returns the function that writes words in this language. */
export function sayIn(language: Language): Say {
  const at = languages.indexOf(language)
  return (words, ...[fillings]) => {
    const given: Readonly<Record<string, string | number>> = fillings ?? {}
    return keepTogether(words[at]!).replace(/\{(\w+)\}/g, (gap, key: string) => String(given[key] ?? gap))
  }
}

/** Writes words without gaps that a fact or a table made. */
export function sayWords(say: Say, [french, english]: Words): string {
  return say([french, english])
}

/** Writes words about `n` things, as `{n}`. In French nought is singular too. */
export function sayCount(say: Say, n: number, one: Words, more: Words): string {
  const words = [n < 2 ? one[0] : more[0], n === 1 ? one[1] : more[1]] as const
  return say(words as readonly ['{n}', '{n}'], { n })
}
