import type { Say, Words } from '../../console/say.ts'
import type { FeeSchedule, FeeService } from '../../merchants/fees.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'

export const feeServices = ['collection', 'payout'] as const satisfies readonly FeeService[]

export const feeServiceWords: Readonly<Record<FeeService, Words>> = {
  collection: ['Frais, paiements', 'Fees on payments'],
  payout: ['Frais, envois', 'Fees on payouts'],
}

/** Writes a schedule: `2 % + 25 F CFA, au plus 500 F CFA, à sa charge`. Null means no fees. */
export function feeInWords(schedule: Omit<FeeSchedule, 'service' | 'effective_from'> | null, say: Say): string {
  if (schedule === null) return say(['aucun', 'none'])
  const { basis_points, fixed, minimum, maximum, bearer } = schedule
  const parts = [
    ...(basis_points > 0 || fixed === 0 ? [`${percent(basis_points, say)}\u00a0%`] : []),
    ...(fixed > 0 ? [writeAmount(fixed)] : []),
  ]
  return [
    parts.join(' + '),
    ...(minimum > 0 ? [say(['au moins {sum}', 'at least {sum}'], { sum: writeAmount(minimum) })] : []),
    ...(maximum === null ? [] : [say(['au plus {sum}', 'at most {sum}'], { sum: writeAmount(maximum) })]),
    bearer === 'merchant' ? say(['à sa charge', 'paid by the merchant']) : say(['au payeur', 'paid by the payer']),
  ].join(', ')
}

/** Writes hundredths of a percent as a percentage: `1,75` or `1.75`. */
export function percent(basis_points: number, say: Say): string {
  return String(basis_points / 100).replace('.', say([',', '.']))
}
