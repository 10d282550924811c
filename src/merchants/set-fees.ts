import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { violatedConstraint } from '../platform/postgres/failures.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import { type FeeSchedule, feeAt } from './fees.ts'
import * as store from './store.ts'

export type NewFees = Omit<FeeSchedule, 'effective_from'> & {
  readonly merchant_id: number
  /**
   * `when_known`: from the first moment at which every process knows of the schedule. Null: at once, only for a merchant that no process
   * has read yet.
   */
  readonly effective_from: Date | 'when_known' | null
}

/**
 * Seconds after which every process has read a new schedule: one for the age of settings in memory, one for the commit and for clocks that
 * differ. No schedule begins sooner, so that its moment is exact.
 */
export const KNOWN_AFTER_SECONDS = 2

export type FeesSet =
  | { kind: 'set'; effective_from: Date }
  /** `effective_too_early`: in the past, or before every process can know. `schedule_exists`: there is one for that moment. */
  | { kind: 'refused'; code: 'invalid_fees' | 'effective_too_early' | 'schedule_exists' | 'resource_not_found' }

/**
 * Adds a fee schedule of a merchant for one service, from a moment on. Schedules never change: the latest that has begun applies to new
 * operations, and a payment keeps the fee of its creation.
 * @param by who sets it, for the audit log
 */
export async function setFees(
  sql: Sql,
  { merchant_id, effective_from: wanted, ...schedule }: NewFees,
  by: Actor = SYSTEM,
): Promise<FeesSet> {
  if (!canBeCharged(schedule)) return { kind: 'refused', code: 'invalid_fees' }
  try {
    return await sql.begin(async (tx): Promise<FeesSet> => {
      if ((await store.lockMerchant(tx, merchant_id)) === null) return { kind: 'refused', code: 'resource_not_found' }
      const settings = (await store.selectSettings(tx, [merchant_id])).get(merchant_id)!
      const effective_from = await store.insertFeeSchedule(tx, merchant_id, schedule, {
        effective_from: wanted instanceof Date ? wanted : null,
        known_after_seconds: wanted === null ? null : KNOWN_AFTER_SECONDS,
      })
      if (effective_from === null) return { kind: 'refused', code: 'effective_too_early' }
      const before = feeAt(settings.fee_schedules, schedule.service, effective_from)
      const after = { ...schedule, effective_from }
      recordAct(
        tx,
        { merchant_id, livemode: null },
        { actor: by, act: 'fees.set', subject: schedule.service, before, after },
      )
      return { kind: 'set', effective_from }
    })
  } catch (error) {
    if (violatedConstraint(error) !== 'fee_schedules_pkey') throw error
    return { kind: 'refused', code: 'schedule_exists' }
  }
}

/** Francs up to the largest amount, so that every sum made of them is exact. */
function canBeCharged({
  basis_points,
  fixed,
  minimum,
  maximum,
}: Omit<NewFees, 'merchant_id' | 'effective_from'>): boolean {
  const isAmount = (value: number) => Number.isInteger(value) && value >= 0 && value <= AMOUNT_MAX
  const bounded = maximum === null || (isAmount(maximum) && maximum >= minimum)
  return isAmount(basis_points) && basis_points <= 10_000 && isAmount(fixed) && isAmount(minimum) && bounded
}
