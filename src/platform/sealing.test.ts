import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../values/secret.ts'
import { derivedKey } from './config.ts'
import { seal, unseal } from './sealing.ts'

const key = derivedKey(new Secret('a test key of more than thirty-two characters'), 'test')

test('a sealed secret opens in its place, and is never sealed the same way twice', () => {
  const sealed = seal(key, 'whsec_é', '1/test/whe_1')
  assert.equal(unseal(key, sealed, '1/test/whe_1'), 'whsec_é')
  assert.notDeepEqual(seal(key, 'whsec_é', '1/test/whe_1'), sealed)
  assert.ok(!sealed.includes('whsec'))
})

test('a sealed secret does not open with another key, in another place or with a changed byte', () => {
  const sealed = seal(key, 'whsec_x', '1/test/whe_1')
  const otherKey = derivedKey(new Secret('a test key of more than thirty-two characters'), 'other')
  assert.throws(() => unseal(otherKey, sealed, '1/test/whe_1'))
  assert.throws(() => unseal(key, sealed, '1/live/whe_1'))
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    assert.throws(() => unseal(key, changed, '1/test/whe_1'), `byte ${at}`)
  }
  assert.throws(() => unseal(key, Buffer.alloc(0), '1/test/whe_1'))
  assert.throws(() => unseal(key, sealed.subarray(0, 20), '1/test/whe_1'))
})
