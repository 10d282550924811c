import { readPaymentMax } from '../../merchants/store.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { type UsualCaps, usedIn } from '../spending-limits.ts'
import * as store from '../store.ts'
import type { CapName } from './cap-proposal.ts'

/** The service's own caps in francs, for merchants without: of payouts, and of one payment. */
export type UsualLimits = UsualCaps & { readonly collection_amount_max: number }

/** Caps in force, in francs. */
export type CapsInForce = Readonly<Record<CapName, number>>

/** The caps in force for a merchant in one mode, in francs: its own, and the service's where it has none. To be shown, not to decide on. */
export async function readCaps(db: Db, tenant: Tenant, usual: UsualLimits): Promise<CapsInForce> {
  const [{ operation, day }, payment] = await Promise.all([
    store.readCaps(db, tenant),
    readPaymentMax(db, tenant.merchant_id),
  ])
  return {
    operation: operation ?? usual.payout_cap_operation,
    day: day ?? usual.payout_cap_day,
    payment: payment ?? usual.collection_amount_max,
  }
}

/** The same caps with the francs that count within the last 24 hours. To be shown, not to decide on. */
export async function readCapsInUse(
  db: Db,
  tenant: Tenant,
  usual: UsualLimits,
): Promise<CapsInForce & { readonly used: number }> {
  const [caps, [total]] = await Promise.all([readCaps(db, tenant, usual), store.readCapTotals(db, [tenant])])
  return { ...caps, used: usedIn(total!) }
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
