import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSearch } from './search.ts'

const search = createSearch([
  { path: '/a', title: 'Payer', parts: [{ id: 'deux', heading: 'Payé deux fois ?', text: 'Une clé, un envoi.' }] },
  { path: '/b', title: 'Lots', parts: [{ id: '', heading: 'Lots', text: 'Un lot est payé une fois, jamais deux.' }] },
])
const paths = (question: string) => search(question).map(({ path }) => path)

test('a part answers when it holds every word, without accents, and a heading counts more', () => {
  assert.deepEqual(paths('PAYE deux'), ['/a#deux', '/b'])
  assert.deepEqual(paths('lot'), ['/b'])
  assert.deepEqual(paths('cle lot'), [])
})

test('the words around the hit keep their accents', () => {
  assert.equal(search('cle')[0]!.found, 'Une clé, un envoi.')
})

test('a question of signs, of one letter, or without end is answered at once', () => {
  for (const question of ['', '   ', '?!', 'a', '.*'.repeat(10_000), '('.repeat(10_000)])
    assert.deepEqual(paths(question), [])
})
