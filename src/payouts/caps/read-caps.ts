import { readPaymentMax } from '../../merchants/store.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { dayCapOf, type UsualCaps, usedIn } from '../spending-limits.ts'
import * as store from '../store.ts'
import type { CapName } from './cap-proposal.ts'

/** The service's caps in francs, of payouts and of one payment, for merchants without caps of their own. */
export type UsualLimits = UsualCaps & { readonly collection_amount_max: number }

/** Caps in force, in francs. */
export type CapsInForce = Readonly<Record<CapName, number>>

/**
 * A merchant's caps in force in one mode, in francs: its own, or else the service's. For display only: they are read
 * without a lock.
 */
export async function readCaps(db: Db, tenant: Tenant, usual: UsualLimits): Promise<CapsInForce> {
  const [own, payment] = await Promise.all([store.readCaps(db, tenant), readPaymentMax(db, tenant.merchant_id)])
  return inForce({ ...own, payment }, usual)
}

/** The caps in force of a merchant with these own caps. Pure. */
export function inForce(own: Readonly<Record<CapName, number | null>>, usual: UsualLimits): CapsInForce {
  return {
    operation: own.operation ?? usual.payout_cap_operation,
    day: own.day ?? usual.payout_cap_day,
    payment: own.payment ?? usual.collection_amount_max,
  }
}

/** The caps in force, with the francs that count within the last 24 hours. For display only. */
export async function readCapsInUse(
  db: Db,
  tenant: Tenant,
  usual: UsualLimits,
): Promise<CapsInForce & { readonly used: number }> {
  const [caps, [total]] = await Promise.all([readCaps(db, tenant, usual), store.readCapTotals(db, [tenant])])
  const payment = total!.unchecked ? Math.min(caps.payment, usual.unchecked_day_max) : caps.payment
  return { ...caps, payment, day: dayCapOf(total!, usual), used: usedIn(total!) }
}

/**
 * How much of the day's cap is used, in francs, and whether the request or payout at hand is included (`counted`). For
 * display only.
 */
export type DayUse = { used: number; cap: number; counted: boolean }

/** @param subject_id the id of the request or payout for `counted` */
export async function readDayUse(db: Db, tenant: Tenant, usual: UsualCaps, subject_id: string): Promise<DayUse> {
  const [total] = await store.readCapTotals(db, [tenant])
  const counted = await store.isUsageCounted(db, { ...tenant, subject_id }, total!)
  return { used: usedIn(total!), cap: dayCapOf(total!, usual), counted }
}
