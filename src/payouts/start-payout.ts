import { postTransaction } from '../ledger/post.ts'
import { payoutStarted } from '../ledger/postings.ts'
import { type OrderKey, referenceFrom } from '../operators/reference.ts'
import { startInstruction } from '../operators/start-instruction.ts'
import { defineEffect, type Effect } from '../platform/commands/effects.ts'
import { tenantKey, tenantOf } from '../values/caller.ts'
import * as store from './store.ts'

const insertPayout = defineEffect('new row', store.insertPayouts)

/**
 * The effects of starting a payout that was decided under the lock: its row, the debit of the transfer balance, and the
 * instruction that will send it. Nothing is sent yet.
 * @param order_key of its request or its batch, for the reference of its order at the operator; null: an earlier version made that row
 */
export function startPayout(payout: store.NewPayout, order_key: OrderKey | null): Effect[] {
  const { id: subject_id, operator, amount, currency, msisdn } = payout
  const about = { ...tenantOf(payout), subject_id }
  const reference = order_key && referenceFrom(order_key, 'payout', payout.rank ?? 0)
  return [
    postTransaction({ ...about, operation: 'payout_started', legs: payoutStarted(payout) }),
    insertPayout(payout),
    startInstruction({ ...about, direction: 'payout', operator, amount, currency, msisdn, simulate: null, reference }),
  ]
}

/**
 * Makes the usage of a batch count for 24 hours from now, instead of from the creation of the batch.
 * @param added francs to add to the sum again, because the usage had expired
 */
export const renewUsage = defineEffect<Omit<store.Usage, 'amount'> & { cap_total: store.CapTotal; added: number }>(
  'payout cap usage',
  (tx, usages) => {
    store.renewUsage(tx, usages.map(dated))
    store.writeCapTotals(
      tx,
      usages.map(({ cap_total, added }) => ({ ...cap_total, added })),
    )
  },
)

/**
 * Adds usage under the day's cap from now on, and brings the merchant's `cap_total` to the present. All usage of a
 * transaction is written together.
 * @param cap_total the total as this transaction read it under the lock
 */
export const recordUsage = defineEffect<store.Usage & { cap_total: store.CapTotal }>(
  'payout cap usage',
  (tx, usages) => {
    store.insertUsage(tx, usages.map(dated))
    store.writeCapTotals(
      tx,
      Map.groupBy(usages, tenantKey)
        .values()
        .map((ofTenant) => ({
          ...ofTenant[0]!.cap_total,
          added: ofTenant.reduce((sum, { amount }) => sum + amount, 0),
        }))
        .toArray(),
    )
  },
)

function dated<Of extends { cap_total: store.CapTotal }>(usage: Of): Of & { used_at: string } {
  return { ...usage, used_at: usage.cap_total.read_at }
}
