import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PaymentStatus } from '../payments/payment.ts'
import { decideRefund, type RefundDecision } from './decide-refund.ts'

const facts = { amount: 1_000, amount_collected: 1_000, fee_amount: 10 }
const none = { amount: 0, fee_amount: 0, corrected: false }

type Case = [
  promise: string,
  status: PaymentStatus,
  given: typeof none,
  asked: number | null,
  available: number,
  expected: Partial<RefundDecision> | number,
]

/** A number: it is made, and takes so much of what is available. */
const cases: Case[] = [
  ['the whole of a payment', 'succeeded', none, null, 990, 990],
  ['a part of it', 'succeeded', none, 500, 495, 495],
  ['the rest after a part', 'partially_refunded', { ...none, amount: 500, fee_amount: 5 }, null, 495, 495],
  ['exactly the rest', 'partially_refunded', { ...none, amount: 999, fee_amount: 9 }, 1, 0, 0],
  ['a franc too many', 'succeeded', none, 1_001, 5_000, { code: 'amount_above_remaining' }],
  [
    'a franc above the rest',
    'succeeded',
    { ...none, amount: 400, fee_amount: 4 },
    601,
    5_000,
    { code: 'amount_above_remaining' },
  ],
  ['a franc more than is available', 'succeeded', none, null, 989, { code: 'insufficient_funds' }],
  [
    'what is on its way already',
    'succeeded',
    { ...none, amount: 1_000, fee_amount: 10 },
    1,
    5_000,
    { code: 'already_refunded' },
  ],
  ['what was refunded', 'refunded', { ...none, amount: 1_000, fee_amount: 10 }, null, 0, { code: 'already_refunded' }],
  [
    'what another amount was paid for',
    'succeeded',
    { ...none, corrected: true },
    1,
    5_000,
    { code: 'amount_corrected' },
  ],
  ['a payment that has not begun', 'created', none, null, 5_000, { code: 'payment_not_succeeded' }],
  ['a payment in doubt', 'pending', none, null, 5_000, { code: 'payment_not_succeeded' }],
  ['a payment that failed', 'failed', none, 2_000, 0, { code: 'payment_not_succeeded' }],
  ['a payment that expired', 'expired', none, null, 5_000, { code: 'payment_not_succeeded' }],
]

for (const [promise, status, given, asked, available, expected] of cases) {
  test(`refunding ${promise}`, () => {
    const decision = decideRefund({ ...facts, status }, given, asked, available)
    if (typeof expected !== 'number')
      assert.equal(decision.kind === 'refused' && decision.code, 'code' in expected && expected.code)
    else assert.equal(decision.kind === 'made' && decision.parts.net_amount, expected)
  })
}

test('a refusal says how much is left, and how much is needed', () => {
  const above = decideRefund({ ...facts, status: 'succeeded' }, { ...none, amount: 400, fee_amount: 4 }, 601, 0)
  assert.deepEqual(above, { kind: 'refused', code: 'amount_above_remaining', left: 600 })
  const short = decideRefund({ ...facts, status: 'succeeded' }, none, 500, 494)
  assert.deepEqual(short, { kind: 'refused', code: 'insufficient_funds', needed: 495 })
})
