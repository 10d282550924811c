import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { hmacHex, hmacSha256 } from './hmac.ts'

test('is the HMAC of OpenSSL for keys of up to a block and texts of any length, also when it is used again', () => {
  for (const length of [0, 1, 31, 32, 33, 63, 64]) {
    const key = randomBytes(length)
    const hmac = hmacSha256(key)
    for (const text of [
      '',
      'a',
      'é'.repeat(27),
      'x'.repeat(55),
      'x'.repeat(56),
      '1 false clé 🔑',
      'é'.repeat(661),
      '€'.repeat(662),
      'x'.repeat(5_000),
    ]) {
      const expected = createHmac('sha256', key).update(text).digest()
      assert.deepEqual(hmac(text), expected, `${length} ${text.length}`)
      assert.equal(hmacHex(key, text), expected.toString('hex'), `${length} ${text.length}`)
    }
  }
})

test('RFC 4231, case 2', () => {
  const expected = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'
  assert.equal(hmacSha256(Buffer.from('Jefe'))('what do ya want for nothing?').toString('hex'), expected)
})

test('a longer key is refused', () => {
  assert.throws(() => hmacSha256(randomBytes(65)), RangeError)
  assert.throws(() => hmacHex(randomBytes(65), ''), RangeError)
})
