import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAttemptCounts } from './attempt-counts.ts'

test('attempts are limited within the window that the first one began', () => {
  const attempts = createAttemptCounts(2, 1_000, 10)
  assert.deepEqual([attempts.take(1, 0), attempts.take(1, 900), attempts.take(1, 999)], [true, true, false])
  assert.equal(attempts.take(2, 999), true)
  assert.equal(attempts.take(1, 1_000), true)
})

test('an attempt given back may be made again, and no more than were made', () => {
  const attempts = createAttemptCounts(1, 1_000, 10)
  attempts.take(1, 0)
  assert.equal(attempts.take(1, 0), false)
  assert.equal(attempts.giveBack(1, 1), true)
  assert.equal(attempts.giveBack(1, 2), false)
  assert.deepEqual([attempts.take(1, 3), attempts.take(1, 4)], [true, false])
})

test('what is given back after the window ended gives nothing to the next', () => {
  const attempts = createAttemptCounts(1, 1_000, 10)
  attempts.take(1, 0)
  assert.equal(attempts.giveBack(1, 1_000), false)
  assert.deepEqual([attempts.take(1, 1_001), attempts.take(1, 1_002)], [true, false])
})

test('payers beyond what memory may hold push out the one whose window ends first', () => {
  const attempts = createAttemptCounts(1, 1_000, 2)
  for (const [payer, at] of [
    [1, 0],
    [2, 1],
    [3, 2],
    [4, 3],
  ] as const)
    attempts.take(payer, at)
  assert.equal(attempts.take(4, 4), false)
  assert.equal(attempts.take(3, 4), false)
  assert.equal(attempts.take(1, 4), true)
})

test('a window that ends before those in front of it, as the clock stepped back, is followed by another', () => {
  const attempts = createAttemptCounts(1, 1_000, 10)
  attempts.take(1, 500)
  attempts.take(2, 0)
  attempts.take(3, 100)
  assert.deepEqual([attempts.take(2, 1_050), attempts.take(2, 1_050), attempts.take(1, 1_050)], [true, false, false])
  assert.deepEqual([attempts.take(1, 1_500), attempts.take(3, 1_500), attempts.take(2, 1_500)], [true, true, false])
  assert.deepEqual([attempts.take(2, 2_050), attempts.take(2, 2_050), attempts.take(1, 2_050)], [true, false, false])
})
