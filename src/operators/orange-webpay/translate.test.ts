import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { Msisdn } from '../../values/msisdn.ts'
import type { OperatorReply } from '../operator-api/operator-http.ts'
import type { Order } from '../port.ts'
import { orderIdOf, referenceOf, translateAnnouncement, translateStatus, translateUnreadable } from './translate.ts'

const ID = '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10'
const MINUTE = 60_000

const order: Order = {
  merchant_id: 1,
  livemode: true,
  direction: 'collect',
  operator: 'orange_ci',
  reference: ID,
  operator_reference: null,
  operator_state: { pay_token: 'f5720dd9', notif_token: 'dd497bda' },
  amount: 2_500,
  currency: 'XOF',
  msisdn: Msisdn.parse('0707123456'),
  refund_of: null,
  sent_at: new Date('2026-03-02T10:15:00Z'),
  sent_ms_ago: MINUTE,
  sent_again: 0,
}

const answered = (status: number, json?: unknown): OperatorReply => ({
  kind: 'answered',
  status,
  headers: {},
  body: json === undefined ? '<html>' : JSON.stringify(json),
  ...(json === undefined ? {} : { json }),
})

test('an order id has 25 letters and digits, and leads back to its reference and to no other', () => {
  const references = [
    ID,
    '00000000-0000-4000-8000-000000000001',
    'ffffffff-ffff-4fff-bfff-ffffffffffff',
    ...Array.from({ length: 200 }, () => randomUUID()),
  ]
  for (const reference of references) {
    assert.match(orderIdOf(reference), /^[0-9a-z]{25}$/)
    assert.equal(referenceOf(orderIdOf(reference)), reference)
  }
  for (const none of ['', ID, 'z'.repeat(25), 'é'.repeat(25)]) assert.equal(referenceOf(none), null, none)
})

const taken = {
  status: 201,
  message: 'OK',
  pay_token: 'f5720dd9',
  payment_url: 'https://webpayment.example/payment/pay_token/f5720dd9',
  notif_token: 'dd497bda',
}

test('an accepted payment request leads to the page, and its tokens stay out of the evidence', () => {
  const outcome = translateAnnouncement(answered(201, taken), false)
  assert.ok(outcome.kind === 'accepted')
  assert.deepEqual(outcome.operator_state, { pay_token: 'f5720dd9', notif_token: 'dd497bda' })
  assert.deepEqual([outcome.next_action?.type, outcome.next_action?.url], ['redirect', taken.payment_url])
  assert.deepEqual(outcome.evidence, { http: 201, status: '201', message: 'OK' })
  const marked = translateAnnouncement(answered(201, { ...taken, payment_url: 'https://pay.example/"><b>' }), false)
  assert.ok(marked.kind === 'accepted')
  assert.equal(marked.next_action?.url, 'https://pay.example/%22%3E%3Cb%3E')
})

test('an announcement without a page or a token, or with a strange status, is unknown', () => {
  const bodies: object[] = [
    { ...taken, payment_url: '' },
    { ...taken, payment_url: 'http://webpayment.example/' },
    { ...taken, payment_url: 'javascript:alert(1)' },
    { ...taken, pay_token: '' },
    { ...taken, pay_token: 7 },
    { ...taken, notif_token: undefined },
    { ...taken, status: 500 },
    { ...taken, status: undefined },
    { ...taken, status: ['201'] },
  ]
  for (const body of bodies) assert.equal(translateAnnouncement(answered(201, body), false).kind, 'unknown')
  assert.equal(translateAnnouncement(answered(302, taken), false).kind, 'unknown')
  assert.equal(translateAnnouncement(answered(201), false).kind, 'unknown')
})

const refusals: [status: number, code: number | undefined, kind: string][] = [
  [400, 24, 'operator_configuration'],
  [401, 41, 'operator_configuration'],
  [401, 42, 'operator_configuration'],
  [403, 50, 'operator_configuration'],
  [403, 53, 'operator_configuration'],
  [404, 60, 'operator_configuration'],
  [406, undefined, 'operator_configuration'],
  [400, 1201, 'operator_account_blocked'],
  [422, 1202, 'operator_configuration'],
  [400, 1203, 'operator_configuration'],
  [400, 1204, 'duplicate'],
  [400, 1299, 'unknown'],
  [400, undefined, 'unknown'],
  [429, 53, 'unknown'],
  [500, 1, 'unknown'],
  [503, 5, 'unknown'],
  [503, 1201, 'unknown'],
]
/** The words that people are told of. */
const strange = new Map<number | undefined, string>([
  [1299, '1299'],
  [undefined, 'unreadable'],
])
for (const [status, code, expected] of refusals) {
  test(`an announcement answered ${status} with ${code} is ${expected}`, () => {
    const outcome = translateAnnouncement(answered(status, { code, message: 'm', description: 'd' }), false)
    assert.equal(outcome.kind === 'refused' ? outcome.failure_code : outcome.kind, expected)
    assert.equal('unlisted' in outcome ? outcome.unlisted : null, status === 400 ? (strange.get(code) ?? null) : null)
  })
}

test('an order whose id was used before its first send never fails by itself: a payer may have its page', () => {
  const outcome = translateAnnouncement(answered(400, { code: 1204, message: 'm', description: 'd' }), false)
  assert.ok(outcome.kind === 'duplicate')
  const sent = { ...order, sent_ms_ago: 30 * 86_400_000 }
  assert.equal(translateUnreadable({ ...sent, operator_state: outcome.operator_state ?? null }).kind, 'unknown')
  assert.equal(translateUnreadable(sent).kind, 'refused')
})

test('a page instead of JSON, silence and a lost token decide nothing; an unsent request is reported as unsent', () => {
  const kinds = (
    [
      answered(400),
      { kind: 'lost', reason: 'r' },
      { kind: 'not_sent', reason: 'r' },
      { kind: 'no_token', reply: { kind: 'lost', reason: 'r' } },
      { kind: 'no_token', reply: answered(503) },
      { kind: 'no_token', reply: answered(401, { error: 'invalid_client' }) },
    ] as const
  ).map((reply) => translateAnnouncement(reply, false).kind)
  assert.deepEqual(kinds, ['unknown', 'unknown', 'not_sent', 'not_sent', 'not_sent', 'refused'])
})

const read = (body: object, minutes = 1, status = 201) =>
  translateStatus(answered(status, { order_id: orderIdOf(ID), ...body }), { ...order, sent_ms_ago: minutes * MINUTE })

test('each state has its meaning, in any case, and Orange gives no reason', () => {
  const states: [status: unknown, minutes: number, kind: string][] = [
    ['INITIATED', 1, 'pending'],
    ['INITIATED', 31, 'payer_timeout'],
    ['PENDING', 600, 'pending'],
    ['SUCCESS', 1, 'settled'],
    ['success', 1, 'settled'],
    ['FAILED', 1, 'operator_refused'],
    ['EXPIRED', 1, 'payer_timeout'],
    ['REVERSED', 1, 'unknown'],
    ['constructor', 1, 'unknown'],
    [['FAILED'], 1, 'unknown'],
  ]
  for (const [status, minutes, expected] of states) {
    const outcome = read({ status, txnid: null }, minutes)
    assert.equal(outcome.kind === 'refused' ? outcome.failure_code : outcome.kind, expected, String(status))
    assert.equal('unlisted' in outcome, expected === 'unknown')
  }
})

test('a success is for the amount that was asked about, unless Orange states another', () => {
  const plain = read({ status: 'SUCCESS', txnid: 'MP260302.1017.A12345' })
  assert.ok(plain.kind === 'settled')
  assert.deepEqual([plain.amount, plain.currency, plain.operator_reference], [2_500, 'XOF', 'MP260302.1017.A12345'])
  const other = read({ status: 'SUCCESS', amount: 2_000 }, 1, 200)
  assert.ok(other.kind === 'settled')
  assert.equal(other.amount, 2_000)
  assert.equal(read({ status: 'SUCCESS', amount: '25,00' }).kind, 'unknown')
})

test('an answer about another order, or with another status, is unknown; one that Orange does not find ends nothing', () => {
  assert.equal(read({ status: 'SUCCESS', order_id: orderIdOf(randomUUID()) }).kind, 'unknown')
  assert.equal(read({ status: 'SUCCESS', order_id: undefined }).kind, 'unknown')
  assert.equal(read({ status: 'SUCCESS' }, 1, 202).kind, 'unknown')
  assert.equal(read({ code: 60 }, 1, 404).kind, 'not_found')
  assert.equal(read({ code: 61 }, 1, 404).kind, 'unknown')
})

test('an order whose reply was lost has failed once no announcement can be under way, and not before', () => {
  const lost = { ...order, operator_state: null }
  assert.equal(translateUnreadable(lost).kind, 'not_found')
  assert.equal(translateUnreadable({ ...lost, sent_ms_ago: null }).kind, 'not_found')
  const over = translateUnreadable({ ...lost, sent_ms_ago: 3 * MINUTE })
  assert.ok(over.kind === 'refused')
  assert.equal(over.failure_code, 'operator_unavailable')
})
