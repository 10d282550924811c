import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newReference } from './reference.ts'

test('a reference is a UUID of version 4, sorts by its time, and is unique', () => {
  const times = [1, 1_700_000_000_000, 1_763_668_800_000, 1_763_668_800_001, 2 ** 48 - 1]
  const references = times.map(newReference)
  for (const reference of references) {
    assert.match(reference, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
  assert.deepEqual(references.toSorted(), references)
  assert.equal(new Set(Array.from({ length: 10_000 }, () => newReference(times[2]!))).size, 10_000)
})
