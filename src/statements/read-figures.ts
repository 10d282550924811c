import { readPeriod } from '../ledger/store.ts'
import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { Period } from '../values/period.ts'
import type { PeriodFigures } from './statement.ts'

/** Reads the figures of a merchant's period in one snapshot. Null when the merchant does not exist. */
export async function readFigures(db: Db, tenant: Tenant, period: Period): Promise<PeriodFigures | null> {
  const figures = await readPeriod(db, { ...tenant, account: 'available' }, period)
  return figures === null ? null : { ...period, ...figures }
}
