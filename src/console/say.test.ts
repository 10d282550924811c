import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sayCount, sayIn } from './say.ts'

test('nought is singular in French and plural in English', () => {
  const written = (language: 'fr' | 'en') =>
    [0, 1, 2].map((n) => sayCount(sayIn(language), n, ['{n} ligne', '{n} line'], ['{n} lignes', '{n} lines']))
  assert.deepEqual(written('fr'), ['0 ligne', '1 ligne', '2 lignes'])
  assert.deepEqual(written('en'), ['0 lines', '1 line', '2 lines'])
})
