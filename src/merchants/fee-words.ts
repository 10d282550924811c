import { writeAmount } from '../platform/http/pages/write-values.ts'
import { languages, type Words } from '../values/language.ts'
import type { FeeSchedule, FeeService } from './fees.ts'

export const feeServices = ['collection', 'payout'] as const satisfies readonly FeeService[]

export const feeServiceWords: Readonly<Record<FeeService, Words>> = {
  collection: ['Frais, paiements', 'Fees on payments'],
  payout: ['Frais, envois', 'Fees on payouts'],
}

export const bearerWords: Readonly<Record<FeeSchedule['bearer'], Words>> = {
  merchant: ['Le marchand', 'The merchant'],
  payer: ['Le payeur', 'The payer'],
}

/** The cost of a schedule, whatever its service and its moment. */
export type FeeTerms = Omit<FeeSchedule, 'service' | 'effective_from'>

/** Writes a schedule: `2 % + 25 F CFA, au plus 500 F CFA, à sa charge`. Null means no fees. */
export function feeInWords(terms: FeeTerms | null): Words {
  if (terms === null) return ['aucun', 'none']
  const { basis_points, fixed, minimum, maximum, bearer } = terms
  const phrases: Words[] = [
    rateInWords(basis_points, fixed),
    ...(minimum > 0 ? [withSum(['au moins', 'at least'], minimum)] : []),
    ...(maximum === null ? [] : [withSum(['au plus', 'at most'], maximum)]),
    bearer === 'merchant' ? ['à sa charge', 'paid by the merchant'] : ['au payeur', 'paid by the payer'],
  ]
  return inEach((language) => phrases.map((phrase) => phrase[language]!).join(', '))
}

function rateInWords(basis_points: number, fixed: number): Words {
  const rate = percent(basis_points)
  return inEach((language) =>
    [
      ...(basis_points > 0 || fixed === 0 ? [`${rate[language]}\u00a0%`] : []),
      ...(fixed > 0 ? [writeAmount(fixed)] : []),
    ].join(' + '),
  )
}

const withSum = (words: Words, sum: number): Words => inEach((language) => `${words[language]} ${writeAmount(sum)}`)

/** Writes hundredths of a percent as a percentage: `1,75` or `1.75`. */
function percent(basis_points: number): Words {
  const written = String(basis_points / 100)
  return [written.replace('.', ','), written]
}

function inEach(write: (language: number) => string): Words {
  return languages.map((_, at) => write(at)) as unknown as Words
}
