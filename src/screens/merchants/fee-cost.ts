import { COUNTED_MAX, countAmounts } from '../../listings/count-amounts.ts'
import { type FeeSchedule, feeFor } from '../../merchants/fees.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'

/** The fees of a merchant's last whole month under two schedules, in francs. */
export type FeeCost = {
  /** The first moment of the month in Abidjan, which is on UTC. */
  readonly month: Date
  readonly operations: number
  readonly amount: number
  readonly in_force: number
  readonly wanted: number
  /** False when the month has more operations than are counted. */
  readonly whole: boolean
}

/**
 * Computes the fees of the last whole month under the schedule in force and under a new one, with the service's own arithmetic.
 * @param in_force null: no fees
 */
export async function readFeeCost(
  db: Db,
  tenant: Tenant,
  { now, in_force, wanted }: { now: Date; in_force: FeeSchedule | null; wanted: FeeSchedule },
): Promise<FeeCost> {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  const [from, before] = [new Date(Date.UTC(year, month - 1)), new Date(Date.UTC(year, month))]
  const kind = wanted.service === 'payout' ? 'payout' : 'payment'
  const counted = await countAmounts(db, tenant, kind, { from, before })
  const sum = (of: (amount: number) => number) =>
    counted.reduce((all, { amount, operations }) => all + of(amount) * operations, 0)
  const operations = sum(() => 1)
  return {
    month: from,
    operations,
    amount: sum((amount) => amount),
    in_force: sum((amount) => feeFor(in_force, amount).fee_amount),
    wanted: sum((amount) => feeFor(wanted, amount).fee_amount),
    whole: operations < COUNTED_MAX,
  }
}
