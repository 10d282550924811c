import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chargeByTariff, divideSettings, type Terms } from '../contracts/connector-terms.ts'
import type { Instruction } from '../instruction.ts'
import { chargeIn, correctionOf, movementOf } from './charge.ts'

const now = new Date('2026-08-01T10:00:00Z')
const instruction = {
  ...{
    merchant_id: 1,
    livemode: true,
    subject_id: 'txn_1',
    direction: 'payout',
    operator: 'wave_ci',
    connector: 'wave',
  },
  ...{ amount: 10_001, sent_at: new Date('2026-08-01T09:59:00Z') },
} as Instruction

const tariffs: [said: string, terms: Terms, amount: number, charge: number][] = [
  ['no tariff is no charge', {}, 10_000, 0],
  ['another direction has its own', { 'charges.collect.fixed': 10 }, 10_000, 0],
  ['a fixed charge is the same for every amount', { 'charges.payout.fixed': 10 }, 5, 10],
  ['a part of the amount', { 'charges.payout.per_ten_thousand': 150 }, 10_000, 150],
  ['a part of a franc is rounded up', { 'charges.payout.per_ten_thousand': 150 }, 10_001, 151],
  ['both are added', { 'charges.payout.fixed': 25, 'charges.payout.per_ten_thousand': 1 }, 1, 26],
  ['the largest amount stays exact', { 'charges.payout.per_ten_thousand': 9_999 }, 1_000_000_000_000, 999_900_000_000],
]
for (const [said, terms, amount, charge] of tariffs) {
  test(`a tariff: ${said}`, () => assert.equal(chargeByTariff(terms, { direction: 'payout', amount }), charge))
}

test('a charge that the operator states replaces the tariff, also when it is zero', () => {
  const terms = { 'charges.payout.fixed': 10 }
  const chargeOf = (stated?: number) => {
    const { charge, charge_stated } = movementOf(instruction, terms, stated, now)
    return [charge, charge_stated]
  }
  assert.deepEqual(
    [chargeOf(), chargeOf(100), chargeOf(0)],
    [
      [10, false],
      [100, true],
      [0, true],
    ],
  )
  assert.equal(chargeIn(movementOf(instruction, terms, 0, now), 'wave'), null)
})

test('a charge by the tariff is corrected by its difference to the stated one, and a stated charge is never corrected', () => {
  const booked = movementOf(instruction, { 'charges.payout.fixed': 10 }, undefined, now)
  const correction = correctionOf(booked, 7)!
  assert.deepEqual(correction, { ...booked, number: 2, amount: 0, charge: -3, charge_stated: true })
  assert.deepEqual(chargeIn(correction, 'wave'), { wallet: 'wave', amount: -3, corrects: true })
  assert.equal(correctionOf(booked, 10), null)
  assert.equal(correctionOf(movementOf(instruction, {}, 9, now), 7), null)
})

test('the terms among the settings are separated from the encrypted ones', () => {
  assert.deepEqual(divideSettings({ api_key: 'k', float_floor: 5 }), {
    terms: { float_floor: 5 },
    own: { api_key: 'k' },
  })
})
