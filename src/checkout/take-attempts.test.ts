import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkOf, sessionOf } from '../../tests/harness/checkout-rows.ts'
import type { Effect } from '../platform/commands/effects.ts'
import type { LinkRow } from './link.ts'
import type { LockedSession } from './store.ts'
import { createTakeAttempt } from './take-attempts.ts'

const tenant = { merchant_id: 1, livemode: false }

function open(sessions: readonly LockedSession[], links: readonly LinkRow[] = []) {
  const byKey = <Row extends { id: string }>(rows: readonly Row[]) =>
    new Map(rows.map((row) => [`1/false/${row.id}`, row]))
  const take = createTakeAttempt(byKey(sessions), byKey(links))
  return (session_id: string, payment_id = `txn_of_${session_id}`) => take({ ...tenant, session_id, payment_id })
}

const told = (effects: readonly Effect[] | null) => effects?.map(({ kind, row }) => [kind.rank, row]) ?? null

test('a session accepts one attempt, and no other while it is under way', () => {
  const take = open([sessionOf('cs_1', { attempts: 1 })])
  assert.deepEqual(told(take('cs_1', 'txn_a')), [
    ['checkout session', { ...tenant, session_id: 'cs_1', payment_id: 'txn_a', attempts: 2, attempt_live: true }],
  ])
  assert.equal(take('cs_1', 'txn_b'), null)
})

test('an unknown session, and an ended one, accept no attempt', () => {
  const take = open([sessionOf('cs_paid', { status: 'paid' }), sessionOf('cs_over', { is_over: true })])
  for (const id of ['cs_unknown', 'cs_paid', 'cs_over']) assert.equal(take(id), null, id)
})

test('one session at a time holds a link that is paid once, and a reusable link accepts an attempt of each', () => {
  const sessions = ['cs_1', 'cs_2'].map((id) => sessionOf(id, { link_id: 'lnk_1' }))
  const once = open(sessions, [linkOf('lnk_1')])
  assert.deepEqual(told(once('cs_1'))!.slice(1), [['payment link', linkOf('lnk_1', { taken_by: 'cs_1' })]])
  assert.equal(once('cs_2'), null)
  const often = open(sessions, [linkOf('lnk_1', { reusable: true })])
  for (const id of ['cs_1', 'cs_2']) {
    assert.deepEqual(
      often(id)!.map(({ kind }) => kind.rank),
      ['checkout session'],
    )
  }
})
