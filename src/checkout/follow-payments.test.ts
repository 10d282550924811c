import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkOf, sessionOf } from '../../tests/harness/checkout-rows.ts'
import { assertBehind, assertMovesAsTable, rowsOf } from '../../tests/harness/effects.ts'
import { paymentOf as newPayment } from '../../tests/harness/payment-row.ts'
import type { PaymentRow } from '../payments/payment.ts'
import { endAttempts } from './follow-payments.ts'
import type { LinkRow } from './link.ts'
import { linkTransitions } from './link-states.ts'
import { transitionLink } from './move-link.ts'
import { transitionSession } from './move-session.ts'
import { sessionStatuses } from './session.ts'
import { transitions } from './states.ts'
import type { LockedSession } from './store.ts'

const now = new Date('2026-11-24T10:00:05.000Z')

function paymentOf(id: string, status: PaymentRow['status'], checkout_session_id = 'cs_1'): PaymentRow {
  return newPayment({ id, status, checkout_session_id })
}

function end(payments: readonly PaymentRow[], sessions: readonly LockedSession[], links: readonly LinkRow[] = []) {
  const byKey = <Row extends { id: string }>(rows: readonly Row[]) =>
    new Map(rows.map((row) => [`1/false/${row.id}`, row]))
  const effects = endAttempts(payments, byKey(sessions), byKey(links), now)
  assertBehind('checkout session', effects)
  const written = rowsOf<LockedSession & { type?: string }>(effects, 'checkout session')
  return {
    sessions: written.map(({ status, payment_id, attempt_live }) => [status ?? 'free', payment_id, attempt_live]),
    links: rowsOf<LinkRow>(effects, 'payment link').map(({ status, taken_by }) => [status, taken_by]),
    told: rowsOf(effects, 'event').map(({ type, subject_id }) => `${type} ${subject_id}`),
    anomalies: rowsOf(effects, 'anomaly').map(({ subject_id, fact }) => `${subject_id} ${fact}`),
  }
}

test('in every state each trigger moves a session as the table of transitions says, or changes nothing', () => {
  assertMovesAsTable(
    'checkout session',
    sessionStatuses,
    transitions,
    (status) => sessionOf('cs_1', { status, attempt_live: status === 'open', payment_id: 'txn_1' }),
    transitionSession,
  )
})

test('in every state each trigger moves a link as the table of transitions says, or changes nothing', () => {
  assertMovesAsTable(
    'payment link',
    ['open', 'paid', 'closed'],
    linkTransitions,
    (status) => linkOf('lnk_1', { status }),
    transitionLink,
  )
})

const underWay = sessionOf('cs_1', { attempts: 1, payment_id: 'txn_1', attempt_live: true })

test('the success of an attempt pays its session in any state, and tells the merchant', () => {
  for (const session of [underWay, sessionOf('cs_1', { status: 'expired' }), sessionOf('cs_1', { status: 'closed' })])
    assert.deepEqual(end([paymentOf('txn_1', 'succeeded')], [session]), {
      sessions: [['paid', 'txn_1', false]],
      links: [],
      told: ['checkout_session.paid cs_1'],
      anomalies: [],
    })
})

test('a failed attempt frees its session, and the end of an earlier attempt changes nothing', () => {
  assert.deepEqual(end([paymentOf('txn_1', 'failed')], [underWay]).sessions, [['free', 'txn_1', false]])
  assert.deepEqual(end([paymentOf('txn_0', 'failed')], [underWay]).sessions, [])
})

test('of two successes the first pays the session and the second is kept for people, also in one transaction', () => {
  const { sessions, told, anomalies } = end(
    [paymentOf('txn_0', 'succeeded'), paymentOf('txn_1', 'succeeded')],
    [underWay],
  )
  assert.deepEqual(sessions, [['paid', 'txn_0', false]])
  assert.deepEqual(told, ['checkout_session.paid cs_1'])
  assert.deepEqual(anomalies, ['txn_1 after txn_0'])
})

test('a late success pays a session that the failure of the same attempt freed', () => {
  const { sessions, anomalies } = end([paymentOf('txn_1', 'failed'), paymentOf('txn_0', 'succeeded')], [underWay])
  assert.deepEqual([sessions, anomalies], [[['paid', 'txn_0', false]], []])
})

test('a link that is paid once is free after a failure and paid after a success; a second success of it is kept for people', () => {
  const session = { ...underWay, link_id: 'lnk_1' }
  const link = linkOf('lnk_1', { taken_by: 'cs_1' })
  assert.deepEqual(end([paymentOf('txn_1', 'failed')], [session], [link]).links, [['open', null]])
  assert.deepEqual(end([paymentOf('txn_1', 'succeeded')], [session], [link]).links, [['paid', null]])
  const { links, anomalies } = end([paymentOf('txn_1', 'succeeded')], [session], [linkOf('lnk_1', { status: 'paid' })])
  assert.deepEqual([links, anomalies], [[['paid', null]], ['txn_1 after lnk_1']])
  const reusable = linkOf('lnk_1', { reusable: true })
  assert.deepEqual(end([paymentOf('txn_1', 'succeeded')], [session], [reusable]).links, [])
})

test('a payment of an unknown session throws', () => {
  assert.throws(() => end([paymentOf('txn_1', 'succeeded', 'cs_2')], [underWay]), /does not exist/)
})
