import { lockAccounts } from '../ledger/post.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import { type Tenant, tenantKey, tenantOf } from '../values/caller.ts'
import type { Caps, SpendingState } from './decide-payout.ts'
import * as store from './store.ts'

/** The service's own caps in francs, for merchants without. */
export type UsualCaps = { payout_cap_operation: number; payout_cap_day: number }

/** The facts that decisions about one merchant's payouts in one mode rest on, locked until the transaction ends. */
export type LockedSpending = SpendingState & { caps: Caps; cap_total: store.CapTotal }

/**
 * Locks what payouts of this merchant are decided on, for an end that gives back what it counted: a request rejected, a batch
 * cancelled. It reads nothing, so that nothing can be wrong with what it would read.
 */
export async function lockTransfer(tx: Tx, { merchant_id, livemode }: Tenant): Promise<void> {
  await lockAccounts(tx, [{ merchant_id, livemode, account: 'transfer' }])
}

/**
 * Locks what payouts of these merchants are decided on (the transfer balance stands for all of it: caps, usage, pending
 * requests) and reads it. The lock comes first and the reading after, in a statement of its own, so that it sees what
 * the one before us committed.
 */
export async function lockSpending(
  tx: Tx,
  tenants: readonly Tenant[],
  usual: UsualCaps,
): Promise<Map<string, LockedSpending>> {
  const distinct = [...new Map(tenants.map((tenant) => [tenantKey(tenant), tenantOf(tenant)])).values()]
  // On their way together, in this order: the server begins the second when the first has its locks.
  const [accounts, totals] = await Promise.all([
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
          day: cap_total.day ?? usual.payout_cap_day,
        },
        cap_total,
      },
    ]),
  )
}

/** No cap is higher than an amount (`payout_caps`, the settings), so a sum far above it need not be known exactly. */
const USED_MAX = 1_000n * BigInt(AMOUNT_MAX)

/** The francs that count now, to be held against a cap. */
export function usedIn({ used }: store.CapTotal): number {
  const sum = BigInt(used)
  return Number(sum > USED_MAX ? USED_MAX : sum)
}
