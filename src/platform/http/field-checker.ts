import type { TObject, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type ErrorCode, errorMessages } from '../../values/error-codes.ts'

/** The first wrong field of a body or a query: its code, and a sentence for the developer. */
export type WrongField = { readonly code: ErrorCode; readonly message: string }

/** The code of a wrong field, by its name. A function if the code depends on the value sent. */
export type Invalid =
  | (Readonly<Record<string, ErrorCode | ((sent: unknown) => ErrorCode) | undefined>> & { otherwise: ErrorCode })
  | undefined

/**
 * Returns a check of an object's fields. A valid body costs one call of the compiled schema. Only an invalid one is checked field by
 * field, to find the first wrong field.
 */
export function fieldChecker(schema: TObject | undefined, invalid: Invalid): (value: unknown) => WrongField | null {
  if (schema === undefined) return () => null
  const otherwise = invalid?.otherwise
  if (otherwise === undefined) throw new Error('A route with a body or a query must declare the code of a wrong field.')
  const whole = Compile(schema)
  const required = requiredOf(schema)
  const names = Object.keys(schema.properties)
  const fields = Object.entries(schema.properties).map(([name, property]) => ({
    name,
    property: property as TSchema,
    optional: !required.has(name),
    checker: Compile(property as TSchema),
    code: invalid?.[name] ?? otherwise,
  }))
  return (value) => {
    if (whole.Check(value)) return null
    const sent = value as Fields
    for (const { name, property, optional, checker, code } of fields) {
      const right = Object.hasOwn(sent, name) ? checker.Check(sent[name]) : optional
      if (right) continue
      const decided = typeof code === 'function' ? code(sent[name]) : code
      return { code: decided, message: explain(name, property, sent[name]) ?? errorMessages[decided] }
    }
    return { code: otherwise, message: explainUnknown(sent, names) }
  }
}

/**
 * Explains why a value does not match a schema, in a sentence that names the field, the type or length sent, and the expected value. It never
 * quotes the value, which can be a person's number. Null: the value matches, or only breaks a pattern, which has no good sentence.
 */
export function explain(path: string, schema: TSchema, sent: unknown): string | null {
  if (sent === undefined || sent === null) return `${path} is missing. Send ${expectation(schema)}.`
  const { type, properties } = schema as { type?: string; properties?: Record<string, TSchema> }
  if (type !== undefined && type !== typeOf(sent)) {
    return `${path} must be ${expectation(schema)}, but ${describe(sent)} was sent.`
  }
  if (properties === undefined) return explainBounds(path, schema, sent)
  const required = requiredOf(schema)
  for (const [name, property] of Object.entries(properties)) {
    const inside = Object.hasOwn(sent as object, name) ? (sent as Fields)[name] : undefined
    const right = inside === undefined ? !required.has(name) : Compile(property).Check(inside)
    if (!right) return explain(`${path}.${name}`, property, inside)
  }
  return null
}

/** Explains that a field is unknown. It quotes only a plain name, because any other text can be a value in the wrong place. */
function explainUnknown(sent: Fields, names: readonly string[]): string {
  const unknown = Object.keys(sent).find((name) => !names.includes(name)) ?? ''
  const named = /^[a-z_]{1,40}$/.test(unknown) ? `${unknown} is not a field here.` : 'An unknown field was sent.'
  return `${named} The fields are ${names.join(', ')}.`
}

/**
 * Removes the optional fields that are null from a value, because null means absent. Fields that the schema does not name stay.
 * A value without such fields is returned itself.
 */
export function nullRemover(schema: TObject): (value: unknown) => unknown {
  const required = requiredOf(schema)
  const names = Object.keys(schema.properties)
  const optional = names.filter((name) => !required.has(name))
  const nested = names.flatMap((name) => {
    const property = schema.properties[name] as TSchema
    return 'properties' in property ? [{ name, remove: nullRemover(property as TObject) }] : []
  })
  return (value) => {
    if (typeOf(value) !== 'object') return value
    let kept = value as Fields
    for (const name of optional) {
      if (!Object.hasOwn(kept, name) || kept[name] !== null) continue
      const { [name]: _, ...rest } = kept
      kept = rest
    }
    for (const { name, remove } of nested) {
      if (!Object.hasOwn(kept, name)) continue
      const changed = remove(kept[name])
      if (changed !== kept[name]) kept = { ...kept, [name]: changed }
    }
    return kept
  }
}

/** Describes a value by its type, for a message. */
export function describe(sent: unknown): string {
  if (sent === null) return 'null'
  // The parser passes NaN for a number that is not written as plain digits of an exact integer.
  if (typeof sent === 'number')
    return Number.isNaN(sent) ? 'a number with decimals, an exponent or too many digits' : 'a number'
  if (typeof sent === 'symbol') return sent.description!
  const type = typeOf(sent)
  return type === 'object' || type === 'array' ? `an ${type}` : `a ${type}`
}

type Fields = Readonly<Record<string, unknown>>

function requiredOf(schema: TSchema): ReadonlySet<string> {
  return new Set((schema as { required?: string[] }).required)
}

/** The type of a value, as JSON Schema names it. */
function typeOf(sent: unknown): string {
  if (Array.isArray(sent)) return 'array'
  if (sent === null) return 'null'
  return Number.isSafeInteger(sent) ? 'integer' : typeof sent
}

function explainBounds(path: string, schema: TSchema, sent: unknown): string | null {
  const { minLength, maxLength, minimum, maximum } = schema as Partial<
    Record<'minLength' | 'maxLength' | 'minimum' | 'maximum', number>
  >
  if (typeof sent === 'string') {
    const { length } = [...sent]
    if (maxLength !== undefined && length > maxLength) {
      return `${path} is too long (${length} of at most ${maxLength} characters).`
    }
    if (minLength !== undefined && length < minLength) {
      return `${path} is too short (${length} of at least ${minLength} characters).`
    }
  }
  if (typeof sent === 'number') {
    if (minimum !== undefined && sent < minimum) return `${path} is too small: at least ${minimum}.`
    if (maximum !== undefined && sent > maximum) return `${path} is too large: at most ${maximum}.`
  }
  // A pattern tells a person nothing, so the code's usual sentence follows.
  return 'pattern' in schema && !('~refine' in schema) ? null : `${path} must be ${expectation(schema)}.`
}

/** The expected value, to follow "must be" or "send". */
function expectation(schema: TSchema): string {
  const {
    type,
    enum: choices,
    '~refine': refinements,
  } = schema as {
    type?: string
    enum?: readonly string[]
    '~refine'?: readonly { error: (value: unknown) => string }[]
  }
  const said = refinements?.at(-1)?.error(undefined)
  if (said) return said
  if (choices !== undefined) return `one of ${choices.join(', ')}`
  if (type === 'integer') return 'a whole number, written in plain digits'
  return type === undefined ? 'a value' : type === 'object' || type === 'array' ? `an ${type}` : `a ${type}`
}
