import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base32Bytes, firstIdAt, looksLikeId, newId } from './ids.ts'

test('identifiers of one process are all different and sort in the order of their creation', () => {
  const ids = Array.from({ length: 20_000 }, (_, at) => newId('txn', 1_600_000_000_000 + Math.floor(at / 7_000)))
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(ids, ids.toSorted())
})

test('a clock that steps back does not break the order', () => {
  const before = newId('txn', 1_700_000_000_000)
  assert.ok(newId('txn', 1_600_000_000_000) > before)
})

test('the first identifier of an impossible moment is that of the nearest possible one', () => {
  assert.equal(firstIdAt('txn', Date.parse('0001-01-01')), firstIdAt('txn', 0))
  assert.equal(firstIdAt('txn', 2 ** 60), firstIdAt('txn', 2 ** 48 - 1))
  assert.ok(firstIdAt('txn', Date.parse('9999-12-31')) > newId('txn', 1_700_000_000_000))
})

test('an identifier has its prefix and 26 letters, and is recognised as one', () => {
  const id = newId('evt', 1_700_000_000_000)
  assert.match(id, /^evt_[0-9a-hjkmnp-tv-z]{26}$/)
  assert.ok(looksLikeId('evt', id))
})

const shapes: [string, boolean][] = [
  ['txn_a', true],
  [`txn_${'a'.repeat(64)}`, true],
  ['txn_ABC123', true],
  [`txn_${'a'.repeat(65)}`, false],
  ['txn_', false],
  ['txn', false],
  ['evt_a', false],
  ['txn_a-b', false],
  ['txn_a\n', false],
  [' txn_a', false],
]
for (const [text, looks] of shapes) {
  test(`${JSON.stringify(text.slice(0, 20))} ${looks ? 'looks' : 'does not look'} like the id of a transaction`, () => {
    assert.equal(looksLikeId('txn', text), looks)
  })
}

test('bytes in base 32 keep every bit', () => {
  assert.equal(base32Bytes(Uint8Array.of(0)), '00')
  assert.equal(base32Bytes(Uint8Array.of(255)), 'zw')
  assert.equal(base32Bytes(new Uint8Array(32)).length, 52)
})
