import type { AnyField, Fields, ValuesOf } from '../../acts/facts.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { type FieldError, field, select } from '../forms.ts'
import { sayWords } from '../say.ts'
import type { ScreenDoor, ScreenRequest } from '../screen.ts'

type Request = Pick<ScreenRequest<ScreenDoor>, 'say' | 'fields'>

/** Reads the fields of an act from their texts, or returns an error for each that cannot be read, in their order. */
export function readActFields<Typed extends Fields>(
  declared: Typed,
  { say }: Pick<Request, 'say'>,
  textOf: (name: string) => string,
): { values: ValuesOf<Typed> } | { errors: FieldError[] } {
  const values: Record<string, unknown> = {}
  const errors: FieldError[] = []
  for (const [name, { read, form }] of Object.entries(declared)) {
    const typed = textOf(name)
    const value = read(typed)
    const { fault } = form
    if (value === undefined)
      errors.push({ field: name, text: sayWords(say, typeof fault === 'function' ? fault(typed) : fault) })
    values[name] = value
  }
  return errors.length > 0 ? { errors } : { values: values as ValuesOf<Typed> }
}

/** The text of a field that this form needs, although the act does not: a space, which no field reads, in place of an empty text. */
export function needed(field: string) {
  return ({ fields }: Pick<Request, 'fields'>, name: string): string | undefined =>
    name === field && fields.text(name) === '' ? ' ' : undefined
}

/** Draws one field of an act, with the text that the person typed. */
export function actField(
  { say, fields }: Request,
  name: string,
  { form }: AnyField,
  errors: readonly FieldError[],
): Html {
  const { label, hint, kind, choices = [], longest } = form
  const common = {
    name,
    label: say(label),
    value: fields.text(name),
    ...(hint === undefined ? {} : { hint: say(hint) }),
  }
  if (kind === 'choice') {
    const drawn = choices.map(({ value, words }) => ({ value, label: say(words) }))
    return select({ ...common, choices: drawn }, errors)
  }
  if (kind === 'day') return field({ ...common, type: 'date' }, errors)
  if (kind === 'line') return field({ ...common, more: { maxlength: String(longest ?? 500) } }, errors)
  const inputmode = kind === 'sum' ? 'numeric' : 'decimal'
  return field({ ...common, more: { inputmode, autocomplete: 'off' } }, errors)
}

/** Draws all fields of an act, one a line. */
export function actFields(request: Request, declared: Fields, errors: readonly FieldError[]): Html {
  const drawn = Object.entries(declared).map(([name, one]) => actField(request, name, one, errors))
  return html`${drawn.map((one, at) => (at === 0 ? one : html`\n${one}`))}`
}
