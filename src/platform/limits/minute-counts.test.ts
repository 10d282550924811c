import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMinuteCounts } from './minute-counts.ts'

test('each id has a count of its own, and each minute begins at zero', () => {
  const counts = createMinuteCounts(10)
  assert.deepEqual([counts.add('a', 7), counts.add('b', 7), counts.add('a', 7)], [1, 1, 2])
  assert.equal(counts.add('a', 8), 1)
})

test('a clock that steps back over the edge of a minute gives nobody a second allowance', () => {
  const counts = createMinuteCounts(10)
  counts.add('a', 7)
  counts.add('a', 8)
  assert.equal(counts.add('a', 7), 2)
  assert.equal(counts.add('a', 8), 3)
})

test('counting goes on after a clock that was far wrong is corrected', () => {
  const counts = createMinuteCounts(10)
  counts.add('a', 700)
  assert.equal(counts.add('a', 7), 1)
  assert.equal(counts.add('a', 8), 1)
})

test('ids beyond the limit of memory share one count, and known ids keep their own', () => {
  const counts = createMinuteCounts(2)
  counts.add('a', 7)
  counts.add('b', 7)
  assert.deepEqual([counts.add('c', 7), counts.add('d', 7), counts.add('c', 7)], [1, 2, 3])
  assert.equal(counts.add('b', 7), 2)
})
