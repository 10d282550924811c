import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from '../../../tests/harness/property.ts'
import { canonicalJson } from './strict-json.ts'

test('the canonical text has few or many keys in the order of their UTF-16 units, on which kept fingerprints rest', () => {
  const anyKeys = fc.uniqueArray(fc.string({ unit: 'grapheme' }), { maxLength: 40 })
  fc.assert(
    fc.property(anyKeys, (keys) => {
      const written = keys.toSorted().map((key) => `${JSON.stringify(key)}:1`)
      assert.equal(canonicalJson(Object.fromEntries(keys.map((key) => [key, 1]))), `{${written.join(',')}}`)
    }),
  )
})
