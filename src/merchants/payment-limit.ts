import type { Tenant } from '../values/caller.ts'
import type { MerchantSettings } from './fees.ts'

/** The service's limits of payments in francs. */
export type PaymentLimits = {
  /** The largest payment of a merchant without a limit of its own. */
  readonly collection_amount_max: number
  /** The sum of a day that an unchecked merchant may collect, and send, in live mode. */
  readonly unchecked_day_max: number
}

/** The sum of a day in francs for a merchant that two people have not checked yet. Null: checked, or test mode. */
export function uncheckedMax(
  { is_checked }: Pick<MerchantSettings, 'is_checked'>,
  { livemode }: Pick<Tenant, 'livemode'>,
  { unchecked_day_max }: Pick<PaymentLimits, 'unchecked_day_max'>,
): number | null {
  return livemode && !is_checked ? unchecked_day_max : null
}

/** The day of a request and its most francs. */
export type UncheckedDay = { readonly day: string; readonly most: number }

/** The day of a request of an unchecked merchant. Null: no such limit. */
export function uncheckedDay(
  merchant: Pick<MerchantSettings, 'is_checked'>,
  mode: Pick<Tenant, 'livemode'>,
  limits: Pick<PaymentLimits, 'unchecked_day_max'>,
  at: Date,
): UncheckedDay | null {
  const most = uncheckedMax(merchant, mode, limits)
  return most === null ? null : { day: at.toISOString().slice(0, 10), most }
}

/** The largest payment of a merchant in one mode, in francs. */
export function paymentMax(
  merchant: Pick<MerchantSettings, 'is_checked' | 'collection_amount_max'>,
  mode: Pick<Tenant, 'livemode'>,
  limits: PaymentLimits,
): number {
  const usual = merchant.collection_amount_max ?? limits.collection_amount_max
  return Math.min(usual, uncheckedMax(merchant, mode, limits) ?? usual)
}
