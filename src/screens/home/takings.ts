import { readFigures } from '../../listings/figures-store.ts'
import { findOperations } from '../../listings/find-operations.ts'
import { allOf, type ListedOperation } from '../../listings/listed-operation.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'

/** The payments of one day that succeeded, also those refunded since. Amounts in francs. */
export type DayTakings = { readonly count: number; readonly amount: number; readonly fee_amount: number }

const taken = ['succeeded', 'refunded', 'partially_refunded']

/** Adds up the payments that were made on a day and succeeded. @param day in Abidjan, `YYYY-MM-DD` */
export async function readTakings(db: Db, tenant: Tenant, day: string): Promise<DayTakings> {
  const { days } = await readFigures(db, tenant, 'payment', { from: day, to: day })
  const nothing = { count: 0, amount: 0, fee_amount: 0 }
  return days
    .filter(({ status }) => taken.includes(status))
    .reduce(
      (sum, { count, amount, fee_amount }) => ({
        count: sum.count + count,
        amount: sum.amount + amount,
        fee_amount: sum.fee_amount + fee_amount,
      }),
      nothing,
    )
}

/** Reads the newest payment that succeeded. Null before the first one. */
export async function readLastPaid(db: Db, tenant: Tenant): Promise<ListedOperation | null> {
  const paid = { ...allOf('payment'), statuses: ['succeeded'] }
  const { rows } = await findOperations(db, tenant, paid, { limit: 1, after: null })
  return rows[0] ?? null
}
