import { type FieldError, field, select } from '../console/forms.ts'
import type { Say } from '../console/say.ts'
import { type Html, html } from '../platform/http/html.ts'
import { operatorCodes, operatorNames } from '../values/operators.ts'

/** A mobile number and its operator, as a person typed them. */
export type TypedNumber = { readonly msisdn: string; readonly operator: string }

/**
 * The two fields of a mobile number: the number and its operator.
 * @param words the hint of the number, and the choice of no operator
 */
export function numberFields(
  say: Say,
  typed: TypedNumber,
  words: { readonly hint: string; readonly none: string },
  errors: readonly FieldError[],
): Html {
  const operators = operatorCodes.map((code) => ({ value: code, label: operatorNames[code] }))
  return html`${field(
    {
      name: 'msisdn',
      label: say(['Numéro', 'Number']),
      hint: words.hint,
      value: typed.msisdn,
      type: 'tel',
      more: { maxlength: '40', autocomplete: 'off' },
    },
    errors,
  )}${select(
    {
      name: 'operator',
      label: say(['Opérateur', 'Operator']),
      value: typed.operator,
      choices: [{ value: '', label: words.none }, ...operators],
    },
    errors,
  )}`
}
