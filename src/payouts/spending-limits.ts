import { lockAccounts } from '../ledger/post.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { inOrder } from '../platform/postgres/in-order.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import { distinctTenants, type Tenant, tenantKey } from '../values/caller.ts'
import type { Caps, SpendingState } from './decide-payout.ts'
import * as store from './store.ts'
import { sumSent } from './unchecked-store.ts'

/** The service's caps in francs, for merchants without caps of their own. */
export type UsualCaps = {
  payout_cap_operation: number
  payout_cap_day: number
  /** Of a merchant that nobody has checked, in live mode. */
  unchecked_day_max: number
}

/** Everything that decides one merchant's payouts in one mode, locked until the transaction ends. */
export type LockedSpending = SpendingState & { caps: Caps; cap_total: store.CapTotal }

/**
 * Locks a merchant's spending for an operation that only gives usage back: a rejected request, a cancelled batch. It
 * reads no balances or totals, so it cannot fail on them.
 */
export async function lockTransfer(tx: Tx, { merchant_id, livemode }: Tenant): Promise<void> {
  await lockAccounts(tx, [{ merchant_id, livemode, account: 'transfer' }])
}

/**
 * Locks and reads what decides the payouts of these merchants. The lock on the account `transfer` also protects caps,
 * usage and pending requests.
 */
export async function lockSpending(
  tx: Tx,
  tenants: readonly Tenant[],
  usual: UsualCaps,
): Promise<Map<string, LockedSpending>> {
  const distinct = distinctTenants(tenants)
  const [accounts, totals] = await inOrder([
    lockAccounts(
      tx,
      distinct.flatMap((tenant) => [
        { ...tenant, account: 'payouts_in_flight' },
        { ...tenant, account: 'transfer' },
      ]),
    ),
    store.readCapTotals(tx, distinct),
  ])
  return new Map(
    totals.map((cap_total): [string, LockedSpending] => [
      tenantKey(cap_total),
      {
        transfer: accounts.get({ ...cap_total, account: 'transfer' })!.balance,
        used: usedIn(cap_total),
        caps: {
          operation: cap_total.operation ?? usual.payout_cap_operation,
          day: dayCapOf(cap_total, usual),
        },
        cap_total,
      },
    ]),
  )
}

/** The cap of 24 hours in force, in francs: a merchant that nobody has checked has the smaller one in live mode. */
export function dayCapOf({ day, unchecked }: Pick<store.CapTotal, 'day' | 'unchecked'>, usual: UsualCaps): number {
  const cap = day ?? usual.payout_cap_day
  return unchecked ? Math.min(cap, usual.unchecked_day_max) : cap
}

/**
 * The most francs that a merchant may send in 24 hours, if this amount is above it. No approval lifts this limit, only the check of the merchant's
 * file does. Null: it may leave. The account `transfer` is locked.
 * @param subject_id the request or batch that is to leave
 */
export async function uncheckedBar(
  tx: Tx,
  { subject_id, amount, ...tenant }: store.Usage,
  usual: UsualCaps,
  known?: store.CapTotal,
): Promise<number | null> {
  const cap_total = known ?? (await store.readCapTotals(tx, [tenant]))[0]!
  if (!cap_total.unchecked) return null
  const sent = await sumSent(tx, { ...tenant, subject_id }, cap_total)
  return sent + amount > usual.unchecked_day_max ? usual.unchecked_day_max : null
}

/**
 * No cap is higher than the largest amount (`payout_caps`, the settings), so a sum far above that need not be exact.
 */
const USED_MAX = 1_000n * BigInt(AMOUNT_MAX)

/** The francs that count now, for comparison with a cap. */
export function usedIn({ used }: store.CapTotal): number {
  const sum = BigInt(used)
  return Number(sum > USED_MAX ? USED_MAX : sum)
}
