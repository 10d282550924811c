import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce, type ConcurrencyLimit, firstLimit, inHand, limitAfter } from './concurrency-limit.ts'

const after = (limit: ConcurrencyLimit, count: number, succeeded: boolean, duration_ms: number) =>
  Array.from({ length: count }).reduce<ConcurrencyLimit>((last) => limitAfter(last, succeeded, duration_ms), limit)

test('an endpoint begins with two attempts at once, doubles them to eight, and halves them down to two', () => {
  assert.deepEqual(
    [1, 2, 3, 4].map((count) => after(firstLimit, count, true, 1_000).at_once),
    [4, 8, 8, 8],
  )
  const eight = after(firstLimit, 2, true, 1_000)
  assert.deepEqual(
    [1, 2, 3].map((count) => after(eight, count, false, 1_000).at_once),
    [4, 2, 2],
  )
})

test('one that answers fast has one more with each round of successes, up to thirty-two, and dozens in hand', () => {
  const eight = after(firstLimit, 2, true, 5)
  assert.equal(atOnce(after(eight, 9, true, 5), true), 9)
  const most = after(eight, 2_000, true, 5)
  assert.deepEqual([atOnce(most, true), atOnce(most, false), inHand(most)], [32, 8, 128])
  assert.equal(inHand(after(firstLimit, 2, true, 1_000)), 8, 'a slow one has none taken ahead')
})

test('one that grows slow has eight again, and one slow answer does not make it slow', () => {
  const fast = after(firstLimit, 2_000, true, 5)
  assert.ok(limitAfter(fast, true, 1_400).fast)
  const slow = after(fast, 20, true, 1_400)
  assert.deepEqual([slow.fast, slow.at_once], [false, 8])
})
