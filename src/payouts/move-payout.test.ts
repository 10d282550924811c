import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertBehind, assertMovesAsTable, rowsOf } from '../../tests/harness/effects.ts'
import { lockedPayout } from '../../tests/harness/payout-row.ts'
import type { LedgerTransaction } from '../ledger/book.ts'
import type { Conclusion } from '../operators/sending/decide.ts'
import { defineReaction } from '../platform/commands/effects.ts'
import { triggerOf } from './conclude-payout.ts'
import { movePayout, transitionPayout } from './move-payout.ts'
import { type PayoutRow, payoutStatuses } from './payout.ts'
import { transitions } from './states.ts'
import type { LockedPayout, Usage } from './store.ts'

const now = new Date('2026-11-24T10:00:05.000Z')

const payoutOf = (changes: Partial<LockedPayout> = {}) => {
  return lockedPayout({ status: 'processing', transition_count: 1, ...changes })
}

const follow = defineReaction<PayoutRow>('batch line', async () => [])

test('in every state each trigger moves a payout as the table of transitions says, or changes nothing', () => {
  assertMovesAsTable('payout', payoutStatuses, transitions, (status) => payoutOf({ status }), transitionPayout)
})

const succeeded: Conclusion = { kind: 'succeeded' }
const refused: Conclusion = { kind: 'failed', failure_code: 'operator_unavailable' }
const silent: Conclusion = { kind: 'silent' }

for (const [why, status, conclusion, expected] of [
  ['a proof', 'processing', succeeded, 'succeeded'],
  ['a proof after silence', 'indeterminate', succeeded, 'succeeded'],
  ['a proof that comes twice', 'succeeded', succeeded, null],
  ['a proof after a refusal', 'failed', succeeded, null],
  ['a refusal', 'processing', refused, 'failed'],
  ['a refusal after silence', 'indeterminate', refused, 'failed'],
  ['a refusal that comes twice', 'failed', refused, null],
  ['a refusal after a proof', 'succeeded', refused, null],
  ['silence', 'processing', silent, 'indeterminate'],
  ['silence that goes on', 'indeterminate', silent, null],
  ['silence after a proof', 'succeeded', silent, null],
] as const) {
  test(`${why}, of a payout that is ${status}: ${expected ?? 'nothing changes'}`, () => {
    const effects = movePayout(payoutOf({ status }), triggerOf({ conclusion, wallet: 'mtn' }), now, follow)
    if (expected === null) return assert.deepEqual(effects, [])
    const [written] = rowsOf<LockedPayout>(effects, 'payout')
    const failure_code = conclusion.kind === 'failed' ? conclusion.failure_code : null
    assert.deepEqual([written!.status, written!.failure_code], [expected, failure_code])
    const booked = rowsOf<LedgerTransaction>(effects, 'account')
    const operations = expected === 'indeterminate' ? [] : [`payout_${expected}`]
    assert.deepEqual(
      booked.map(({ subject_id, operation }) => [subject_id, operation]),
      operations.map((operation) => ['txn_1', operation]),
    )
    const released =
      expected === 'failed' ? [{ merchant_id: 1, livemode: false, subject_id: 'txn_1', amount: 1_000 }] : []
    assert.deepEqual(rowsOf<Usage>(effects, 'payout cap usage'), released)
    assertBehind('payout', effects)
  })
}

test('a failed payout returns its amount and its fee under the lock of the transfer balance', () => {
  const effects = movePayout(payoutOf(), triggerOf({ conclusion: refused, wallet: null }), now, follow)
  const [booked] = rowsOf<LedgerTransaction>(effects, 'account')
  assert.deepEqual(booked!.legs, [
    { account: 'payouts_in_flight', amount: -1_020 },
    { account: 'transfer', amount: 1_020 },
  ])
})

test('a batch line follows its payout to every outcome, and gives back the usage of its batch', () => {
  const line = payoutOf({ batch_id: 'pob_1', rank: 3 })
  for (const conclusion of [succeeded, refused, silent]) {
    const effects = movePayout(line, triggerOf({ conclusion, wallet: 'mtn' }), now, follow)
    const [followed] = rowsOf<PayoutRow>(effects, 'batch line')
    assert.equal(followed!.status, rowsOf<PayoutRow>(effects, 'payout')[0]!.status)
  }
  const [released] = rowsOf<Usage>(
    movePayout(line, triggerOf({ conclusion: refused, wallet: null }), now, follow),
    'payout cap usage',
  )
  assert.equal(released!.subject_id, 'pob_1')
  const begun = movePayout({ ...line, status: 'created' }, { trigger: 'sending_began' }, now, follow)
  assert.deepEqual(rowsOf(begun, 'batch line'), [], 'a line is processing from the execution on')
})
