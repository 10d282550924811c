import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sparkline } from './sparkline.ts'
import { hoursUpTo } from './weather-by-hours.ts'

test('a full bar means that all succeeded, and a dot that there were no operations', () => {
  assert.equal(sparkline([null, 0, 0.5, 0.999, 1]), '·▁▄▇█')
})

test('the hours of a day end now, the oldest first', () => {
  const ends_at = new Date('2026-11-24T12:05:00Z')
  const hours = hoursUpTo(ends_at, [
    { hours_ago: 0, succeeded: 3, operations: 4 },
    { hours_ago: 23, succeeded: 0, operations: 2 },
  ])
  assert.equal(hours.length, 24)
  assert.deepEqual(hours[0], { starts_at: new Date('2026-11-23T12:05:00Z'), operations: 2, success_rate: 0 })
  assert.deepEqual(hours[1], { starts_at: new Date('2026-11-23T13:05:00Z'), operations: 0, success_rate: null })
  assert.deepEqual(hours.at(-1), { starts_at: new Date('2026-11-24T11:05:00Z'), operations: 4, success_rate: 0.75 })
})
