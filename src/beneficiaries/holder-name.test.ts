import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holderNameIn } from './beneficiary.ts'

test('a holder’s name has no invisible characters and one form of each letter, so that two people with one name are seen', () => {
  for (const written of ['Awa Koné', '\u200eAwa Koné\u200f', 'Awa\u200b Koné', 'Awa Kone\u0301', ' Awa Koné \ufeff'])
    assert.equal(holderNameIn(written), 'Awa Koné', JSON.stringify(written))
  assert.equal(holderNameIn('\u200b\u200e'), null)
  assert.equal(holderNameIn('Awa\u202e Koné'), 'Awa\u202e Koné', 'shown as a sign, not dropped')
})
