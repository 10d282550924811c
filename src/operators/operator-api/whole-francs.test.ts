import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WrittenNumber } from '../../platform/http/json-reader.ts'
import { francsBelow, wholeFrancs } from './whole-francs.ts'

const cases: [written: unknown, whole: number | null, below: number | null][] = [
  [2500, 2500, 2500],
  ['2500', 2500, 2500],
  ['2500.00', 2500, 2500],
  [new WrittenNumber('2500.0'), 2500, 2500],
  ['0', 0, 0],
  ['2500.01', null, 2500],
  [2500.5, null, 2500],
  ...[
    '',
    ' 2500',
    '2500.',
    '.5',
    '-2500',
    '+2500',
    '02500',
    '2,500',
    '2 500',
    '2500F',
    '0x9c4',
    '２５００',
    '9'.repeat(16),
    new WrittenNumber('25e2'),
    new WrittenNumber('-0'),
    -1,
    Number.NaN,
    null,
    undefined,
    true,
    ['2500'],
    { amount: 2500 },
  ].map((written): [unknown, null, null] => [written, null, null]),
]

test('an amount is whole francs in each spelling of the operators, and nothing else is an amount', () => {
  for (const [written, whole, below] of cases) {
    assert.equal(wholeFrancs(written), whole, JSON.stringify(written))
    assert.equal(francsBelow(written), below, JSON.stringify(written))
  }
})
