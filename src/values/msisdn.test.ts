import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { Msisdn, maskNumbers, operatorOfPrefix } from './msisdn.ts'

const writings = [
  '0700000012',
  '07 00 00 00 12',
  '07.00.00.00.12',
  '07-00-00-00-12',
  '07  00  00  00  12',
  '07 – 00 – 00 – 00 – 12',
  '(07) 00 00 00 12',
  '07\u00a000\u202f00\u00a000\u00a012',
  '+2250700000012',
  '+225 07 00 00 00 12',
  '2250700000012',
  '002250700000012',
]

for (const written of writings) {
  test(`${JSON.stringify(written)} is one number`, () => {
    assert.equal(Msisdn.parse(written)?.e164, '+2250700000012')
  })
}

const refused = [
  '',
  '07000012',
  '+22507000012',
  '+225700000012',
  '+22500700000012',
  '0300000012',
  '0800000012',
  '2700000012',
  '+33700000012',
  '070000001a',
  '07000000123',
  '0'.repeat(100_000),
]

for (const written of refused) {
  test(`${JSON.stringify(written.slice(0, 20))} is no wallet's number`, () => {
    assert.equal(Msisdn.parse(written), null)
  })
}

test('a number prints itself masked in a careless log line', () => {
  const msisdn = Msisdn.parse('0700000012')!
  for (const printed of [String(msisdn), `${msisdn}`, JSON.stringify({ msisdn }), inspect(msisdn), inspect([msisdn])]) {
    assert.ok(printed.includes('+225******0012'), printed)
    assert.ok(!printed.includes('0700000012'), printed)
  }
})

test('the prefix suggests an operator', () => {
  const operators = ['0100000000', '0500000000', '0700000000'].map((number) => operatorOfPrefix(Msisdn.parse(number)!))
  assert.deepEqual(operators, ['moov_ci', 'mtn_ci', 'orange_ci'])
})

test('phone numbers in stored text are masked, and amounts are not', () => {
  assert.equal(maskNumbers('from +2250700000012, 0700000012: 10000'), 'from ******0012, ******0012: 10000')
  for (const written of writings) {
    assert.equal(maskNumbers(`${written} declined, as ${written}.`), '******0012 declined, as ******0012.')
  }
})

test('an identifier or a time in a text stays as it is', () => {
  const text = '8f0c5a4e-0758-4120-8711-0e0c8f4b1a7d at 2026-05-01 10:15:32, TW260501.000123'
  assert.equal(maskNumbers(text), text)
})
