import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actor } from '../../tests/harness/actor.ts'
import { assertBehind, assertMovesAsTable, rowsOf } from '../../tests/harness/effects.ts'
import { isSecondPerson } from '../acts/second-person.ts'
import type { LedgerTransaction } from '../ledger/book.ts'
import type { Conclusion } from '../operators/sending/decide.ts'
import { type Closing, decideClosing } from './close-refund.ts'
import { triggerOf } from './conclude-refund.ts'
import { transitionRefund } from './move-refund.ts'
import { type RefundStatus, refundStatuses } from './refund.ts'
import { transitions } from './states.ts'
import type { LockedRefund } from './store.ts'

const now = new Date('2026-11-24T10:00:05.000Z')

function refundOf(changes: Partial<LockedRefund> = {}): LockedRefund {
  return {
    merchant_id: 1,
    livemode: false,
    id: 'rfd_1',
    payment_id: 'txn_1',
    amount: 1_000,
    amount_returned: 1_000,
    fee_amount: 15,
    net_amount: 985,
    currency: 'XOF',
    status: 'processing',
    operator: 'orange_ci',
    wallet: 'orange',
    by_hand: false,
    reason: null,
    request_key: 'txn_1 1000 after 0',
    asked_amount: 1_000,
    requested_by: 'awa',
    closed_by: null,
    hand_reference: null,
    closing_reason: null,
    failure_code: null,
    created_at: new Date('2026-11-24T10:00:00.000Z'),
    concluded_at: null,
    transition_count: 1,
    ...changes,
  }
}

const paid: Closing = { kind: 'paid', hand_reference: 'VIR 1', closed_by: actor('issa') }
const givenUp: Closing = { kind: 'given_up', reason: 'The wallet is gone.', closed_by: actor('issa') }
const byHand = (status: RefundStatus = 'manual') => refundOf({ by_hand: true, status, transition_count: 0 })

test('from every state each trigger moves a refund as the table says, or leaves it alone', () => {
  assertMovesAsTable(
    'refund',
    refundStatuses,
    transitions,
    (status) => refundOf({ status }),
    (refund, trigger, moment) => {
      const moved = transitionRefund(refund, trigger, moment)
      assertBehind('refund', moved?.effects ?? [])
      return moved && { row: moved.row, effects: moved.effects.slice(0, 1) }
    },
  )
})

const succeeded: Conclusion = { kind: 'succeeded' }
const refused: Conclusion = { kind: 'failed', failure_code: 'operator_refused' }

for (const [why, status, conclusion, expected] of [
  ['a proof', 'processing', succeeded, { status: 'succeeded', noted: ['txn_1'], booked: [] }],
  ['a refusal', 'processing', refused, { status: 'failed', noted: [], booked: ['refund_failed'] }],
  ['a proof that comes twice', 'succeeded', succeeded, null],
  ['a proof after a refusal', 'failed', succeeded, null],
  ['a refusal after a proof', 'succeeded', refused, null],
  ['a proof of one that a person makes', 'manual', succeeded, null],
] as const) {
  test(`${why}, of a refund that is ${status}: ${expected === null ? 'nothing changes' : expected.status}`, () => {
    const moved = transitionRefund(refundOf({ status }), triggerOf({ conclusion })!, now)
    if (expected === null || moved === null) return assert.equal(moved, expected)
    assert.deepEqual([moved.row.status, moved.row.concluded_at], [expected.status, now])
    assert.deepEqual(
      rowsOf(moved.effects, 'payment').map(({ payment_id }) => payment_id),
      expected.noted,
    )
    const booked = rowsOf<LedgerTransaction>(moved.effects, 'account')
    assert.deepEqual(
      booked.map(({ operation }) => operation),
      expected.booked,
    )
    for (const { subject_id, legs } of booked) {
      assert.equal(subject_id, 'rfd_1')
      assert.equal(legs.find(({ account }) => account === 'available')!.amount, 985)
    }
  })
}

test("only payouts mention an operator's silence", () =>
  assert.equal(triggerOf({ conclusion: { kind: 'silent' } }), null))

for (const [why, refund, closing, expected] of [
  ['paid by another person', byHand(), paid, 'succeeded'],
  ['given up by another person', byHand(), givenUp, 'failed'],
  ['one that its operator carries out', refundOf(), paid, 'not_by_hand'],
  ['one that is paid', byHand('succeeded'), paid, 'already_closed'],
  [
    'one that was given up, by who asked for it',
    byHand('failed'),
    { ...givenUp, closed_by: actor('awa') },
    'already_closed',
  ],
  ['by who asked for it', byHand(), { ...paid, closed_by: actor('awa') }, 'same_person'],
  ['by who asked for it, written otherwise', byHand(), { ...givenUp, closed_by: actor(' AWA ') }, 'same_person'],
] as const) {
  test(`a refund by hand, ${why}: ${expected}`, () => {
    const first = { began: [refund.requested_by], behind: new Set<string>() }
    const decision = decideClosing(refund, closing, now, isSecondPerson(first, closing.closed_by.person))
    if (decision.kind === 'refused') return assert.equal(decision.code, expected)
    const { status, closed_by, hand_reference, closing_reason, failure_code } = decision.row
    assert.equal(status, expected)
    assert.deepEqual(
      { closed_by, hand_reference, closing_reason, failure_code },
      closing.kind === 'paid'
        ? { closed_by: 'issa', hand_reference: 'VIR 1', closing_reason: null, failure_code: null }
        : { closed_by: 'issa', hand_reference: null, closing_reason: closing.reason, failure_code: 'cancelled' },
    )
  })
}
