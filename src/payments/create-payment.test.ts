import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused } from '../platform/commands/command.ts'
import { defineEffect, type Effect } from '../platform/commands/effects.ts'
import type { Caller } from '../values/caller.ts'
import { Msisdn } from '../values/msisdn.ts'
import { type Attempt, createPaymentCommand, type PaymentCall, type TakeAttempt } from './create-payment.ts'
import type { NewPayment } from './store.ts'

const now = new Date('2026-11-24T10:00:00.000Z')
const caller: Caller = { merchant_id: 1, livemode: false, key_id: 'key_1', scope: 'collect', merchant_active: true }
const inactive = { ...caller, merchant_active: false }
const msisdn = Msisdn.parse('0700000001')!

const command = createPaymentCommand(async () => assert.fail('nothing is locked here'))

type Changes = { caller?: Caller; blocked?: PaymentCall['blocked'] } & Partial<PaymentCall['request']>

function callOf({ caller: of = caller, blocked = null, ...request }: Changes = {}): PaymentCall {
  return {
    caller: of,
    idempotency: { key: 'key-of-a-test', fingerprint: Buffer.alloc(32) },
    request: {
      amount: 10_000,
      operator: null,
      msisdn,
      merchant_reference: null,
      description: null,
      metadata: null,
      simulate: null,
      ...request,
    },
    fees: { amount_collected: 10_000, fee_amount: 150, net_amount: 9_850 },
    order_reference: '3f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10',
    blocked,
    unchecked: null,
  }
}

const takes: TakeAttempt = () => []
const refuses: TakeAttempt = () => null

function decide(call: PaymentCall, { references = new Set<string>(), takeAttempt = takes as TakeAttempt | null } = {}) {
  return command.decide(call, { references, takeAttempt, ofDays: new Map() }, now)
}

const codeOf = (decision: ReturnType<typeof decide>) => (decision.kind === 'refused' ? decision.code : 'accepted')

/** The reasons to refuse a call, in order of precedence. */
const obstacles: { code: string; changes: Changes }[] = [
  { code: 'merchant_inactive', changes: { caller: inactive } },
  { code: 'duplicate_reference', changes: { merchant_reference: 'order 1' } },
  { code: 'amount_above_limit', changes: { blocked: refused('amount_above_limit', 'At most 5 000 francs.') } },
  { code: 'idempotency_in_progress', changes: { checkout_session_id: 'cs_1' } },
]

test('when several refusals apply, the first in order of precedence is answered', () => {
  obstacles.forEach((first, at) => {
    for (const others of [[], ...obstacles.slice(at + 1).map((one) => [one]), obstacles.slice(at + 1)]) {
      const changes: Changes = Object.assign({}, ...others.map((one) => one.changes), first.changes)
      const references = new Set(['1/false/order 1'])
      assert.equal(codeOf(decide(callOf(changes), { references, takeAttempt: refuses })), first.code)
    }
  })
})

test('a refusal found before the database is read keeps its message', () => {
  const tooLarge = refused('amount_above_limit', 'At most 5 000 francs.')
  assert.deepEqual(decide(callOf({ blocked: tooLarge })), tooLarge)
  const tooOften = refused('too_many_attempts')
  assert.deepEqual(decide(callOf({ blocked: tooOften })), tooOften)
})

test('an accepted call takes its normalized reference for that merchant and mode', () => {
  const references = new Set<string>()
  const ask = (changes: Changes) => codeOf(decide(callOf(changes), { references, takeAttempt: refuses }))
  const merchant_reference = 'order 7'
  assert.equal(ask({ merchant_reference, blocked: refused('too_many_attempts') }), 'too_many_attempts')
  assert.equal(ask({ merchant_reference, checkout_session_id: 'cs_1' }), 'idempotency_in_progress')
  assert.equal(ask({ merchant_reference }), 'accepted', 'a refused call takes none')
  assert.equal(ask({ merchant_reference }), 'duplicate_reference')
  assert.equal(ask({ merchant_reference: 'order 8' }), 'accepted')
  assert.equal(ask({ merchant_reference, caller: { ...caller, livemode: true } }), 'accepted')
  assert.equal(ask({ merchant_reference, caller: { ...caller, merchant_id: 2 } }), 'accepted')
  assert.equal(ask({ merchant_reference: 'cafe\u0301' }), 'accepted')
  assert.equal(ask({ merchant_reference: 'caf\u00e9' }), 'duplicate_reference', 'the same text, composed otherwise')
})

/** The payment that an accepted call inserts: of the effects on new rows the only one. */
function paymentIn(effects: readonly Effect[]): NewPayment {
  const rows = effects.filter(({ kind }) => kind.rank === 'new row').map(({ row }) => row as NewPayment)
  assert.equal(rows.length, 1)
  return rows[0]!
}

test('an accepted payment waits to be collected, and the answer shows the row as written', () => {
  const decision = decide(callOf({ merchant_reference: 'order 9' }))
  assert.ok(decision.kind === 'accepted')
  const payment = paymentIn(decision.effects)
  assert.match(payment.id, /^txn_/)
  assert.deepEqual(
    [payment.status, payment.operator, payment.msisdn, payment.created_at],
    ['created', 'orange_ci', msisdn.e164, now],
  )
  assert.equal(payment.net_amount + payment.fee_amount, payment.amount_collected)
  const { status, body } = decision.reply
  assert.equal(status, 201)
  assert.deepEqual(
    { ...(body as object) },
    { ...(body as object), id: payment.id, status: 'created', amount: 10_000, fee_amount: 150, net_amount: 9_850 },
  )
  const jobs = decision.effects.filter(({ kind }) => kind.rank === 'job').map(({ row }) => row)
  const { merchant_id, livemode, id: subject_id, operator } = payment
  const reference = callOf().order_reference
  assert.deepEqual(jobs, [{ merchant_id, livemode, subject_id, operator, simulate: null, reference }])
})

test('the operator is the named one, else that of the number; without a number there is none', () => {
  const operatorOf = (changes: Changes) => {
    const decision = decide(callOf(changes))
    return decision.kind === 'accepted' ? paymentIn(decision.effects).operator : assert.fail()
  }
  assert.equal(operatorOf({ operator: 'wave_ci' }), 'wave_ci')
  assert.equal(operatorOf({ msisdn: Msisdn.parse('0500000001')! }), 'mtn_ci')
  assert.equal(operatorOf({ msisdn: null }), null)
})

test('an attempt includes the effects on its session, and the session learns the id of the payment', () => {
  const marked = defineEffect<string>('checkout session', () => {})('taken')
  const asked: Attempt[] = []
  const takeAttempt: TakeAttempt = (attempt) => {
    asked.push(attempt)
    return [marked]
  }
  const decision = decide(callOf({ checkout_session_id: 'cs_1' }), { references: new Set(), takeAttempt })
  assert.ok(decision.kind === 'accepted' && decision.effects.includes(marked))
  const { id: payment_id, checkout_session_id } = paymentIn(decision.effects)
  assert.equal(checkout_session_id, 'cs_1')
  assert.deepEqual(asked, [{ merchant_id: 1, livemode: false, session_id: 'cs_1', payment_id }])
})

test('the optimistic path takes calls without a known refusal, and never attempts of checkout sessions', () => {
  const when = command.optimistic!.when
  assert.ok(when(callOf()) && when(callOf({ merchant_reference: 'order 1', msisdn: null })))
  for (const changes of [obstacles[0]!, obstacles[2]!, obstacles[3]!]) assert.ok(!when(callOf(changes.changes)))
})
