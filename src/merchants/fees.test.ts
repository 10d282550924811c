import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from '../../tests/harness/property.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import { type FeeSchedule, type Fees, feeAt, feeFor } from './fees.ts'

const begin = new Date('2026-01-01T00:00:00Z')
const free: FeeSchedule = {
  service: 'collection',
  effective_from: begin,
  basis_points: 0,
  fixed: 0,
  minimum: 0,
  maximum: null,
  bearer: 'merchant',
}

const cases: [
  why: string,
  schedule: Partial<FeeSchedule>,
  amount: number,
  fees: [fee: number, collected: number, net: number],
][] = [
  ['nothing is charged', {}, 10_000, [0, 10_000, 10_000]],
  ['2 % borne by the merchant', { basis_points: 200 }, 10_000, [200, 10_000, 9_800]],
  ['2 % borne by the payer', { basis_points: 200, bearer: 'payer' }, 10_000, [200, 10_200, 10_000]],
  ['half a franc goes up', { basis_points: 50 }, 100, [1, 100, 99]],
  ['less than half goes down', { basis_points: 49 }, 100, [0, 100, 100]],
  ['a fixed part is added after rounding', { basis_points: 150, fixed: 25 }, 1_033, [40, 1_033, 993]],
  ['a fixed part alone', { fixed: 100 }, 5_000, [100, 5_000, 4_900]],
  ['the minimum', { basis_points: 100, minimum: 50 }, 1_000, [50, 1_000, 950]],
  ['the maximum', { basis_points: 100, maximum: 500 }, 1_000_000, [500, 1_000_000, 999_500]],
  ['a maximum of zero', { basis_points: 100, fixed: 10, maximum: 0 }, 1_000, [0, 1_000, 1_000]],
  ['never more than the amount from the merchant', { fixed: 100 }, 60, [60, 60, 0]],
  ['more than the amount from the payer', { fixed: 100, bearer: 'payer' }, 60, [100, 160, 60]],
  ['the fee of a payout is added, whatever `bearer` says', { service: 'payout', fixed: 100 }, 60, [100, 160, 60]],
  ['all of it', { basis_points: 10_000 }, AMOUNT_MAX, [AMOUNT_MAX, AMOUNT_MAX, 0]],
  // The product is beyond 2^53: computed as a plain number, the fee would be a franc more.
  [
    'an amount whose product no number holds',
    { basis_points: 9_999 },
    999_999_995_001,
    [999_899_995_001, 999_999_995_001, 100_000_000],
  ],
]

test('fees follow the schedule', () => {
  for (const [why, schedule, amount, [fee_amount, amount_collected, net_amount]] of cases) {
    assert.deepEqual(feeFor({ ...free, ...schedule }, amount), { fee_amount, amount_collected, net_amount }, why)
  }
})

test('without a schedule an operation is free', () => {
  assert.deepEqual(feeFor(null, 777), { fee_amount: 0, amount_collected: 777, net_amount: 777 })
})

const amounts = fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: AMOUNT_MAX }))
const francs = fc.oneof(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: AMOUNT_MAX }))
const schedules: fc.Arbitrary<FeeSchedule> = fc
  .record({
    basis_points: fc.integer({ min: 0, max: 10_000 }),
    fixed: francs,
    minimum: francs,
    above: fc.option(francs),
    bearer: fc.constantFrom('merchant' as const, 'payer' as const),
  })
  .map(({ above, ...rest }) => ({
    ...free,
    ...rest,
    maximum: above === null ? null : Math.min(rest.minimum + above, AMOUNT_MAX),
  }))

test('francs are whole, exact and conserved, for any schedule and amount', () => {
  fc.assert(
    fc.property(schedules, amounts, (schedule, amount) => {
      const fees = feeFor(schedule, amount)
      for (const value of Object.values(fees)) assert.ok(Number.isSafeInteger(value) && value >= 0)
      assert.equal(fees.net_amount + fees.fee_amount, fees.amount_collected)
      assert.equal(schedule.bearer === 'merchant' ? fees.amount_collected : fees.net_amount, amount)
      assert.equal(fees.fee_amount, expectedFee(schedule, amount, fees))
    }),
    { numRuns: 500_000 },
  )
})

/** The fee by another road: the whole francs f with f - 1/2 <= amount × bps / 10 000 < f + 1/2, found by trying. */
function expectedFee(
  { basis_points, fixed, minimum, maximum, bearer }: FeeSchedule,
  amount: number,
  fees: Fees,
): number {
  const exact = BigInt(amount) * BigInt(basis_points)
  let francs = exact / 10_000n - 1n
  while (francs * 20_000n + 10_000n <= exact * 2n) francs += 1n
  const clamped = [minimum, Number(francs) + fixed, maximum ?? Number.MAX_SAFE_INTEGER].sort((a, b) => a - b)[1]!
  return bearer === 'merchant' ? Math.min(clamped, fees.amount_collected) : clamped
}

test('a larger amount never costs less', () => {
  fc.assert(
    fc.property(schedules, amounts, fc.integer({ min: 0, max: 1_000 }), (schedule, amount, more) => {
      assert.ok(feeFor(schedule, amount + more).fee_amount >= feeFor(schedule, amount).fee_amount)
    }),
    { numRuns: 500_000 },
  )
})

test('the schedule in force is the latest of its service that has begun', () => {
  const at = (day: number) => new Date(Date.UTC(2026, 0, day))
  const of = (service: 'collection' | 'payout', day: number): FeeSchedule => ({
    ...free,
    service,
    effective_from: at(day),
  })
  const third = of('collection', 3)
  const [fifth, second] = [of('collection', 5), of('payout', 2)]
  const all = [fifth, second, third]
  assert.equal(feeAt(all, 'collection', at(2)), null)
  assert.equal(feeAt(all, 'collection', at(3)), third)
  assert.equal(feeAt(all, 'collection', at(4)), third)
  assert.equal(feeAt(all, 'collection', at(9)), fifth)
  assert.equal(feeAt(all, 'payout', at(9)), second)
  assert.equal(feeAt([], 'payout', at(9)), null)
})
