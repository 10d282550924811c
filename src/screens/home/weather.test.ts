import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DescribedOperator } from '../../operators/routing/describe-operators.ts'
import { weatherOf } from './weather.ts'

type Collection = DescribedOperator['collection']

const described = (
  reason: Collection['unavailable_reason'],
  success_rate: number | null,
  median_seconds: number | null,
) => {
  const told = { success_rate, in_doubt_rate: null, median_seconds, p95_seconds: null }
  return {
    code: 'wave_ci' as const,
    collection: {
      available: reason === null,
      unavailable_reason: reason,
      amount_max: 1,
      weather: { last_15_minutes: told, last_24_hours: told },
    },
  }
}
const condition = (...of: Parameters<typeof described>) => weatherOf([described(...of)])[0]?.condition

test('an operator is slow above a minute, disturbed below seven of ten, and down while the service sends nothing to it', () => {
  assert.equal(condition(null, 0.97, 14), 'normal')
  assert.equal(condition(null, 0.97, 61), 'slow')
  assert.equal(condition(null, 0.69, 60), 'disturbed')
  assert.equal(condition('operator_unavailable', 0.97, 14), 'down')
})

test('too few payments give no state, and an operator that is not connected is left out', () => {
  assert.equal(condition(null, null, null), 'unknown')
  assert.deepEqual(weatherOf([described('not_connected', 0.97, 14), described('not_offered', null, null)]), [])
})
