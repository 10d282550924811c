import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureMessages } from '../../values/failure-codes.ts'
import { type Alike, type Counts, confirmationBounds, countRows, isBad, noWeather, weatherOf } from './weather.ts'

const alike = (
  state: Alike['state'],
  instructions: number,
  { failure_code = null, silent = false, bounds_passed = null, ...place }: Partial<Alike> = {},
): Alike => ({
  livemode: true,
  operator: 'mtn_ci',
  direction: 'collect',
  state,
  failure_code,
  silent,
  bounds_passed,
  instructions,
  ...place,
})

test('only failures of the operator count against it, and an operation without an outcome is open', () => {
  const [row] = countRows([
    alike('confirmed', 3, { bounds_passed: 0 }),
    alike('confirmed', 2, { bounds_passed: 7 }),
    alike('confirmed', 1, { bounds_passed: confirmationBounds.length }),
    alike('refused', 4, { failure_code: 'operator_unavailable' }),
    alike('refused', 1, { failure_code: 'operator_refused' }),
    alike('refused', 5, { failure_code: 'payer_insufficient_funds' }),
    alike('refused', 6, { failure_code: 'payer_declined' }),
    alike('refused', 7, { failure_code: 'payer_timeout' }),
    alike('refused', 8, { failure_code: 'operator_float_insufficient' }),
    alike('unknown', 2),
    alike('sent', 3, { silent: true }),
    alike('sent', 9),
    alike('prepared', 1),
  ])
  const { confirmed_within, ...counts } = row!
  assert.deepEqual(counts, {
    livemode: true,
    operator: 'mtn_ci',
    direction: 'collect',
    succeeded: 6,
    failed: 5,
    failed_otherwise: 26,
    open: 15,
    in_doubt: 5,
  })
  assert.deepEqual(
    [confirmed_within[0], confirmed_within[7], confirmed_within.at(-1), confirmed_within.length],
    [3, 2, 1, confirmationBounds.length],
  )
})

test('of all reasons of a failure two are the operator’s fault', () => {
  const codes = Object.keys(failureMessages) as (keyof typeof failureMessages)[]
  const failed = codes.filter((failure_code) => countRows([alike('refused', 1, { failure_code })])[0]!.failed === 1)
  assert.deepEqual(failed.toSorted(), ['operator_refused', 'operator_unavailable'])
})

test('modes, operators and directions are counted apart', () => {
  const rows = countRows([
    alike('confirmed', 1, { bounds_passed: 1 }),
    alike('confirmed', 1, { bounds_passed: 1, livemode: false }),
    alike('confirmed', 1, { bounds_passed: 1, direction: 'payout' }),
    alike('confirmed', 1, { bounds_passed: 1, operator: 'wave_ci' }),
  ])
  assert.deepEqual(
    rows.map(({ livemode, operator, direction, succeeded }) => [livemode, operator, direction, succeeded]),
    [
      [true, 'mtn_ci', 'collect', 1],
      [false, 'mtn_ci', 'collect', 1],
      [true, 'mtn_ci', 'payout', 1],
      [true, 'wave_ci', 'collect', 1],
    ],
  )
})

const counts = (some: Partial<Counts>): Counts => ({
  succeeded: 0,
  failed: 0,
  failed_otherwise: 0,
  open: 0,
  in_doubt: 0,
  confirmed_within: confirmationBounds.map(() => 0),
  ...some,
})

/** The number of confirmations within each of these bounds, in seconds. */
const within = (seconds: Record<number, number>) => confirmationBounds.map((bound) => seconds[bound] ?? 0)

test('shares are of the operations that count for the operator, and fewer than twenty give none', () => {
  const told = weatherOf(counts({ succeeded: 15, failed: 3, in_doubt: 2, failed_otherwise: 500, open: 40 }))
  assert.deepEqual([told.operations, told.success_rate, told.in_doubt_rate], [20, 0.75, 0.1])
  const few = weatherOf(counts({ succeeded: 0, failed: 19, failed_otherwise: 500 }))
  assert.deepEqual([few.operations, few.success_rate, few.in_doubt_rate], [19, null, null])
  assert.deepEqual(noWeather, {
    operations: 0,
    success_rate: null,
    in_doubt_rate: null,
    median_seconds: null,
    p95_seconds: null,
  })
})

test('a percentile is the bound within which that share was confirmed', () => {
  const { median_seconds, p95_seconds } = weatherOf(
    counts({ succeeded: 100, confirmed_within: within({ 4: 50, 20: 45, 3600: 5 }) }),
  )
  assert.deepEqual([median_seconds, p95_seconds], [4, 20])
  const few = weatherOf(counts({ succeeded: 19, failed: 90, confirmed_within: within({ 4: 19 }) }))
  assert.deepEqual([few.success_rate, few.median_seconds, few.p95_seconds], [0.174, null, null])
  const enough = weatherOf(counts({ succeeded: 20, confirmed_within: within({ 4: 20 }) }))
  assert.deepEqual([enough.median_seconds, enough.p95_seconds], [4, 4])
})

test('from two seconds to twenty minutes, a bound is at most a third above the one before', () => {
  for (const [at, bound] of confirmationBounds.entries()) {
    const next = confirmationBounds[at + 1] ?? Number.POSITIVE_INFINITY
    assert.ok(next > bound)
    if (bound >= 2 && next <= 1_200) assert.ok(next / bound <= 4 / 3 + 1e-9, `${bound} to ${next}`)
  }
})

test('the weather is bad when fewer than seven of ten succeed, and never with few operations', () => {
  assert.equal(isBad(weatherOf(counts({ succeeded: 14, failed: 6 }))), false)
  assert.equal(isBad(weatherOf(counts({ succeeded: 13, in_doubt: 7 }))), true)
  assert.equal(isBad(weatherOf(counts({ failed: 19 }))), false)
})
