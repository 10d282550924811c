import type { Db } from '../platform/postgres/database.ts'
import { violatedConstraint } from '../platform/postgres/failures.ts'
import { AMOUNT_MAX } from '../words/amount.ts'
import type { FeeSchedule } from './fees.ts'
import { insertFeeSchedule } from './store.ts'

export type NewFees = Omit<FeeSchedule, 'effective_from'> & {
  readonly merchant_id: number
  /** Null: from now on. */
  readonly effective_from: Date | null
}

export type FeesSet =
  | { kind: 'set'; effective_from: Date }
  /** `effective_in_past`: what exists keeps the fees it was made with. `schedule_exists`: there is one for that moment. */
  | { kind: 'refused'; code: 'invalid_fees' | 'effective_in_past' | 'schedule_exists' | 'resource_not_found' }

const refusalOf: Readonly<Record<string, 'schedule_exists' | 'resource_not_found'>> = {
  fee_schedules_pkey: 'schedule_exists',
  fee_schedules_merchant_id_fkey: 'resource_not_found',
}

/**
 * Gives a merchant a new fee schedule for one service, from now or from a later date. Schedules are never changed:
 * the latest that has begun is in force, and a payment keeps the fee fixed when it was created.
 */
export async function setFees(db: Db, { merchant_id, ...schedule }: NewFees): Promise<FeesSet> {
  if (!canBeCharged(schedule)) return { kind: 'refused', code: 'invalid_fees' }
  try {
    const effective_from = await insertFeeSchedule(db, merchant_id, schedule)
    return effective_from === null ? { kind: 'refused', code: 'effective_in_past' } : { kind: 'set', effective_from }
  } catch (error) {
    const code = refusalOf[violatedConstraint(error) ?? '']
    if (code === undefined) throw error
    return { kind: 'refused', code }
  }
}

/** Francs up to the largest amount, so that every sum made of them is exact. */
function canBeCharged({ basis_points, fixed, minimum, maximum }: Omit<NewFees, 'merchant_id'>): boolean {
  const isAmount = (value: number) => Number.isInteger(value) && value >= 0 && value <= AMOUNT_MAX
  const bounded = maximum === null || (isAmount(maximum) && maximum >= minimum)
  return isAmount(basis_points) && basis_points <= 10_000 && isAmount(fixed) && isAmount(minimum) && bounded
}
