import { postTransaction } from '../ledger/post.ts'
import { payoutStarted } from '../ledger/postings.ts'
import { startInstruction } from '../operators/start-instruction.ts'
import { defineEffect, type Effect } from '../platform/commands/effects.ts'
import { tenantKey, tenantOf } from '../values/caller.ts'
import * as store from './store.ts'

const insertPayout = defineEffect('new row', store.insertPayouts)

/**
 * The effects of starting a payout that was decided under the lock: its row, the money leaving the transfer balance, and the
 * instruction that will send it. Nothing is sent yet.
 */
export function startPayout(payout: store.NewPayout): Effect[] {
  const { id: subject_id, operator, amount, currency, msisdn } = payout
  const about = { ...tenantOf(payout), subject_id }
  return [
    postTransaction({ ...about, operation: 'payout_started', legs: payoutStarted(payout) }),
    insertPayout(payout),
    startInstruction({ ...about, direction: 'payout', operator, amount, currency, msisdn, simulate: null }),
  ]
}

/**
 * Counts towards the 24 hours from now on, and brings the merchant's cap_total to the present. All usage of a transaction are counted
 * together.
 * @param cap_total as the transaction read it under the lock
 */
export const recordUsage = defineEffect<store.Usage & { cap_total: store.CapTotal }>(
  'payout cap usage',
  (tx, usages) => {
    store.insertUsage(tx, usages)
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
