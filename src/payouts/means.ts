import { accountKey } from '../ledger/book.ts'
import { type LockedAccounts, lockAccounts } from '../ledger/post.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../words/caller.ts'
import type { Caps, Means } from './decide-payout.ts'
import * as store from './store.ts'

/** The service's own caps in francs, for merchants without. */
export type UsualCaps = { payout_cap_operation: number; payout_cap_day: number }

/** What decisions about one merchant's money in one mode rest on, locked until the transaction ends. */
export type LockedMeans = Means & { caps: Caps }

export type LockedTenants = { means: Map<string, LockedMeans>; accounts: LockedAccounts }

/** One text for a merchant in a mode. */
export function tenantKey({ merchant_id, livemode }: Tenant): string {
  return `${merchant_id}/${livemode}`
}

/**
 * Locks what payouts of these merchants are decided on (the transfer balance stands for all of it: caps, uses, pending
 * requests) and reads it. The lock comes first and the reading after, in a statement of its own, so that it sees what
 * the one before us committed.
 */
export async function lockMeans(tx: Tx, tenants: readonly Tenant[], usual: UsualCaps): Promise<LockedTenants> {
  const distinct = [
    ...new Map(
      tenants.map(({ merchant_id, livemode }) => [tenantKey({ merchant_id, livemode }), { merchant_id, livemode }]),
    ).values(),
  ]
  // On their way together, in this order: the server begins the second when the first has its locks.
  const [accounts, windows] = await Promise.all([
    lockAccounts(
      tx,
      distinct.flatMap((tenant) => [
        { ...tenant, account: 'payouts_in_flight' },
        { ...tenant, account: 'transfer' },
      ]),
    ),
    store.readWindows(tx, distinct),
  ])
  const means = new Map(
    windows.map((row): [string, LockedMeans] => [
      tenantKey(row),
      {
        transfer: accounts.get(accountKey({ ...row, account: 'transfer' }))!.balance,
        used: row.used,
        caps: { operation: row.operation ?? usual.payout_cap_operation, day: row.day ?? usual.payout_cap_day },
      },
    ]),
  )
  return { means, accounts }
}
