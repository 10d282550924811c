import assert from 'node:assert/strict'
import { test } from 'node:test'
import { periodOfFile } from './statement-file.ts'

const imported_at = new Date('2026-11-30T10:00:00Z')
const lines = { first_day: '2026-11-10', last_day: '2026-11-11' }
const none = { first_day: null, last_day: null }
type Days = [string | null, string | null]
const cases: [string, typeof lines | typeof none, Days, Days | null][] = [
  ['without a period has the days of its lines', lines, [null, null], ['2026-11-10', '2026-11-11']],
  [
    'has the days of its period before and after its lines',
    lines,
    ['2026-11-08', '2026-11-12'],
    ['2026-11-08', '2026-11-12'],
  ],
  ['has its lines outside its period too', lines, ['2026-11-11', '2026-11-11'], ['2026-11-10', '2026-11-11']],
  ['is not complete for a period that was not over', lines, ['2026-11-10', '2026-11-30'], ['2026-11-10', '2026-11-11']],
  ['without lines has its period', none, ['2026-11-08', '2026-11-08'], ['2026-11-08', '2026-11-08']],
  ['without either has no day', none, [null, null], null],
]
for (const [name, days, [period_from, period_to], expected] of cases) {
  test(`a statement file ${name}`, () => {
    const found = periodOfFile({ ...days, period_from, period_to, imported_at })
    assert.deepEqual(found && [found.from, found.to], expected)
  })
}
