import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from '../../tests/harness/property.ts'
import { isDay, periodOf } from './period.ts'

const days = ['2026-01-31', '2026-02-28', '2024-02-29', '2000-02-29', '2400-02-29', '0001-01-01', '9999-12-31']
const noDays = ['2026-02-29', '2100-02-29', '1900-02-29', '2026-02-30', '2026-04-31', '2026-13-01', '2026-00-10']
noDays.push('2026-01-00', '2026-01-32', '0000-01-01', '', '2026', '2026-1-1', '26-01-01', '2026/01/01', '20260101')
noDays.push('2026-01-01T00:00:00Z', ' 2026-01-01', '2026-01-01 ', '+2026-01-01', '-2026-01-01', '2026-01-01\n', 'today')
noDays.push('٢٠٢٦-٠١-٠١', '2026-W01-1', '2026-001', '10000-01-01')

test('a day is a date of the calendar, written YYYY-MM-DD', () => {
  for (const day of days) assert.ok(isDay(day), day)
  for (const text of noDays) assert.ok(!isDay(text), JSON.stringify(text))
})

test('every date of the calendar is valid, and the one after the last of a month is not', () => {
  const months = fc.tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 12 }))
  fc.assert(
    fc.property(months, ([year, month]) => {
      const { daysInMonth } = new Temporal.PlainYearMonth(year, month)
      const written = (day: number) =>
        `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
      assert.ok(isDay(written(1)) && isDay(written(daysInMonth)))
      assert.ok(!isDay(written(0)) && !isDay(written(daysInMonth + 1)))
    }),
  )
})

test('a period ends on its first day or later', () => {
  assert.deepEqual(periodOf('2026-08-31', '2026-09-01'), { from: '2026-08-31', to: '2026-09-01' })
  assert.deepEqual(periodOf('2026-08-31', '2026-08-31'), { from: '2026-08-31', to: '2026-08-31' })
  assert.equal(periodOf('2026-09-01', '2026-08-31'), null)
  assert.equal(periodOf('2026-09-01', '2026-09-31'), null)
  assert.equal(periodOf('x', '2026-09-01'), null)
})
