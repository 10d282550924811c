import type { FieldError } from '../../console/forms.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import type { FeeService } from '../../merchants/fees.ts'
import type { NewFees } from '../../merchants/set-fees.ts'
import { asSeen } from '../../values/as-seen.ts'
import { readFrancs } from '../../values/read-typed.ts'

type Request = ScreenRequest<'desk'>

export type WantedFees = Omit<NewFees, 'merchant_id'> & { readonly effective_from: Date | 'when_known' }

/** Reads the typed fees, or returns the errors. An empty date means at once. */
export function readFees({ fields, say }: Request): { wanted: WantedFees } | { errors: readonly FieldError[] } {
  const errors: FieldError[] = []
  const fault = (field: string, text: string) => {
    errors.push({ field, text })
    return 0
  }
  const francs = (name: string) => {
    const typed = fields.text(name)
    if (typed === '') return 0
    const text = say(['Écrivez une somme en francs, comme 25.', 'Write a sum in francs, such as 25.'])
    return readFrancs(typed, 0) ?? fault(name, text)
  }
  const service: FeeService = fields.text('service') === 'payout' ? 'payout' : 'collection'
  const rate = say([
    'Écrivez un pourcentage de 0 à 100, comme 1,75.',
    'Write a percentage from 0 to 100, such as 1.75.',
  ])
  const basis_points = basisPointsIn(fields.text('percent')) ?? fault('percent', rate)
  const fixed = francs('fixed')
  const minimum = francs('minimum')
  const maximum = fields.text('maximum') === '' ? null : francs('maximum')
  if (errors.length === 0 && maximum !== null && maximum < minimum) {
    fault(
      'maximum',
      say(['« Au plus » ne peut pas être inférieur à « Au moins ».', '“At most” must not be below “At least”.']),
    )
  }
  const date = fields.text('from')
  const effective_from = date === '' ? 'when_known' : dayIn(date)
  if (effective_from === null)
    return { errors: [...errors, { field: 'from', text: say(['Choisissez un jour.', 'Choose a day.']) }] }
  if (errors.length > 0) return { errors }
  // The fee of a payout is always on top, so its bearer is no choice.
  const bearer = service === 'collection' && fields.text('bearer') === 'payer' ? 'payer' : 'merchant'
  return { wanted: { service, basis_points, fixed, minimum, maximum, bearer, effective_from } }
}

/** Reads `1,75` or `1.75` as 175. Null when the text is no percentage with at most two decimals. */
function basisPointsIn(typed: string): number | null {
  const [, whole, part = ''] = /^(\d{1,3})(?:[.,](\d{1,2}))?$/.exec(asSeen(typed).replace(/[\s%]/g, '')) ?? []
  if (whole === undefined) return null
  const basis_points = Number(whole) * 100 + Number(part.padEnd(2, '0'))
  return basis_points <= 10_000 ? basis_points : null
}

/** Returns the first moment of a day in Abidjan, which is on UTC. Null when the text is no date. */
function dayIn(typed: string): Date | null {
  const at = new Date(/^\d{4}-\d\d-\d\d$/.test(typed) ? `${typed}T00:00:00Z` : Number.NaN)
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== typed ? null : at
}
