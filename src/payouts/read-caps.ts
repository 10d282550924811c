import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { Caps } from './decide-payout.ts'
import { type UsualCaps, usedIn } from './spending-limits.ts'
import * as store from './store.ts'

/** The caps in force for a merchant in one mode, in francs: its own, and the service's where it has none. To be shown, not to decide on. */
export async function readCaps(db: Db, tenant: Tenant, usual: UsualCaps): Promise<Caps> {
  const { operation, day } = await store.readCaps(db, tenant)
  return { operation: operation ?? usual.payout_cap_operation, day: day ?? usual.payout_cap_day }
}

/** How much of the cap of 24 hours is used, in francs, and whether this request or payout is in it. To be shown, not to decide on. */
export type DayUse = { used: number; cap: number; counted: boolean }

/** @param subject_id the request or payout that is looked at */
export async function readDayUse(db: Db, tenant: Tenant, usual: UsualCaps, subject_id: string): Promise<DayUse> {
  const [[total], counted] = await Promise.all([
    store.readCapTotals(db, [tenant]),
    store.isUsageCounted(db, { ...tenant, subject_id }),
  ])
  return { used: usedIn(total!), cap: total!.day ?? usual.payout_cap_day, counted }
}
