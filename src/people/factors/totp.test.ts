import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from '../../../tests/harness/property.ts'
import { codeOf, looksLikeTotp, newTotpSecret, otpauthUri, readTotp, secretText, stepAt } from './totp.ts'

/** RFC 6238, appendix B: SHA-1 with the secret of RFC 4226. Its codes have eight digits, of which ours are the last six. */
const SECRET = Buffer.from('12345678901234567890')
const vectors: readonly [seconds: number, code: string][] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
]

const steps = fc.integer({ min: 100, max: 2 ** 31 })
const at = (step: number) => step * 30_000 + 12_345

describe('a code of the telephone', () => {
  test('is the one of RFC 6238', () => {
    for (const [seconds, code] of vectors) assert.equal(codeOf(SECRET, stepAt(seconds * 1_000)), code.slice(-6))
  })

  test('is accepted from the step before to the step after, and each step once', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: -1, max: 1 }), (present, away) => {
        const secret = newTotpSecret()
        const step = present + away
        const read = readTotp(secret, codeOf(secret, step), null, at(present))
        // Two steps beside each other have the same code once in a million times.
        assert.equal(read.kind, 'right')
        assert.ok(read.kind === 'right' && Math.abs(read.step - present) <= 1)
        const again = readTotp(secret, codeOf(secret, step), read.step, at(present))
        assert.equal(again.kind, 'used')
      }),
    )
  })

  test('a code older than the last accepted one counts as used', () => {
    const secret = SECRET
    assert.deepEqual(readTotp(secret, codeOf(secret, 999), 1_000, at(1_000)), { kind: 'used' })
    assert.deepEqual(readTotp(secret, codeOf(secret, 1_001), 1_000, at(1_000)), { kind: 'right', step: 1_001 })
  })

  test('within ten minutes says that a clock is wrong, and further away only that it is wrong', () => {
    const reads = (away: number) => readTotp(SECRET, codeOf(SECRET, 50_000 + away), null, at(50_000)).kind
    for (const away of [-20, -2, 2, 20]) assert.equal(reads(away), 'clock_wrong', `${away} steps away`)
    for (const away of [-21, 21, -5_000]) assert.equal(reads(away), 'wrong', `${away} steps away`)
  })

  test('is read however it is grouped, and nothing else is', () => {
    const code = codeOf(SECRET, 50_000)
    const grouped = `${code.slice(0, 3)} ${code.slice(3)}`
    assert.deepEqual(readTotp(SECRET, grouped, null, at(50_000)), { kind: 'right', step: 50_000 })
    for (const typed of ['', '12345', '1234567', 'abcdef', '１２３４５６', `${code}0`]) {
      assert.equal(looksLikeTotp(typed), false, typed)
      assert.deepEqual(readTotp(SECRET, typed, null, at(50_000)), { kind: 'wrong' })
    }
  })
})

test('a secret is written as authenticator apps read it', () => {
  assert.equal(secretText(SECRET), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  assert.equal(
    otpauthUri(SECRET, { issuer: 'Ma Banque', email: 'awa@example.com' }),
    'otpauth://totp/Ma%20Banque:awa%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Ma%20Banque',
  )
})
