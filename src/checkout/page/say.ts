import { keepTogether } from '../../platform/http/pages/write-values.ts'
import type { FailureCode } from '../../values/failure-codes.ts'
import { type Language, languages } from '../../values/language.ts'
import { failureSentences } from './failure-sentences.ts'
import { sentences } from './sentences.ts'

type Sentences = typeof sentences
export type SentenceName = keyof Sentences

/** The names in braces of a sentence: `amount` and `merchant` for `'Payer {amount} à {merchant}'`. */
type Gaps<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Gaps<Rest> : never
type Fillings<Name extends SentenceName> = Record<Gaps<Sentences[Name][number]>, string>
/** The second argument of `say`: none for a sentence without gaps, otherwise an object with exactly its gaps. */
type Filled<Name extends SentenceName> = [Gaps<Sentences[Name][number]>] extends [never] ? [] : [Fillings<Name>]

/** Returns sentences in one language. Values for gaps are plain text: the caller escapes the sentence for a page. */
export type Say = <Name extends SentenceName>(name: Name, ...fillings: Filled<Name>) => string

export function sayIn(language: Language): Say {
  const at = languages.indexOf(language)
  return (name, ...[fillings]) => {
    const given = (fillings ?? {}) as Record<string, string>
    return keepTogether(sentences[name][at]!).replace(/\{(\w+)\}/g, (gap, key: string) => given[key] ?? gap)
  }
}

/** The cause of a failed payment as a sentence for the payer. */
export function sayFailure(language: Language, code: FailureCode): string {
  return failureSentences[code][languages.indexOf(language)]!
}
