import type { Db } from '../platform/postgres/database.ts'
import { CHARGES } from './accounts.ts'
import * as store from './store.ts'

/**
 * The margin of one day at one operator, in francs: fees of merchants less charges of the operator. `operator` is null
 * for bookings at no operator, such as a correction.
 */
export type MarginLine = { day: string; operator: string | null; fees: number; charges: number; margin: number }

/**
 * The margin of all merchants in one mode, by day and operator, from one UTC day to another, both included. A day
 * without entries has no line. The accounts are read one after the other, each only over the period.
 */
export async function readMargin(
  db: Db,
  livemode: boolean,
  period: { from: string; to: string },
): Promise<MarginLine[]> {
  const lines = new Map<string, MarginLine>()
  for (const account of await store.readAccountsNamed(db, livemode, ['fees', CHARGES])) {
    const figures = await store.readPeriod(db, account, period)
    if (figures === null || figures.last_sequence < figures.first_sequence) continue
    for (const { day, operator, amount } of await store.sumByOperator(db, account, figures)) {
      const key = `${day} ${operator}`
      const line = lines.get(key) ?? { day, operator, fees: 0, charges: 0, margin: 0 }
      // A charge is a debit, so its amount is negative.
      const more = account.account === CHARGES ? { charges: line.charges - amount } : { fees: line.fees + amount }
      lines.set(key, { ...line, ...more, margin: line.margin + amount })
    }
  }
  return [...lines.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, line]) => line)
}
