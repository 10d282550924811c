import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowsOf } from '../../tests/harness/effects.ts'
import fc from '../../tests/harness/property.ts'
import type { LedgerTransaction } from '../ledger/book.ts'
import { decideMove } from './decide-move.ts'
import { settlementStatuses } from './settlement.ts'
import { type SettlementTrigger, transitions } from './states.ts'
import type { LockedSettlement } from './store.ts'

const now = new Date('2026-11-24T10:00:05.000Z')
const before = new Date('2026-11-24T10:00:00.000Z')
const triggers: SettlementTrigger[] = ['validated', 'rejected', 'transfer_made']

function standing(status: LockedSettlement['status'], changes: Partial<LockedSettlement> = {}): LockedSettlement {
  const validated = status === 'pending_validation' ? null : 'awa@example.com'
  return {
    merchant_id: 1,
    livemode: false,
    id: 'stl_1',
    amount: 5_000,
    currency: 'XOF',
    status,
    beneficiary_id: '7f0c4a52-4a57-4c1b-8f0e-6f2a54f5a001',
    name: 'Shop',
    account_type: 'bank_account',
    operator: null,
    last4: '1234',
    designated_at: before,
    made_by: 'key:K1',
    validated_by: validated,
    validated_at: validated === null ? null : before,
    paid_by: null,
    paid_at: null,
    rejected_by: null,
    rejected_at: null,
    bank_reference: null,
    booking_date: null,
    value_date: null,
    rejection_reason: null,
    account_taken_at: null,
    account_taken_by: null,
    created_at: before,
    transition_count: 0,
    ...changes,
  }
}

for (const status of settlementStatuses) {
  for (const trigger of triggers) {
    const rule = transitions.find((transition) => transition.from === status && transition.trigger === trigger)
    test(`${status}, ${trigger}: ${rule?.to ?? 'refused'}`, () => {
      const settlement = standing(status)
      const decision = decideMove(settlement, { trigger, by: 'issa@example.com', merchant_active: true }, now)
      if (rule === undefined) return assert.deepEqual(decision, { kind: 'refused', code: 'not_now' })
      assert.ok(decision.kind === 'moves')
      const [written] = rowsOf(decision.effects, 'settlement')
      assert.deepEqual(written, { ...decision.row, from_status: status, cause: trigger })
      assert.deepEqual([written!.status, written!.transition_count], [rule.to, 1])
      assert.deepEqual(
        rowsOf(decision.effects, 'event').map(({ type, subject_id }) => [type, subject_id]),
        [[rule.event, 'stl_1']],
      )
      const booked = rowsOf<LedgerTransaction>(decision.effects, 'account')
      assert.deepEqual(
        booked.map(({ subject_id, operation, legs }) => [subject_id, operation, legs[0]!.amount]),
        trigger === 'validated' ? [] : [['stl_1', `settlement_${rule.to}`, -5_000]],
      )
    })
  }
}

test('a move writes its person, its time and its facts, and keeps the validator', () => {
  const move = (
    settlement: LockedSettlement,
    wanted: Omit<Parameters<typeof decideMove>[1], 'by' | 'merchant_active'>,
  ) => {
    const decision = decideMove(settlement, { ...wanted, by: 'issa@example.com', merchant_active: true }, now)
    return decision.kind === 'moves' ? decision.row : assert.fail(decision.code)
  }
  const [pending, validated] = [standing('pending_validation'), standing('validated')]
  const by = 'issa@example.com'
  assert.deepEqual(move(pending, { trigger: 'validated' }), {
    ...pending,
    ...{ status: 'validated', validated_by: by, validated_at: now, transition_count: 1 },
  })
  assert.deepEqual(move(validated, { trigger: 'transfer_made', bank_reference: 'VIR 1' }), {
    ...validated,
    ...{ status: 'paid', paid_by: by, paid_at: now, bank_reference: 'VIR 1', transition_count: 1 },
  })
  assert.deepEqual(move(validated, { trigger: 'rejected', rejection_reason: 'no' }), {
    ...validated,
    ...{ status: 'rejected', rejected_by: by, rejected_at: now, rejection_reason: 'no', transition_count: 1 },
  })
})

for (const [why, settlement, trigger, by, merchant_active, code] of [
  ['validated by its API key', standing('pending_validation'), 'validated', 'key:k1', true, 'same_person'],
  ['rejected by another API key', standing('validated'), 'rejected', 'key:k2', true, 'same_person'],
  ['paid by who validated it', standing('validated'), 'transfer_made', 'awa@example.com', true, 'same_person'],
  [
    'validated for a merchant that may not operate',
    standing('pending_validation'),
    'validated',
    'issa',
    false,
    'merchant_inactive',
  ],
  [
    'validated by its API key for such a merchant',
    standing('pending_validation'),
    'validated',
    'key:k1',
    false,
    'same_person',
  ],
  ['validated again by its API key', standing('validated'), 'validated', 'key:k1', false, 'not_now'],
] as const) {
  test(`${why}: ${code}`, () =>
    assert.deepEqual(decideMove(settlement, { trigger, by, merchant_active }, now), { kind: 'refused', code }))
}

test('a transfer can be entered and a settlement rejected for a deactivated merchant as well', () => {
  for (const trigger of ['transfer_made', 'rejected'] as const)
    assert.equal(decideMove(standing('validated'), { trigger, by: 'issa', merchant_active: false }, now).kind, 'moves')
})

test('the validator never pays the settlement, and a key never decides', () => {
  const people = fc.constantFrom('awa@example.com', 'issa@example.com', 'key:k1', 'key:k2', 'host:awa')
  const steps = fc.array(fc.record({ trigger: fc.constantFrom(...triggers), by: people }), { maxLength: 8 })
  fc.assert(
    fc.property(steps, (wanted) => {
      let settlement = standing('pending_validation')
      for (const { trigger, by } of wanted) {
        const decision = decideMove(settlement, { trigger, by, merchant_active: true }, now)
        if (decision.kind === 'refused') continue
        assert.ok(!by.startsWith('key:'))
        if (decision.row.status === 'paid') {
          assert.ok(settlement.validated_by !== null && settlement.validated_by !== by)
        }
        settlement = decision.row
      }
    }),
  )
})
