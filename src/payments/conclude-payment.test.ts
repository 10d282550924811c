import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertMovesAsTable, rowsOf } from '../../tests/harness/effects.ts'
import { paymentOf as newPayment } from '../../tests/harness/payment-row.ts'
import type { LedgerTransaction } from '../ledger/book.ts'
import type { Conclusion } from '../operators/sending/decide.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { TransitionedRow } from '../platform/commands/transitions.ts'
import { concludePayment } from './conclude-payment.ts'
import { transitionPayment } from './move-payment.ts'
import { type PaymentRow, paymentStatuses } from './payment.ts'
import { refundPayment } from './refund-payment.ts'
import { type PaymentTrigger, transitions } from './states.ts'
import type { LockedPayment } from './store.ts'

const created_at = new Date('2026-11-24T10:00:00.000Z')
const now = new Date('2026-11-24T10:00:05.000Z')

const paymentOf = (changes: Partial<LockedPayment> = {}) =>
  newPayment({ status: 'pending', transition_count: 1, created_at, ...changes })

type MovedPayment = TransitionedRow<LockedPayment, PaymentTrigger>

const endAttempt = defineEffect<PaymentRow>('checkout session', () => {})

test('in every state each trigger moves a payment as the table of transitions says, or changes nothing', () => {
  assertMovesAsTable('payment', paymentStatuses, transitions, (status) => paymentOf({ status }), transitionPayment)
})

const succeeded: Conclusion = { kind: 'succeeded' }
const refusedBy: Conclusion = { kind: 'failed', failure_code: 'payer_insufficient_funds' }
const lapsed: Conclusion = { kind: 'failed', failure_code: 'payer_timeout' }
const silent: Conclusion = { kind: 'silent' }

for (const [why, status, conclusion, expected] of [
  ['a proof', 'pending', succeeded, { status: 'succeeded', failure_code: null, succeeded_at: now, failed_at: null }],
  ['a proof after the request lapsed', 'expired', succeeded, { status: 'succeeded', succeeded_at: now }],
  ['a proof that comes twice', 'succeeded', succeeded, null],
  ['a proof after everything was given back', 'refunded', succeeded, null],
  ['a proof after a refusal', 'failed', succeeded, null],
  ['a refusal', 'pending', refusedBy, { status: 'failed', failure_code: 'payer_insufficient_funds', failed_at: now }],
  ['a refusal after a proof', 'succeeded', refusedBy, null],
  ['a request that lapsed', 'pending', lapsed, { status: 'expired', failure_code: null, failed_at: null }],
  ['a request that was never made', 'created', lapsed, { status: 'expired', failure_code: null }],
  ['silence', 'pending', silent, null],
] as const) {
  test(`${why}, of a payment that is ${status}: ${expected === null ? 'nothing changes' : expected.status}`, () => {
    const payment = paymentOf({ status, checkout_session_id: 'cs_1' })
    const effects = concludePayment(payment, { conclusion: conclusion as Conclusion, wallet: 'mtn' }, now, endAttempt)
    const [written] = rowsOf<MovedPayment>(effects, 'payment')
    if (expected === null) return assert.deepEqual(effects, [])
    assert.deepEqual({ ...written }, { ...written, ...expected })
    assert.deepEqual(rowsOf<PaymentRow>(effects, 'checkout session')[0]?.status, expected.status)
    const credits = rowsOf<LedgerTransaction>(effects, 'account')
    assert.equal(credits.length, expected.status === 'succeeded' ? 1 : 0)
  })
}

test('a success without a wallet is a defect, and nothing is booked at a guess', () => {
  const nowhere = { conclusion: succeeded, wallet: null }
  assert.throws(() => concludePayment(paymentOf(), nowhere, now, endAttempt), /no wallet/)
})

test('a success is booked under the id of its payment, and a payment without a session ends no session', () => {
  const end = { conclusion: succeeded, wallet: 'mtn' }
  const effects = concludePayment(paymentOf(), end, now, () => assert.fail('there is no session'))
  const [credit] = rowsOf<LedgerTransaction>(effects, 'account')
  assert.deepEqual([credit!.subject_id, credit!.operation], ['txn_1', 'collection_confirmed'])
  assert.equal(
    credit!.legs.reduce((sum, { amount }) => sum + amount, 0),
    0,
  )
  assert.equal(effects.length, 3)
})

test('simultaneous ends of refunds of one payment are applied one by one, and the last makes it fully refunded', () => {
  let payment = paymentOf({ status: 'succeeded' })
  const events: string[] = []
  for (const amount of [400, 599, 1]) {
    const refunded = refundPayment(payment, amount, now)
    payment = refunded.row
    events.push(...rowsOf<{ type: string }>(refunded.effects, 'event').map(({ type }) => type))
  }
  assert.deepEqual([payment.status, payment.amount_refunded, payment.transition_count], ['refunded', 1_000, 4])
  assert.deepEqual(events, ['payment.partially_refunded', 'payment.partially_refunded', 'payment.refunded'])
})

test('a refund of an unknown payment, or of one with nothing left to refund, throws', () => {
  for (const payment of [undefined, paymentOf(), paymentOf({ status: 'failed' }), paymentOf({ status: 'refunded' })])
    assert.throws(() => refundPayment(payment, 1, now), /cannot move/)
})
