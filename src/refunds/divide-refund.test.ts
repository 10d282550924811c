import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from '../../tests/harness/property.ts'
import { feeFor } from '../merchants/fees.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import { type Divided, divideRefund, type Given, type RefundParts } from './divide-refund.ts'

// A million payments, each with the fee that a schedule gives it and refunded in parts of any sizes, some of which fail.

const RUNS = 1_000_000

const fees = fc.record({
  basis_points: fc.integer({ min: 0, max: 10_000 }),
  fixed: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5_000 })),
  bearer: fc.constantFrom('merchant' as const, 'payer' as const),
})
const amounts = fc.oneof(
  fc.integer({ min: 1, max: 50 }),
  fc.integer({ min: 1, max: 200_000 }),
  fc.integer({ min: 1, max: AMOUNT_MAX }),
)
/** How much of what is left each part takes, and whether it fails afterwards. */
const parts = fc.array(fc.tuple(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 9 })), { maxLength: 6 })

function paymentOf(amount: number, schedule: { basis_points: number; fixed: number; bearer: 'merchant' | 'payer' }) {
  const whole = { service: 'collection' as const, effective_from: new Date(0), minimum: 0, maximum: null, ...schedule }
  return { amount, ...feeFor(whole, amount) }
}

/** Fast enough for a million: an assertion is only made up where something is wrong. */
function hold(true_: boolean, what: string, ...values: unknown[]): void {
  if (!true_) assert.fail(`${what}: ${JSON.stringify(values)}`)
}

function checkPart(payment: Divided, part: RefundParts, amount: number): void {
  const { amount_returned, fee_amount, net_amount } = part
  hold(part.amount === amount, 'a part is as large as it was asked for', payment, part)
  hold(net_amount + fee_amount === amount_returned, 'francs add up', payment, part)
  for (const value of Object.values(part))
    hold(Number.isSafeInteger(value) && value >= 0, 'whole francs', payment, part)
  hold(amount_returned >= amount, 'the payer gets at least the amount', payment, part)
}

test('the parts of refunds add up to exactly the payment, and none is below zero', () => {
  fc.assert(
    fc.property(amounts, fees, parts, (amount, schedule, wanted) => {
      const payment = paymentOf(amount, schedule)
      const given: Given = { amount: 0, fee_amount: 0 }
      const kept: RefundParts[] = []
      let failures = 0
      const give = (size: number, fails: boolean) => {
        const part = divideRefund(payment, given, size)
        checkPart(payment, part, size)
        hold(part.fee_amount <= payment.fee_amount - given.fee_amount, 'no more commission than is left', payment, part)
        if (failures === 0) {
          // Within a franc of its share of the commission, while none has failed.
          const share = (payment.fee_amount * size) / payment.amount
          hold(Math.abs(part.fee_amount - share) < 1.001 + share * 1e-9, 'pro rata', payment, part)
        }
        if (fails) {
          failures += 1
          return
        }
        given.amount += part.amount
        given.fee_amount += part.fee_amount
        kept.push(part)
      }
      for (const [size, luck] of wanted) {
        const left = payment.amount - given.amount
        if (left === 0) break
        const share = Math.max(1, Math.min(left, Math.floor((left / 1_000) * size)))
        give(share, luck === 0)
        // Another that had succeeded so far fails late, as an operator may refuse after the next was asked for.
        if (luck === 1 && kept.length > 0) {
          const [late] = kept.splice(size % kept.length, 1)
          given.amount -= late!.amount
          given.fee_amount -= late!.fee_amount
          failures += 1
        }
      }
      if (payment.amount > given.amount) give(payment.amount - given.amount, false)
      const sum = (field: keyof RefundParts) => kept.reduce((total, part) => total + part[field], 0)
      hold(sum('amount') === payment.amount, 'the whole amount', payment, kept)
      hold(sum('amount_returned') === payment.amount_collected, 'the payer has back what was collected', payment, kept)
      hold(sum('fee_amount') === payment.fee_amount, 'no commission is left', payment, kept)
      hold(sum('net_amount') === payment.net_amount, 'the merchant gave back what it received', payment, kept)
    }),
    { numRuns: RUNS },
  )
})

test('a full refund gives back everything, with either bearer of the fee', () => {
  const borneByMerchant = { amount: 10_000, amount_collected: 10_000, fee_amount: 150 }
  const borneByPayer = { amount: 10_000, amount_collected: 10_150, fee_amount: 150 }
  const nothing = { amount: 0, fee_amount: 0 }
  assert.deepEqual(divideRefund(borneByMerchant, nothing, 10_000), {
    amount: 10_000,
    amount_returned: 10_000,
    fee_amount: 150,
    net_amount: 9_850,
  })
  assert.deepEqual(divideRefund(borneByPayer, nothing, 10_000), {
    amount: 10_000,
    amount_returned: 10_150,
    fee_amount: 150,
    net_amount: 10_000,
  })
})

test('commission that does not divide goes back with the part that completes the franc', () => {
  const payment = { amount: 100, amount_collected: 100, fee_amount: 1 }
  const given = { amount: 0, fee_amount: 0 }
  const reversed = [33, 33, 33, 1].map((amount) => {
    const { fee_amount } = divideRefund(payment, given, amount)
    given.amount += amount
    given.fee_amount += fee_amount
    return fee_amount
  })
  assert.deepEqual(reversed, [0, 0, 0, 1])
})
