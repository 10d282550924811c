import { writeAmount, writeNumberEnd } from '../platform/http/pages/write-values.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import type { Words } from '../values/language.ts'
import { isOperatorCode, operatorNames } from '../values/operators.ts'
import { isDay } from '../values/period.ts'
import { merchantIdIn, readFrancs, readLine, readMoment } from '../values/read-typed.ts'

/** A fact about an act, as a person reads it before they agree: its name and its value, in both languages. */
export type Fact<Value> = {
  readonly name: Words
  readonly write: (value: Value) => Words
}

/**
 * A fact that a person types: its field in a form, its option on the command line, and the error when the text cannot be read. The same
 * declaration draws, reads and names it at each door.
 */
export type Field<Value> = Fact<Value> & {
  /** Reads the typed text. Undefined: it cannot be read. */
  readonly read: (typed: string) => Value | undefined
  readonly form: {
    readonly label: Words
    readonly hint?: Words
    readonly kind: 'sum' | 'decimal' | 'line' | 'choice' | 'day'
    readonly choices?: readonly { readonly value: string; readonly words: Words }[]
    readonly longest?: number
    /** The error under the field, which may name what cannot be read. */
    readonly fault: Words | ((typed: string) => Words)
  }
  readonly option: {
    /** Absent: the name of the field. */
    readonly name?: string
    readonly value?: string
    readonly says?: string
    readonly choices?: readonly string[]
    readonly sample?: string
    /** Completes `--amount …` in the error. */
    readonly must: string
    /** The value without the option. Not declared: the option is needed. */
    readonly absent?: Value
  }
}

// biome-ignore lint/suspicious/noExplicitAny: each fact has its own type of value.
export type Facts = Readonly<Record<string, Fact<any>>>
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type AnyField = Field<any>
export type Fields = Readonly<Record<string, AnyField>>

/** The values of facts: what a person reads, signs, and what is compared under the lock of the act. Null: nothing to say. */
export type ContentOf<Declared extends Facts> = {
  readonly [Name in keyof Declared]: Declared[Name] extends Fact<infer Value> ? Value | null : never
}
/** The values that an act gives itself: all but the merchant, whom `performAct` names. */
export type OwnContentOf<Declared extends Facts> = Omit<ContentOf<Declared>, 'merchant'>
/** The values of fields, as they were read. */
export type ValuesOf<Declared extends Fields> = {
  readonly [Name in keyof Declared]: Declared[Name] extends Field<infer Value> ? Value : never
}

/** A line of a slip. */
export type Line = { readonly name: Words; readonly value: Words }

/** Writes content as the lines of a slip, in the order of its facts. */
export function linesOf(facts: Facts, content: Readonly<Record<string, unknown>>): Line[] {
  return Object.entries(facts).flatMap(([key, { name, write }]) => {
    const value = content[key]
    return value === null || value === undefined ? [] : [{ name, value: write(value) as Words }]
  })
}

const same = (text: string): Words => [text, text]

/** An amount in francs. */
export function francs(name: Words): Fact<number> {
  return { name, write: (value) => same(writeAmount(value)) }
}

/** A text that a person wrote, an e-mail address, a code: shown as it is. */
export function text(name: Words): Fact<string> {
  return { name, write: same }
}

/** One of a few values. */
export function oneOf<Value extends string>(name: Words, words: Readonly<Record<Value, Words>>): Fact<Value> {
  return { name, write: (value) => words[value] }
}

/** The merchant concerned. `performAct` reads its name. */
export const merchantFact: Fact<{ name: string; merchant_id: number }> = {
  name: ['Marchand', 'Merchant'],
  write: ({ name, merchant_id }) => same(`${name} (${merchant_id})`),
}

/** The first person of two. */
export const requestedBy: Fact<string> = {
  name: ['Demandé par', 'Requested by'],
  write: (person) => (person.startsWith('key:') ? ['une clé du marchand', 'a key of the merchant'] : same(person)),
}

/** The person who gets money, with only the end of their number. */
export const recipientFact: Fact<{ name: string | null; operator: string | null; number_end: string }> = {
  name: ['Destinataire', 'Recipient'],
  write({ name, operator, number_end }) {
    const network = operator !== null && isOperatorCode(operator) ? operatorNames[operator] : (operator ?? '')
    const number = `${network} ${writeNumberEnd(number_end)}`.trim()
    return same(name === null ? number : `${name}, ${number}`)
  },
}

/** Why, in one line of at most 500 characters. */
export const reasonFact = text(['Raison', 'Reason'])

/** A field with a sum in francs, from `min`. */
export function sumField(
  label: Words,
  { name = ['Montant', 'Amount'], option, min = 1, hint }: SumOptions = {},
): Field<number> {
  return {
    ...francs(name),
    read: (typed) => readFrancs(typed, min) ?? undefined,
    form: {
      label,
      kind: 'sum',
      fault: ['Écrivez une somme en francs.', 'Write a sum in francs.'],
      ...(hint === undefined ? {} : { hint }),
    },
    option: {
      value: 'FRANCS',
      says: 'a whole number of francs',
      sample: '25000',
      must: `must be a whole number from ${min} to ${AMOUNT_MAX}.`,
      ...option,
    },
  }
}
type SumOptions = { name?: Words; option?: { name: string }; min?: number; hint?: Words }

/** A field with a text in one line of at most `longest` characters. */
export function lineField(
  fact: Fact<string>,
  { label, longest, fault, hint, option }: LineOptions & { longest: number },
): Field<string> {
  return {
    ...fact,
    read: (typed) => readLine(typed, longest) ?? undefined,
    form: { label, kind: 'line', longest, fault, ...(hint === undefined ? {} : { hint }) },
    option: { value: 'TEXT', must: `must be one line of 1 to ${longest} characters.`, ...option },
  }
}
type LineOptions = { label: Words; fault: Words; hint?: Words; option?: Partial<Field<string>['option']> }

/** A field with a reason in one line. */
export function reasonField(label: Words, options: Partial<Omit<LineOptions, 'label'>> = {}): Field<string> {
  const fault: Words = [
    'Écrivez pourquoi, sur une ligne de 500 caractères au plus.',
    'Write why, on a line of 500 characters at most.',
  ]
  const help = { says: 'the reason in one line, which is recorded', sample: "'Agreed by phone'" }
  return lineField(reasonFact, { fault, ...options, label, longest: 500, option: { ...help, ...options.option } })
}

/** A field with the number of a merchant, who may not exist. */
export function merchantField(
  label: Words,
  fault: Words = ['Aucun marchand n’a ce numéro.', 'No merchant has this number.'],
): Field<number> {
  return {
    name: merchantFact.name,
    write: (id) => same(String(id)),
    read: (typed) => merchantIdIn(typed) ?? undefined,
    form: { label, kind: 'sum', fault },
    option: { value: 'M', must: 'must be the number of a merchant.' },
  }
}

/** Reads a typed day as a moment on it, or a moment as `toISOString` writes it. @param time such as `T00:00:00.000Z`; Abidjan is on UTC */
export function readDay(typed: string, time: string): string | undefined {
  return isDay(typed) ? `${typed}${time}` : readMoment(typed)?.toISOString()
}

/** A field that may stay empty. */
export function optional<Value>(field: Field<Value>): Field<Value | null> {
  return {
    ...field,
    write: (value) => (value === null ? same('–') : field.write(value)),
    read: (typed) => (typed === '' ? null : field.read(typed)),
    option: { ...field.option, absent: null },
  }
}

/** A field with one of a few values. `read`: converts the typed word; absent: the word is the value. */
export function choiceField<Value extends string, Read = Value>(
  fact: Fact<Read>,
  { label, hint, choices, fault, says, read }: ChoiceOptions<Value, Read>,
): Field<Read> {
  const known = Object.keys(choices) as Value[]
  return {
    ...fact,
    read: (typed) => {
      const word = known.find((one) => one === typed)
      return word === undefined ? undefined : ((read?.(word) ?? word) as Read)
    },
    form: {
      label,
      ...(hint === undefined ? {} : { hint }),
      kind: 'choice',
      fault,
      choices: known.map((value) => ({ value, words: choices[value] })),
    },
    option: { says, choices: known, must: `must be one of ${known.join(', ')}.` },
  }
}
type ChoiceOptions<Value extends string, Read> = {
  label: Words
  hint?: Words
  choices: Readonly<Record<Value, Words>>
  fault: Words
  says: string
  read?: (word: Value) => Read | null
}
