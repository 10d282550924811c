import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decideMove } from './decide-move.ts'
import { settlementStatuses } from './settlement.ts'
import { type SettlementTrigger, transitions } from './states.ts'

const triggers: SettlementTrigger[] = ['validated', 'rejected', 'transfer_made']
const standing = (status: (typeof settlementStatuses)[number]) => {
  return { status, made_by: 'key:K1', validated_by: status === 'pending_validation' ? null : 'awa@example.com' }
}

for (const status of settlementStatuses) {
  for (const trigger of triggers) {
    const row = transitions.find((transition) => transition.from === status && transition.trigger === trigger)
    test(`${status}, ${trigger}: ${row?.to ?? 'refused'}`, () => {
      const decision = decideMove(standing(status), { trigger, by: 'issa@example.com', merchant_active: true })
      assert.deepEqual(
        decision,
        row === undefined ? { kind: 'refused', code: 'not_now' } : { kind: 'moves', transition: row },
      )
    })
  }
}

test('no way of deciding pays what one person validated, or lets a key decide', () => {
  const people = fc.constantFrom('awa@example.com', 'issa@example.com', 'key:k1', 'key:k2', 'console:awa')
  const steps = fc.array(fc.record({ trigger: fc.constantFrom(...triggers), by: people }), { maxLength: 8 })
  fc.assert(
    fc.property(steps, (wanted) => {
      let settlement: Parameters<typeof decideMove>[0] = standing('pending_validation')
      for (const { trigger, by } of wanted) {
        const decision = decideMove(settlement, { trigger, by, merchant_active: true })
        if (decision.kind === 'refused') continue
        assert.ok(!by.startsWith('key:'))
        if (decision.transition.to === 'paid') {
          assert.ok(settlement.validated_by !== null && settlement.validated_by !== by)
        }
        const validated_by = decision.transition.to === 'validated' ? by : settlement.validated_by
        settlement = { ...settlement, status: decision.transition.to, validated_by }
      }
    }),
  )
})
