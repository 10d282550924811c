import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtInProfiles } from './built-in-profiles.ts'
import { wordsOf } from './known-words.ts'
import { validateProfile } from './validate-profile.ts'

test('words of signs are compared as they are', () => {
  const find = wordsOf({ in: ['+', 'Crédit'], out: ['-', '**'] })
  assert.deepEqual(
    ['+', '-', '\u2212', 'CREDIT', '/'].map((text) => find(text)?.name ?? null),
    ['in', 'out', 'out', 'in', null],
  )
})

test('a profile has no title of signs, no star alone and no word in two lists', () => {
  const faultsOf = (change: object) => {
    const read = validateProfile(JSON.stringify({ ...builtInProfiles[0], ...change }))
    return read.kind === 'refused' ? read.faults : []
  }
  assert.deepEqual(faultsOf({ directions: { in: ['+'], out: ['-'] } }), [])
  assert.deepEqual(faultsOf({ titles: ['Montant', '%'] }), [
    'titles must be a list of titles, or of lists of alternatives.',
  ])
  assert.deepEqual(faultsOf({ titles: [['Montant', '-']] }), [
    'titles must be a list of titles, or of lists of alternatives.',
  ])
  assert.deepEqual(faultsOf({ columns: { date: '#', amount: 'A' } }), ['columns needs a title for date.'])
  assert.deepEqual(faultsOf({ preamble: { account: '№' } }), ['preamble has a wrong field "account".'])
  assert.deepEqual(faultsOf({ footer: ['*'] }), ['footer must be a list of words.'])
  assert.deepEqual(faultsOf({ footer: ['+*'] }), ['footer must be a list of words.'])
  assert.deepEqual(faultsOf({ directions: { in: ['C', 'Débit'], out: ['DEBIT'] } }), [
    'directions has a word in two lists.',
  ])
})
