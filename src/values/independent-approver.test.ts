import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isIndependentApprover, normalizePerson } from './independent-approver.ts'

const writings = [
  'awa@example.com',
  'Awa@Example.com',
  ' awa@example.com\t',
  'ＡＷＡ@example.com',
  'awa\u200b@example.com',
  // Invisible, but no format characters: a grapheme joiner, a variation selector, a Hangul filler, a control character.
  'awa@example.com\u034f',
  'awa@example.com\ufe0f',
  '\u3164awa@example.com',
  'awa\u{e0100}@example.com',
  'awa\u0001@example.com',
]

test('a person written in two ways is one person', () => {
  for (const written of writings) assert.equal(normalizePerson(written), 'awa@example.com', written)
  assert.equal(normalizePerson('Awa  Koné '), 'awa koné')
  for (const nobody of ['', ' ', '\u200b', '\u3164 \u034f', 'x'.repeat(201)])
    assert.equal(normalizePerson(nobody), null)
})

test('the maker does not decide, however either name is written', () => {
  for (const asked of writings) {
    for (const decides of writings)
      assert.equal(isIndependentApprover(asked, decides), false, `${asked} and ${decides}`)
    assert.equal(isIndependentApprover(asked, 'issa@example.com'), true)
  }
})

test('no key decides, and no person without a name', () => {
  for (const nobody of ['key:K2', 'KEY:K2', ' key:K2', '', ' '])
    assert.equal(isIndependentApprover('key:K1', nobody), false, nobody)
})
