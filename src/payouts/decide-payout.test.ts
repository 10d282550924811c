import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from '../../tests/harness/property.ts'
import { type Caps, decidePayout, type PayoutDecision, type SpendingState } from './decide-payout.ts'

const caps: Caps = { operation: 100, day: 500 }
const created: PayoutDecision = { kind: 'created' }
const refused: PayoutDecision = { kind: 'refused', code: 'insufficient_funds' }
const overOperation: PayoutDecision = { kind: 'held', reason: 'plafond_operation', cap: 100 }
const overDay: PayoutDecision = { kind: 'held', reason: 'plafond_24h', cap: 500 }

type Row = {
  why: string
  spending: SpendingState
  amount: number
  fee?: number
  decision: PayoutDecision
  left: SpendingState
}

const rows: Row[] = [
  {
    why: 'exactly the cap of one operation',
    spending: { transfer: 1_000, used: 0 },
    amount: 100,
    decision: created,
    left: { transfer: 900, used: 100 },
  },
  {
    why: 'a franc above it',
    spending: { transfer: 1_000, used: 0 },
    amount: 101,
    decision: overOperation,
    left: { transfer: 1_000, used: 101 },
  },
  {
    why: 'exactly what the 24 hours leave',
    spending: { transfer: 1_000, used: 401 },
    amount: 99,
    decision: created,
    left: { transfer: 901, used: 500 },
  },
  {
    why: 'a franc above them',
    spending: { transfer: 1_000, used: 401 },
    amount: 100,
    decision: overDay,
    left: { transfer: 1_000, used: 501 },
  },
  {
    why: 'above both: the one of an operation is named',
    spending: { transfer: 1_000, used: 500 },
    amount: 101,
    decision: overOperation,
    left: { transfer: 1_000, used: 601 },
  },
  {
    why: 'above the 24 hours already, by what waits',
    spending: { transfer: 1_000, used: 501 },
    amount: 1,
    decision: overDay,
    left: { transfer: 1_000, used: 502 },
  },
  {
    why: 'above a cap and without funds: the cap is named',
    spending: { transfer: 0, used: 0 },
    amount: 101,
    decision: overOperation,
    left: { transfer: 0, used: 101 },
  },
  {
    why: 'above the 24 hours and without funds',
    spending: { transfer: 0, used: 450 },
    amount: 51,
    decision: overDay,
    left: { transfer: 0, used: 501 },
  },
  {
    why: 'exactly the funds, the fee included',
    spending: { transfer: 60, used: 0 },
    amount: 50,
    fee: 10,
    decision: created,
    left: { transfer: 0, used: 50 },
  },
  {
    why: 'a franc short, for the fee alone',
    spending: { transfer: 59, used: 0 },
    amount: 50,
    fee: 10,
    decision: refused,
    left: { transfer: 59, used: 0 },
  },
  {
    why: 'caps look at the amount and not at the fee',
    spending: { transfer: 1_000, used: 400 },
    amount: 100,
    fee: 50,
    decision: created,
    left: { transfer: 850, used: 500 },
  },
]

for (const { why, spending, amount, fee = 0, decision, left } of rows) {
  test(`${why}: ${decision.kind}`, () => {
    assert.deepEqual(decidePayout(caps, spending, { amount, total_debited: amount + fee }), decision)
    assert.deepEqual(spending, left)
  })
}

test('payouts decided one after the other never spend money twice or pass a cap, in any order', () => {
  const franc = fc.integer({ min: 1, max: 300 })
  const wanted = fc.array(fc.record({ amount: franc, fee: fc.integer({ min: 0, max: 20 }) }), { maxLength: 30 })
  const given = fc.record({ operation: franc, day: franc, transfer: fc.nat(2_000), used: fc.nat(400) })
  fc.assert(
    fc.property(given, wanted, ({ operation, day, transfer, used }, payouts) => {
      const spending = { transfer, used }
      let [sent, spent, counted] = [0, 0, 0]
      for (const { amount, fee } of payouts) {
        const before = { ...spending }
        const { kind } = decidePayout({ operation, day }, spending, { amount, total_debited: amount + fee })
        if (kind === 'created') {
          sent += amount
          spent += amount + fee
          assert.ok(amount <= operation && before.used + amount <= day && amount + fee <= before.transfer)
        }
        if (kind === 'refused') assert.deepEqual(spending, before, 'a refusal leaves the next one what was there')
        else counted += amount
      }
      assert.deepEqual(spending, { transfer: transfer - spent, used: used + counted })
      assert.ok(spending.transfer >= 0 && (sent === 0 || used + sent <= day))
    }),
  )
})
