import assert from 'node:assert/strict'
import { test } from 'node:test'
import { depositReference, merchantOfDeposit } from './deposit-reference.ts'

test('a deposit reference is found in a bank’s text, and a mistyped one names nobody', () => {
  for (const merchant_id of [1, 42, 1_042, 999_999_999]) {
    const reference = depositReference(merchant_id)
    assert.match(reference, /^DEP \d+ [B-Z]{4}$/)
    for (const text of [
      reference,
      reference.toLowerCase(),
      `VIR RECU ${reference.replaceAll(' ', '')} AYA`,
      reference.replaceAll(' ', '-'),
    ])
      assert.equal(merchantOfDeposit(text), merchant_id, text)
  }
  const wrong = depositReference(1_042).replace('1042', '1024')
  assert.equal(merchantOfDeposit(wrong), null)
  for (const text of ['', 'DEP', 'DEP 1042', 'DEP 0 BCDF', 'DEP 9999999999999999 BCDF'])
    assert.equal(merchantOfDeposit(text), null, text)
})
