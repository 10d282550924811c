import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtInProfiles } from './built-in-profiles.ts'
import { validateProfile } from './validate-profile.ts'

test('the built-in profiles are valid, and each fault of another is a sentence', () => {
  for (const profile of builtInProfiles)
    assert.deepEqual(validateProfile(JSON.stringify(profile)), { kind: 'profile', profile })
  const faultsOf = (change: object) => {
    const read = validateProfile(JSON.stringify({ ...builtInProfiles[0], ...change }))
    return read.kind === 'refused' ? read.faults : []
  }
  assert.deepEqual(faultsOf({ date: 'any', more: 1 }), [
    'The profile has no field "more".',
    'date must be one of year_first, day_first, month_first.',
  ])
  assert.deepEqual(faultsOf({ columns: { date: 'Date', amount: { title: 'A', occurrence: 0 } } }), [
    'columns needs an occurrence from 1 for amount.',
  ])
  assert.deepEqual(faultsOf({ arithmetic: 'from_balance' }), [
    'arithmetic from_balance needs fee_at_most.',
    'assumed belongs to arithmetic by_chain.',
  ])
  assert.deepEqual(validateProfile('[]'), { kind: 'refused', faults: ['The profile is no JSON object.'] })
})
