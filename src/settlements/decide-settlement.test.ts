import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from '../../tests/harness/property.ts'
import { decideSettlement, type SettlementRefusal, type SettlementRequest } from './decide-settlement.ts'

const FLOOR = 5_000
const serving = { is_designated: true, has_cooled: true }
const good: SettlementRequest = { amount: 6_000, merchant_active: true, destination: serving }

const rows: { why: string; available: number; change: Partial<SettlementRequest>; code: SettlementRefusal | null }[] = [
  { why: 'exactly the balance', available: 6_000, change: {}, code: null },
  { why: 'a franc more than the balance', available: 5_999, change: {}, code: 'montant_non_eligible' },
  { why: 'exactly the floor', available: 6_000, change: { amount: 5_000 }, code: null },
  { why: 'a franc below the floor', available: 6_000, change: { amount: 4_999 }, code: 'sous_le_plancher' },
  { why: 'below the floor and the balance', available: 0, change: { amount: 4_999 }, code: 'sous_le_plancher' },
  { why: 'no destination', available: 6_000, change: { destination: null }, code: 'destination_introuvable' },
  { why: 'an inactive merchant', available: 6_000, change: { merchant_active: false }, code: 'merchant_inactive' },
  {
    why: 'another destination',
    available: 6_000,
    change: { destination: { is_designated: false, has_cooled: false } },
    code: 'destination_non_designee',
  },
  {
    why: 'a new destination',
    available: 6_000,
    change: { destination: { is_designated: true, has_cooled: false } },
    code: 'destination_trop_recente',
  },
]

for (const { why, available, change, code } of rows) {
  test(`${why}: ${code ?? 'accepted'}`, () => {
    const funds = { available }
    const request = { ...good, ...change }
    const decision = decideSettlement(funds, FLOOR, request)
    assert.deepEqual(decision, code === null ? { kind: 'accepted' } : { kind: 'refused', code })
    assert.equal(funds.available, code === null ? available - request.amount : available)
  })
}

/** The refusals in order of precedence. */
const order: SettlementRefusal[] = [
  'destination_introuvable',
  'merchant_inactive',
  'destination_non_designee',
  'destination_trop_recente',
  'sous_le_plancher',
  'montant_non_eligible',
]

const requests = fc.record({
  amount: fc.integer({ min: 1, max: 3_000 }),
  merchant_active: fc.boolean(),
  destination: fc.oneof(
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 6, arbitrary: fc.record({ is_designated: fc.boolean(), has_cooled: fc.boolean() }) },
  ),
})

test('of several refusals the first in order of precedence is the answer', () => {
  fc.assert(
    fc.property(requests, fc.nat(3_000), fc.integer({ min: 1, max: 3_000 }), (request, available, floor) => {
      const wrong = new Set<SettlementRefusal>()
      if (request.destination === null) wrong.add('destination_introuvable')
      else {
        if (!request.destination.is_designated) wrong.add('destination_non_designee')
        if (!request.destination.has_cooled) wrong.add('destination_trop_recente')
      }
      if (!request.merchant_active) wrong.add('merchant_inactive')
      if (request.amount < floor) wrong.add('sous_le_plancher')
      if (request.amount > available) wrong.add('montant_non_eligible')
      const decision = decideSettlement({ available }, floor, request)
      const first = order.find((code) => wrong.has(code))
      assert.deepEqual(decision, first === undefined ? { kind: 'accepted' } : { kind: 'refused', code: first })
    }),
    { numRuns: 2_000 },
  )
})

test('successive settlements never spend the same money twice, in any order', () => {
  const given = fc.record({ available: fc.nat(20_000), floor: fc.integer({ min: 1, max: 2_000 }) })
  fc.assert(
    fc.property(given, fc.array(requests, { maxLength: 40 }), ({ available, floor }, wanted) => {
      const funds = { available }
      let spent = 0
      for (const request of wanted) {
        const before = funds.available
        const decision = decideSettlement(funds, floor, { ...request, destination: serving })
        if (decision.kind === 'refused') assert.equal(funds.available, before)
        else {
          spent += request.amount
          assert.ok(request.amount >= floor && request.amount <= before)
        }
        assert.ok(funds.available >= 0 && funds.available === available - spent)
      }
    }),
    { numRuns: 2_000 },
  )
})
