import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WrittenNumber } from '../../platform/http/json-reader.ts'
import { Msisdn } from '../../values/msisdn.ts'
import type { Order } from '../port.ts'
import { statesAnother } from './stated-number.ts'

const order = { direction: 'payout', msisdn: Msisdn.parse('0758412077') } as Order

test('only a complete telephone number that differs from the order’s counts as another', () => {
  for (const [stated, isAnother] of [
    ['2250758412077', false],
    ['+2250758412077', false],
    ['0758412077', false],
    [new WrittenNumber('2250758412077'), false],
    ['2250758412078', true],
    [new WrittenNumber('2250758412078'), true],
    ['46733123450', true],
    ['225******2078', false],
    ['', false],
    [null, false],
    [undefined, false],
    [{}, false],
  ] as const) {
    assert.equal(statesAnother(stated, order), isAnother, String(stated))
  }
  assert.equal(statesAnother('2250758412078', { ...order, msisdn: null }), false, 'nobody was named')
  assert.equal(statesAnother('2250758412078', { ...order, direction: 'refund' }), false)
})
