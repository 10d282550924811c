import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowsOf } from '../../tests/harness/effects.ts'
import { type BookEntry, createPayoutBook } from '../beneficiaries/payout-book.ts'
import type { LedgerTransaction } from '../ledger/book.ts'
import type { Effect } from '../platform/commands/effects.ts'
import type { Caller } from '../values/caller.ts'
import { Msisdn } from '../values/msisdn.ts'
import { createPayoutCommand, type PayoutCall } from './create-payout.ts'
import type { WantedDestination } from './order-payout.ts'
import type { LockedSpending } from './spending-limits.ts'

const now = new Date('2026-11-24T10:00:00.000Z')
const caller: Caller = { merchant_id: 1, livemode: false, key_id: 'key_1', scope: 'payout', merchant_active: true }
const inactive = { ...caller, merchant_active: false }

const rent: BookEntry = {
  beneficiary_id: '7f0c4a52-4a57-4c1b-8f0e-6f2a54f5a001',
  name: 'Awa Koné',
  label: 'Rent',
  msisdn: '+2250500000010',
  operator: 'mtn_ci',
}
const inBook: WantedDestination = { kind: 'book', beneficiary_id: rent.beneficiary_id }
const unknown: WantedDestination = { kind: 'book', beneficiary_id: '00000000-0000-4000-8000-000000000000' }
const inline = (number: string, name = 'Yao'): WantedDestination => {
  return { kind: 'inline', msisdn: Msisdn.parse(number)!, operator: null, name }
}

const command = createPayoutCommand({ payout_cap_operation: 100, payout_cap_day: 500, unchecked_day_max: 200_000 }, 7)

type Changes = Partial<Pick<PayoutCall, 'caller' | 'fee_amount'>> & Partial<PayoutCall['order']>

function callOf({ caller: of = caller, fee_amount = 0, ...order }: Changes = {}): PayoutCall {
  return {
    caller: of,
    idempotency: { key: 'key-of-a-test', fingerprint: Buffer.alloc(32) },
    order: { amount: 50, destination: inBook, reference: null, ...order },
    fee_amount,
    order_key: Buffer.alloc(32),
  }
}

/** Decides calls of one merchant one after the other, on this spending state. */
function open({ transfer = 1_000, used = 0 } = {}) {
  const nothing = { read_at: '', until: '', clock_came_back: false, operation: null, day: null, unchecked: false }
  const spending: LockedSpending = {
    transfer,
    used,
    caps: { operation: 100, day: 500 },
    cap_total: { merchant_id: 1, livemode: false, used: String(used), ...nothing },
  }
  const loaded = {
    spending: new Map([['1/false', spending]]),
    book: createPayoutBook(
      new Map([
        [`1/false/${rent.beneficiary_id}`, rent],
        [`1/false/${rent.msisdn}`, rent],
      ]),
    ),
  }
  const decide = (changes: Changes = {}) => command.decide(callOf(changes), loaded, now)
  const codeOf = (changes: Changes) => {
    const decision = decide(changes)
    return decision.kind === 'refused' ? decision.code : decision.reply.status
  }
  return { spending, decide, codeOf }
}

function effectsOf(decision: ReturnType<ReturnType<typeof open>['decide']>): readonly Effect[] {
  return decision.kind === 'accepted' ? decision.effects : assert.fail(decision.code)
}

/** The reasons to refuse a payout, in order of precedence. */
const obstacles: { code: string; changes: Changes }[] = [
  { code: 'resource_not_found', changes: { destination: unknown } },
  { code: 'merchant_inactive', changes: { caller: inactive } },
  { code: 'insufficient_funds', changes: { fee_amount: 1_000 } },
]

test('when several refusals apply, the first in order of precedence is answered and the spending state is unchanged', () => {
  obstacles.forEach((first, at) => {
    for (const others of [[], ...obstacles.slice(at + 1).map((one) => [one]), obstacles.slice(at + 1)]) {
      const { codeOf, spending } = open()
      assert.equal(codeOf(Object.assign({}, ...others.map((one) => one.changes), first.changes)), first.code)
      assert.deepEqual([spending.transfer, spending.used], [1_000, 0])
    }
  })
})

for (const [why, spending, changes, answer] of [
  ['exactly the funds', { transfer: 53 }, { fee_amount: 3 }, 201],
  ['a franc more than the funds, for its fee', { transfer: 52 }, { fee_amount: 3 }, 'insufficient_funds'],
  ['exactly the cap of one payout', {}, { amount: 100 }, 201],
  ['a franc above it', {}, { amount: 101 }, 202],
  ['above it without funds, which a request does not take', { transfer: 0 }, { amount: 101 }, 202],
  ['exactly what the 24 hours leave', { used: 450 }, {}, 201],
  ['a franc above what they leave', { used: 451 }, {}, 202],
  ['a number, whoever it is', {}, { destination: inline('0700000001') }, 201],
] as const) {
  test(`${why}: ${answer}`, () => assert.equal(open(spending).codeOf(changes), answer))
}

test('each call is decided on what the previous call left', () => {
  const { codeOf } = open({ transfer: 260, used: 300 })
  const answers = [{ amount: 60 }, { amount: 101 }, { amount: 39 }, { amount: 39 }, { amount: 1 }].map(codeOf)
  assert.deepEqual(answers, [201, 202, 201, 202, 202], '60, 101 and 39 fill the day')
})

test('an unknown entry, and an entry of another merchant or mode, are not found', () => {
  const { codeOf } = open()
  assert.equal(codeOf({ destination: { kind: 'book', beneficiary_id: rent.beneficiary_id.toUpperCase() } }), 201)
  for (const other of [
    { ...caller, livemode: true },
    { ...caller, merchant_id: 2 },
  ])
    assert.equal(codeOf({ caller: other }), 'resource_not_found')
})

test('a payout is written with its instruction, its ledger transaction and its usage, all under one id', () => {
  const decision = open().decide({ fee_amount: 3, reference: 'wages' })
  const effects = effectsOf(decision)
  const [payout] = rowsOf(effects, 'new row')
  assert.match(String(payout!.id), /^txn_/)
  assert.deepEqual(
    [payout!.amount, payout!.fee_amount, payout!.total_debited, payout!.label, payout!.is_inline],
    [50, 3, 53, 'Rent', false],
  )
  const [instruction] = rowsOf(effects, 'job')
  assert.deepEqual(
    [instruction!.subject_id, instruction!.direction, instruction!.amount, instruction!.msisdn],
    [payout!.id, 'payout', 50, rent.msisdn],
  )
  const [booked] = rowsOf<LedgerTransaction>(effects, 'account')
  assert.equal(booked!.subject_id, payout!.id)
  assert.equal(booked!.legs.find(({ account }) => account === 'transfer')!.amount, -53)
  const [usage] = rowsOf(effects, 'payout cap usage')
  assert.deepEqual([usage!.subject_id, usage!.amount], [payout!.id, 50])
  assert.equal(effects.length, 4)
})

test('a payout above a cap becomes a request that counts as usage, emits an event and moves no money', () => {
  const decision = open().decide({ amount: 101 })
  const effects = effectsOf(decision)
  const [request] = rowsOf(effects, 'new row')
  assert.match(String(request!.id), /^por_/)
  assert.deepEqual(
    [request!.reason, request!.cap, request!.made_by, request!.expiry_days],
    ['plafond_operation', 100, 'key:key_1', 7],
  )
  const [usage] = rowsOf(effects, 'payout cap usage')
  assert.deepEqual([usage!.subject_id, usage!.amount], [request!.id, 101])
  const [told] = rowsOf(effects, 'job')
  assert.deepEqual([told!.name, told!.subject, told!.except], ['request_waits', request!.id, ['key:key_1']])
  assert.equal(effects.length, 3)
})

test('the first accepted payout saves its number to the book, and the next payout uses that entry', () => {
  const { decide, codeOf } = open()
  const destination = inline('0700000001')
  assert.equal(codeOf({ destination, fee_amount: 1_000 }), 'insufficient_funds')
  const first = effectsOf(decide({ destination }))
  const [entry] = rowsOf(first, 'beneficiary')
  assert.deepEqual(
    [entry!.msisdn, entry!.name, entry!.operator, entry!.label],
    ['+2250700000001', 'Yao', 'orange_ci', null],
  )
  const second = effectsOf(decide({ destination: inline('0700000001', 'Another name') }))
  assert.deepEqual(rowsOf(second, 'beneficiary'), [])
  const payouts = [first, second].map((effects) => rowsOf(effects, 'new row')[0]!)
  assert.deepEqual(
    payouts.map(({ beneficiary_id, name, is_inline }) => [beneficiary_id, name, is_inline]),
    [
      [entry!.beneficiary_id, 'Yao', true],
      [entry!.beneficiary_id, 'Another name', true],
    ],
  )
})

test("an inline number of the book uses its entry, with the request's name and the book's label", () => {
  const effects = effectsOf(open().decide({ destination: inline('0500000010', 'A. Koné') }))
  assert.deepEqual(rowsOf(effects, 'beneficiary'), [])
  const [payout] = rowsOf(effects, 'new row')
  assert.deepEqual([payout!.beneficiary_id, payout!.name, payout!.label], [rent.beneficiary_id, 'A. Koné', 'Rent'])
})
