import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from '../../tests/harness/property.ts'
import { sha256 } from './digest.ts'

test('the digest of any text is that of its bytes in UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.deepEqual(sha256(text), createHash('sha256').update(text).digest())
    }),
  )
})
