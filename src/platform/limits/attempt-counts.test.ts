import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSeed } from '../../../tests/harness/seed.ts'
import { createAttemptCounts } from './attempt-counts.ts'

test('attempts are limited within the window that the first one began', () => {
  const attempts = createAttemptCounts(2, 1_000, 10)
  assert.deepEqual([attempts.take(1, 0), attempts.take(1, 900), attempts.take(1, 999)], [true, true, false])
  assert.equal(attempts.take(2, 999), true)
  assert.equal(attempts.take(1, 1_000), true)
})

test('a returned attempt may be made again, and only as many as were made', () => {
  const attempts = createAttemptCounts(1, 1_000, 10)
  attempts.take(1, 0)
  assert.equal(attempts.take(1, 0), false)
  assert.equal(attempts.giveBack(1, 1), true)
  assert.equal(attempts.giveBack(1, 2), false)
  assert.deepEqual([attempts.take(1, 3), attempts.take(1, 4)], [true, false])
})

test('an attempt given back after its window ended gives nothing to the next window', () => {
  const attempts = createAttemptCounts(1, 1_000, 10)
  attempts.take(1, 0)
  assert.equal(attempts.giveBack(1, 1_000), false)
  assert.deepEqual([attempts.take(1, 1_001), attempts.take(1, 1_002)], [true, false])
})

test('payers beyond the limit of memory push out those with the oldest windows', () => {
  const attempts = createAttemptCounts(1, 1_000, 3)
  for (const [payer, at] of [
    [1, 0],
    [2, 100],
    [3, 200],
    [4, 300],
  ] as const)
    attempts.take(payer, at)
  assert.deepEqual([attempts.take(4, 301), attempts.take(3, 301), attempts.take(2, 301)], [false, false, false])
  assert.equal(attempts.take(1, 301), true)
})

test('a clock put back by a little gives nobody a second window, and one put back by far does not stop counting', () => {
  const attempts = createAttemptCounts(1, 1_000, 10)
  attempts.take(1, 5_500)
  assert.deepEqual([attempts.take(1, 5_000), attempts.take(2, 5_000), attempts.take(2, 5_400)], [false, true, false])
  assert.deepEqual([attempts.take(1, 6_500), attempts.take(2, 6_500)], [true, true])
  assert.deepEqual([attempts.take(1, 100), attempts.take(1, 200)], [true, false])
})

test('each of thousands of payers has exactly the rest of their own window, at any time', (t) => {
  const { between, chance } = openSeed(t)
  const attempts = createAttemptCounts(3, 1_000, 1_000_000)
  const expected = new Map<number, { ends_at: number; count: number }>()
  let now = 1_790_000_000_000
  for (let step = 0; step < 100_000; step += 1) {
    now += between(0, 2)
    const payer = (chance(0.5) ? 1 : -1) * (2_250_700_000_000 + between(0, 400))
    const window = expected.get(payer)
    const open = window !== undefined && window.ends_at > now
    if (chance(0.2)) {
      const counted = open && window.count > 0
      assert.equal(attempts.giveBack(payer, now), counted, `step ${step}`)
      if (counted) window.count -= 1
    } else {
      const passes = !open || window.count < 3
      assert.equal(attempts.take(payer, now), passes, `step ${step}`)
      if (!open) expected.set(payer, { ends_at: now + 1_000, count: 1 })
      else if (passes) window.count += 1
    }
  }
})
