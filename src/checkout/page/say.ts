import { keepTogether } from '../../platform/http/pages/write-values.ts'
import type { FailureCode } from '../../values/failure-codes.ts'
import { type Language, languages } from '../../values/language.ts'
import { failureSentences } from './failure-sentences.ts'
import { sentences } from './sentences.ts'

type Sentences = typeof sentences
export type SentenceName = keyof Sentences

/** The names between braces in a sentence: `'Payer {amount} à {merchant}'` takes `amount` and `merchant`. */
type Gaps<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Gaps<Rest> : never
type Fillings<Name extends SentenceName> = Record<Gaps<Sentences[Name][number]>, string>
/** Nothing more for a whole sentence; an object with exactly its gaps for one that has some. */
type Filled<Name extends SentenceName> = [Gaps<Sentences[Name][number]>] extends [never] ? [] : [Fillings<Name>]

/** Says a sentence in one language. Fillings are plain text; the caller that puts the sentence on a page escapes it. */
export type Say = <Name extends SentenceName>(name: Name, ...fillings: Filled<Name>) => string

export function sayIn(language: Language): Say {
  const at = languages.indexOf(language)
  return (name, ...[fillings]) => {
    const given = (fillings ?? {}) as Record<string, string>
    return keepTogether(sentences[name][at]!).replace(/\{(\w+)\}/g, (gap, key: string) => given[key] ?? gap)
  }
}

/** Why the payment failed, in the payer's words. */
export function sayFailure(language: Language, code: FailureCode): string {
  return failureSentences[code][languages.indexOf(language)]!
}
