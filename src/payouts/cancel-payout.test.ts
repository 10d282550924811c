import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lockedPayout } from '../../tests/harness/payout-row.ts'
import { defineReaction } from '../platform/commands/effects.ts'
import type { Tenant } from '../values/caller.ts'
import { cancelPayoutCommand } from './cancel-payout.ts'
import { type PayoutRow, payoutStatuses } from './payout.ts'
import type { LockedPayout } from './store.ts'

const now = new Date('2026-11-24T10:00:00.000Z')
const tenant: Tenant = { merchant_id: 1, livemode: false }
const command = cancelPayoutCommand(defineReaction<PayoutRow>('batch line', async () => []))

const payouts = (payout: LockedPayout) => new Map([[`${payout.merchant_id}/${payout.livemode}/txn_1`, payout]])
const decide = (loaded: Map<string, LockedPayout>, of: Tenant = tenant) =>
  command.decide({ caller: of, idempotency: null, payout_id: 'txn_1' }, loaded, now)

test('cancelling an unsent payout fails it, ends its instruction, returns its money and updates its batch', () => {
  for (const batch_id of [null, 'pob_1']) {
    const decision = decide(payouts(lockedPayout({ batch_id, rank: batch_id === null ? null : 1 })))
    assert.ok(decision.kind === 'accepted')
    const { status, failure_code } = decision.reply.body as Record<string, unknown>
    assert.deepEqual([decision.reply.status, status, failure_code], [200, 'failed', 'cancelled'])
    const ranks = new Set(decision.effects.map(({ kind }) => kind.rank))
    for (const rank of ['instruction', 'payout', 'account', 'payout cap usage', 'event'] as const) {
      assert.ok(ranks.has(rank), rank)
    }
    assert.equal(ranks.has('batch line'), batch_id !== null)
  }
})

test('only an unsent payout can be cancelled, and only once', () => {
  for (const status of payoutStatuses) {
    const loaded = payouts(lockedPayout({ status }))
    assert.equal(decide(loaded).kind, status === 'created' ? 'accepted' : 'refused', status)
    assert.deepEqual(decide(loaded), { kind: 'refused', code: 'payout_not_cancellable' }, `${status}, again`)
  }
})

test('a payout of another merchant or of the other mode is not found', () => {
  for (const other of [
    { merchant_id: 2, livemode: false },
    { merchant_id: 1, livemode: true },
  ]) {
    assert.deepEqual(decide(payouts(lockedPayout()), other), { kind: 'refused', code: 'resource_not_found' })
  }
})
