import { type FieldError, field, select } from '../console/forms.ts'
import type { Say } from '../console/say.ts'
import { type Html, html } from '../platform/http/html.ts'
import { otherCountryOf } from '../values/calling-codes.ts'
import { Msisdn } from '../values/msisdn.ts'
import { isOperatorCode, type OperatorCode, operatorCodes, operatorNames } from '../values/operators.ts'
import { sayCountryOfNumber } from './country-words.ts'

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

/** Reads the two fields. Returns null if one is wrong, and then adds an error for each wrong field to `errors`. */
export function readNumber(
  say: Say,
  typed: TypedNumber,
  errors: FieldError[],
): { msisdn: Msisdn; operator: OperatorCode } | null {
  const msisdn = Msisdn.parse(typed.msisdn)
  const { operator } = typed
  if (msisdn === null) {
    const country = otherCountryOf(typed.msisdn)
    const unread = say(['Ce numéro ne se lit pas : dix chiffres.', 'This number cannot be read: ten digits.'])
    errors.push({ field: 'msisdn', text: country === null ? unread : sayCountryOfNumber(say, country) })
  }
  if (!isOperatorCode(operator))
    errors.push({ field: 'operator', text: say(['Choisissez l’opérateur.', 'Choose the operator.']) })
  return msisdn === null || !isOperatorCode(operator) ? null : { msisdn, operator }
}
