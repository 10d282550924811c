import { post } from '../ledger/post.ts'
import { payoutStarted } from '../ledger/postings.ts'
import { startInstructions } from '../operators/start-instruction.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../words/caller.ts'
import { type LockedTenants, tenantKey } from './means.ts'
import * as store from './store.ts'

/**
 * Writes payouts that were decided under the lock: the rows, the money leaving the transfer balance, and the
 * instructions that will send it. Nothing is sent yet.
 */
export async function startPayouts(
  tx: Tx,
  payouts: readonly store.NewPayout[],
  { accounts }: LockedTenants,
): Promise<void> {
  if (payouts.length === 0) return
  startInstructions(
    tx,
    payouts.map(({ merchant_id, livemode, id, operator, amount, currency, msisdn }) => {
      return {
        merchant_id,
        livemode,
        subject_id: id,
        direction: 'payout' as const,
        operator,
        amount,
        currency,
        msisdn,
        simulate: null,
      }
    }),
  )
  store.insertPayouts(tx, payouts)
  await post(
    tx,
    payouts.map((payout) => ({
      merchant_id: payout.merchant_id,
      livemode: payout.livemode,
      subject_id: payout.id,
      operation: 'payout_started' as const,
      legs: payoutStarted(payout),
    })),
    accounts,
  )
}

/** Writes what counts towards the 24 hours from now on, and brings each merchant's window to the present; once in a transaction. */
export function countUses(
  tx: Tx,
  uses: readonly (Tenant & { id: string; amount: number })[],
  { means }: LockedTenants,
): void {
  if (uses.length === 0) return
  store.insertUses(
    tx,
    uses.map(({ merchant_id, livemode, id, amount }) => ({ merchant_id, livemode, subject_id: id, amount })),
  )
  store.writeWindows(
    tx,
    [...Map.groupBy(uses, tenantKey)].map(([key, ofTenant]) => {
      return { ...means.get(key)!.window, added: ofTenant.reduce((sum, { amount }) => sum + amount, 0) }
    }),
  )
}
