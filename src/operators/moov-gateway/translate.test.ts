import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseStrictJson } from '../../platform/http/strict-json.ts'
import type { OperatorReply } from '../operator-api/operator-http.ts'
import type { NextAction, Order } from '../port.ts'
import { refusals, translateCodeOrder, translateCodePayment, translateOperation, translateOrder } from './translate.ts'

const ID = '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10'
const order = (direction: Order['direction'] = 'collect') =>
  ({ direction, reference: ID, amount: 2_500, currency: 'XOF' }) as Order
const prompt: NextAction = { type: 'approve_on_phone', message: 'Approve.' }

/** An answer with this body, read as the client reads it. */
function answered(body: object | string, status = 200): OperatorReply {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const json = parseStrictJson(Buffer.from(text))
  return { kind: 'answered', status, headers: {}, body: text, ...(json.kind === 'parsed' ? { json: json.value } : {}) }
}

const says = (status: unknown, more: object = {}) =>
  answered({ 'request-id': ID, 'trans-id': 'MRCH.1', status, message: 'Said to 2250101234567.', ...more })
const sent = (reply: OperatorReply, platform: 'older' | 'newer' | 'unknown' = 'older') =>
  translateOrder(reply, order(), platform, prompt)
const paid = (reply: OperatorReply, platform: 'older' | 'newer' | 'unknown' = 'older') =>
  translateOrder(reply, order('payout'), platform, null)
const asked = (
  reply: OperatorReply,
  direction: Order['direction'] = 'collect',
  platform: 'older' | 'newer' | 'unknown' = 'older',
) => translateOperation(reply, order(direction), platform)

test('the code 0 for an order means accepted, on every platform, and never that money has moved', () => {
  for (const platform of ['older', 'newer', 'unknown'] as const) {
    for (const code of ['0', 0, '100']) {
      const outcome = sent(says(code), platform)
      assert.ok(outcome.kind === 'accepted')
      assert.deepEqual([outcome.operator_reference, outcome.next_action], ['MRCH.1', prompt])
      assert.doesNotMatch(JSON.stringify(outcome), /22501012/, 'numbers are masked')
      assert.equal(paid(says(code), platform).kind, 'accepted')
    }
  }
})

const undecided: [name: string, reply: OperatorReply, unlisted?: string][] = [
  ['silence', { kind: 'lost', reason: 'cut' }],
  ['a page', answered('<html></html>')],
  ['500', answered({ 'request-id': ID, status: '95' }, 500)],
  ['401', answered({ 'request-id': ID, status: '98' }, 401)],
  ['no code', answered({ 'request-id': ID })],
  ['an internal error', says('99')],
  ['another internal error', says('-1')],
  ['a code without a row', says('21'), '21'],
  ['a code of JavaScript', says('constructor'), 'constructor'],
  ['another reference', says('0', { 'request-id': 'another' })],
  ['a refusal of another reference', says('95', { 'request-id': 'another' })],
  ['no reference', says('0', { 'request-id': undefined })],
  ['a refusal without a reference', says('95', { 'request-id': undefined })],
]
for (const [name, reply, unlisted] of undecided) {
  test(`an order or a question that is answered with ${name} is unknown`, () => {
    for (const outcome of [sent(reply), paid(reply), asked(reply), asked(reply, 'payout')]) {
      assert.equal(outcome.kind, 'unknown')
      assert.equal('unlisted' in outcome ? outcome.unlisted : undefined, unlisted)
    }
  })
}

test('an unsent order is reported as unsent', () => {
  const reply: OperatorReply = { kind: 'not_sent', reason: 'refused' }
  assert.equal(sent(reply).kind, 'not_sent')
  assert.equal(asked(reply).kind, 'unknown')
})

test('the meaning of 12 and 15 depends on the platform, and 15 decides nothing on an unknown one', () => {
  const meant = (platform: 'older' | 'newer' | 'unknown', code: string) => {
    const outcomes = [sent(says(code), platform), paid(says(code), platform), asked(says(code), 'collect', platform)]
    return outcomes.map((outcome) => (outcome.kind === 'refused' ? outcome.failure_code : outcome.kind))
  }
  const all = (word: string) => [word, word, word]
  assert.deepEqual(meant('older', '12'), all('amount_out_of_bounds'))
  assert.deepEqual(meant('newer', '12'), all('operator_refused'))
  assert.deepEqual(meant('unknown', '12'), all('operator_refused'))
  assert.deepEqual(meant('older', '15'), ['payer_limit_reached', 'operator_float_insufficient', 'payer_limit_reached'])
  assert.deepEqual(meant('newer', '15'), all('unknown'))
  assert.deepEqual(meant('unknown', '15'), all('unknown'))
  assert.deepEqual(meant('newer', '8'), all('unknown'), 'the table of the older platform')
  assert.deepEqual(meant('unknown', '8'), all('unknown'))
})

test('a code about the call refuses an order, named or not, and decides nothing in the answer to an inquiry', () => {
  const codes = [...refusals.older].filter(([, { of_call }]) => of_call === true).map(([code]) => code)
  assert.deepEqual(codes, ['1', '2', '4', '91', '98'])
  for (const code of codes) {
    for (const reply of [says(code), says(code, { 'request-id': undefined })]) {
      const outcome = sent(reply)
      assert.equal(outcome.kind === 'refused' && outcome.failure_code, 'operator_configuration', code)
      assert.deepEqual([asked(reply).kind, asked(reply, 'payout').kind], ['unknown', 'unknown'], code)
    }
    assert.equal(sent(says(code, { 'request-id': 'another' })).kind, 'unknown')
  }
})

test('people are alerted to a limit of our own wallet, and a timed-out prompt decides nothing about a payout', () => {
  const limit = paid(says('13'))
  assert.ok(limit.kind === 'refused')
  assert.deepEqual([limit.failure_code, limit.unlisted], ['operator_float_insufficient', '13'])
  assert.equal('unlisted' in sent(says('13')), false)
  assert.deepEqual([sent(says('92')).kind, paid(says('92')).kind], ['refused', 'unknown'])
})

test('a question ends an order with 0, for the amount that is stated or else the one that we ordered', () => {
  const francs = (more: object) => {
    const outcome = asked(says('0', more))
    return outcome.kind === 'settled' ? [outcome.amount, outcome.currency] : outcome.kind
  }
  assert.deepEqual(francs({}), [2_500, 'XOF'])
  assert.deepEqual(francs({ amount: '2501.00' }), [2_501, 'XOF'])
  assert.deepEqual(francs({ 'extended-data': { amount: 1, currency: 'GHS' } }), [1, 'GHS'])
  assert.equal(francs({ amount: '25.5' }), 'unknown')
  assert.equal(francs({ currency: 952 }), 'unknown')
})

test('100 means under way, and 94 not found, which is no refusal', () => {
  for (const platform of ['older', 'newer', 'unknown'] as const) {
    assert.equal(asked(says('100'), 'payout', platform).kind, 'pending')
    assert.equal(asked(says('94'), 'payout', platform).kind, 'not_found')
    assert.equal(paid(says('94'), platform).kind, 'unknown', 'to an order it says nothing')
  }
})

const typed: NextAction = { type: 'enter_code', message: 'Type.' }
const sentCode = (reply: OperatorReply) => translateCodeOrder(reply, order(), 'older', typed)
const paidByCode = (reply: OperatorReply) => translateCodePayment(reply, order(), 'older')

test('an order by code that Moov accepts without a number of its own cannot be paid, and has failed', () => {
  const own = { 'request-id': `${ID}-1` }
  const taken = sentCode(says('0', own))
  assert.ok(taken.kind === 'accepted')
  assert.deepEqual(taken.next_action, typed)
  const unnamed = sentCode(says('0', { ...own, 'trans-id': undefined }))
  assert.equal(unnamed.kind === 'refused' && unnamed.failure_code, 'operator_unavailable')
  for (const [name, reply] of undecided) assert.equal(sentCode(reply).kind, 'unknown', name)
})

test("the code 0 for a payment by code is no proof, an unsent one has failed, and the payer's code is in no evidence", () => {
  const own = { 'request-id': `${ID}-2`, message: 'Code 482913 taken' }
  const taken = paidByCode(says('0', own))
  assert.equal(taken.kind, 'pending')
  const wrong = paidByCode(says('95', own))
  assert.equal(wrong.kind === 'refused' && wrong.failure_code, 'operator_refused')
  const never = paidByCode({ kind: 'not_sent', reason: 'refused connection' })
  assert.equal(never.kind === 'refused' && never.failure_code, 'operator_unavailable')
  const unclear = [says('0'), says('95'), says('99', own), says('21', own), ...undecided.map(([, reply]) => reply)]
  for (const reply of unclear) assert.equal(paidByCode(reply).kind, 'unknown')
  for (const outcome of [taken, wrong]) assert.doesNotMatch(JSON.stringify(outcome), /482913/)
})
