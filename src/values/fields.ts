import Type, { type TString } from 'typebox'
import { isDay } from './period.ts'

/** Fields of many objects of the interface, described once. */

/** The field `object`, the kind of an object. */
export function objectField<const Name extends string>(name: Name) {
  return Type.Literal(name, { description: `Always \`${name}\`.` })
}

export const livemode = Type.Boolean({ description: 'True: real money. False: test mode, in which no money moves.' })
export const currency = Type.String({ description: 'Always `XOF`.' })

/** A moment in UTC, such as `2026-08-25T09:30:00.000Z`. */
export function time(description: string) {
  return Type.String({ format: 'date-time', description })
}

/** A moment in UTC, or null. */
export function timeOrNull(description: string) {
  return Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description })
}

/** A text, or null. */
export function textOrNull(description: string) {
  return Type.Union([Type.String(), Type.Null()], { description })
}

/** The option of a query that refuses a field that it does not name, so that a misspelt filter never lists everything. */
export const onlyThese = { additionalProperties: false } as const

/** The query field `limit` of a list: a whole number of at least 1. @param most the list lowers a larger one to this */
export function pageLimit(byDefault: number, most: number) {
  const text = Type.String({ pattern: '^0*[1-9][0-9]*$', description: `${byDefault} when absent, ${most} at most.` })
  return Type.Optional(expecting('a whole number of at least 1', text))
}

/** A text with a pattern, and the words that tell a caller what it must be: a pattern tells a person nothing. */
export function expecting(words: string, text: TString) {
  return Type.Refine(
    text,
    () => true,
    () => words,
  )
}

/**
 * The query field `starting_after` of a list.
 * @param pattern of such an id
 * @param expected its form in words, to follow "must be"
 */
export function pageCursor(description: string, pattern: string, expected: string) {
  return Type.Optional(expecting(expected, Type.String({ pattern, description })))
}

/** The query field `day` of a list. */
export const createdOn = Type.Optional(
  Type.Refine(
    Type.String({
      format: 'date',
      description: 'Only those created on this day of UTC, which is the time of Abidjan.',
    }),
    isDay,
    () => 'a day that exists, written YYYY-MM-DD',
  ),
)
