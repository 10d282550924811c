import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holderField } from './account-fields.ts'

test('the holder of an account has a name of 2 to 200 characters on one line', () => {
  for (const name of ['Bé', 'Awa Koné', 'x'.repeat(200)]) assert.equal(holderField.read(name), name)
  for (const name of ['', ' B ', 'x'.repeat(201), 'Awa\nKoné', '  ']) assert.equal(holderField.read(name), undefined)
})
