import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import type { Caps } from '../decide-payout.ts'
import { type UsualCaps, usedIn } from '../spending-limits.ts'
import * as store from '../store.ts'

/** The caps in force for a merchant in one mode, in francs: its own, and the service's where it has none. To be shown, not to decide on. */
export async function readCaps(db: Db, tenant: Tenant, usual: UsualCaps): Promise<Caps> {
  const { operation, day } = await store.readCaps(db, tenant)
  return { operation: operation ?? usual.payout_cap_operation, day: day ?? usual.payout_cap_day }
}

/** The same caps with the francs that count within the last 24 hours. To be shown, not to decide on. */
export async function readCapsInUse(db: Db, tenant: Tenant, usual: UsualCaps): Promise<Caps & { used: number }> {
  const [total] = await store.readCapTotals(db, [tenant])
  const { operation, day } = total!
  return {
    operation: operation ?? usual.payout_cap_operation,
    day: day ?? usual.payout_cap_day,
    used: usedIn(total!),
  }
}

/** How much of the cap of 24 hours is used, in francs, and whether this request or payout is in it. To be shown, not to decide on. */
export type DayUse = { used: number; cap: number; counted: boolean }

/** @param subject_id the request or payout that is looked at */
export async function readDayUse(db: Db, tenant: Tenant, usual: UsualCaps, subject_id: string): Promise<DayUse> {
  const [{ used, day }, counted] = await Promise.all([
    readCapsInUse(db, tenant, usual),
    store.isUsageCounted(db, { ...tenant, subject_id }),
  ])
  return { used, cap: day, counted }
}
