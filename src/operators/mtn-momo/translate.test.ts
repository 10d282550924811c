import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseStrictJson } from '../../platform/http/strict-json.ts'
import type { FailureCode } from '../../values/failure-codes.ts'
import { Msisdn } from '../../values/msisdn.ts'
import type { OperatorReply } from '../operator-api/operator-http.ts'
import type { ReplyWithToken } from '../operator-api/operator-token.ts'
import type { NextAction, Order } from '../port.ts'
import {
  operationFailures,
  orderRefusals,
  readBalance,
  translateOperation,
  translateOrder,
  unsettledReasons,
  vagueReasons,
} from './translate.ts'

const ID = '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10'
const order = (direction: Order['direction'] = 'collect') =>
  ({ direction, reference: ID, msisdn: null }) as unknown as Order
const prompt: NextAction = { type: 'approve_on_phone', message: 'Approve.' }

/** An answer with this body, read as the client reads it. */
function answered(status: number, body: object | string = ''): OperatorReply {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const json = parseStrictJson(Buffer.from(text))
  return { kind: 'answered', status, headers: {}, body: text, ...(json.kind === 'parsed' ? { json: json.value } : {}) }
}

const says = (code: string, message = 'Said to 2250506123456.') => ({ code, message })
const gateway = (statusCode: number) => ({ statusCode, message: 'Forbidden' })
const noToken = (reply: OperatorReply): ReplyWithToken => ({ kind: 'no_token', reply })
const not_sent: OperatorReply = { kind: 'not_sent', reason: 'refused' }
const lost: OperatorReply = { kind: 'lost', reason: 'cut' }

const orders: [name: string, reply: ReplyWithToken, kind: string, more?: FailureCode | string][] = [
  ['202 and nothing', answered(202), 'accepted'],
  ['409, a repeated reference', answered(409, says('RESOURCE_ALREADY_EXIST')), 'duplicate'],
  ['409 for another reason', answered(409, says('CONFLICT')), 'unknown', 'CONFLICT'],
  ['409 without a word', answered(409), 'unknown', 'unreadable'],
  ['400 about the request', answered(400, says('BAD_REQUEST', 'amount is wrong')), 'refused', 'operator_configuration'],
  ['400 about the party', answered(400, says('BAD_REQUEST', 'partyId is wrong')), 'refused', 'invalid_number'],
  ['400 by the firewall', answered(400, '<html>Request Rejected</html>'), 'unknown'],
  ['401', answered(401, gateway(401)), 'refused', 'operator_configuration'],
  ['403 by the gateway', answered(403, gateway(403)), 'refused', 'operator_configuration'],
  ['403 with a page', answered(403, '<html></html>'), 'refused', 'operator_configuration'],
  ['404', answered(404, gateway(404)), 'refused', 'operator_configuration'],
  ['429', answered(429, gateway(429)), 'unknown'],
  ['500 without a code', answered(500), 'unknown'],
  ['500, an internal error', answered(500, says('INTERNAL_PROCESSING_ERROR')), 'unknown'],
  ['500 for a reason without a row', answered(500, says('NEW_REASON')), 'unknown', 'NEW_REASON'],
  ['500 of JavaScript', answered(500, says('constructor')), 'unknown', 'constructor'],
  ['500 with a list of one code', answered(500, { code: ['NOT_ALLOWED'] }), 'unknown', 'unreadable'],
  ['503', answered(503, says('SERVICE_UNAVAILABLE')), 'unknown'],
  ['503 with the code of a mistake', answered(503, says('NOT_ALLOWED')), 'unknown', 'NOT_ALLOWED'],
  ['200 with a page', answered(200, '<html>Request Rejected</html>'), 'unknown'],
  ['200 with a code', answered(200, says('NOT_ALLOWED')), 'unknown'],
  ['302', answered(302), 'unknown'],
  ['not sent', not_sent, 'not_sent'],
  ['lost', lost, 'unknown'],
  ['no token: nobody there', noToken(not_sent), 'not_sent'],
  ['no token: silence', noToken(lost), 'not_sent'],
  ['no token: 503', noToken(answered(503)), 'not_sent'],
  ['no token: a page', noToken(answered(200, '<html></html>')), 'not_sent'],
  ['no token: a wrong key', noToken(answered(401, gateway(401))), 'refused', 'operator_configuration'],
  [
    'no token: another product',
    noToken(answered(500, says('NOT_ALLOWED_TARGET_ENVIRONMENT'))),
    'refused',
    'operator_configuration',
  ],
]
for (const [name, reply, kind, more] of orders) {
  test(`an order that is answered "${name}" is ${kind}`, () => {
    const outcome = translateOrder(reply, prompt)
    assert.equal(outcome.kind, kind)
    assert.equal(
      outcome.kind === 'refused' ? outcome.failure_code : 'unlisted' in outcome ? outcome.unlisted : undefined,
      more,
    )
    assert.equal('next_action' in outcome, kind === 'accepted')
    assert.doesNotMatch(JSON.stringify(outcome), /22505061/, 'numbers are masked')
  })
}

test('each code of a mistake of the contract is a refusal of its own', () => {
  for (const [code, failure_code] of orderRefusals) {
    const outcome = translateOrder(answered(500, says(code)), null)
    assert.deepEqual([outcome.kind, outcome.kind === 'refused' && outcome.failure_code], ['refused', failure_code])
  }
})

test('a token is never evidence', () => {
  const outcome = translateOrder(noToken(answered(200, { access_token: 'a-secret' })), null)
  assert.doesNotMatch(JSON.stringify(outcome), /a-secret/)
})

const found = (fields: object, direction: Order['direction'] = 'collect') =>
  answered(200, {
    externalId: ID,
    amount: '2500',
    currency: 'XOF',
    ...(direction === 'payout' ? { payee: { partyIdType: 'MSISDN', partyId: '2250506123456' } } : {}),
    ...fields,
  })
const asked = (reply: ReplyWithToken, direction: Order['direction'] = 'collect', currency = 'XOF') =>
  translateOperation(reply, order(direction), currency)

test('an operation that succeeded is settled for the francs it states, however they are written', () => {
  for (const amount of ['2500', '2500.0', '2500.00', 2500]) {
    for (const financialTransactionId of ['1739120045', 1739120045]) {
      const outcome = asked(found({ status: 'SUCCESSFUL', amount, financialTransactionId }))
      assert.ok(outcome.kind === 'settled')
      assert.deepEqual([outcome.amount, outcome.currency, outcome.operator_reference], [2500, 'XOF', '1739120045'])
    }
  }
  const other = asked(found({ status: 'SUCCESSFUL', amount: '2501', currency: 'GHS' }))
  assert.ok(other.kind === 'settled')
  assert.deepEqual([other.amount, other.currency], [2501, 'GHS'])
})

test('in the sandbox francs are called EUR, and another currency leaves the outcome unknown', () => {
  const outcome = asked(found({ status: 'SUCCESSFUL', currency: 'EUR' }), 'collect', 'EUR')
  assert.equal(outcome.kind === 'settled' && outcome.currency, 'XOF')
  assert.equal(asked(found({ status: 'SUCCESSFUL', currency: 'XOF' }), 'collect', 'EUR').kind, 'unknown')
})

test('each reason of a failure is a refusal with its own code, one for each direction', () => {
  for (const [code, codes] of operationFailures) {
    for (const reason of [code, { code, message: 'Said.' }]) {
      const collected = asked(found({ status: 'FAILED', reason }))
      assert.equal(collected.kind === 'refused' && collected.failure_code, codes.collect, code)
      assert.ok(!('unlisted' in collected))
      const refunded = asked(found({ status: 'FAILED', reason }, 'refund'), 'refund')
      assert.equal(refunded.kind === 'refused' && refunded.failure_code, codes.out, code)
      assert.equal('unlisted' in refunded, vagueReasons.has(code), code)
    }
  }
})

test('of a payout PAYER_NOT_FOUND is about the recipient, whom the answer names, and want of money is our own', () => {
  const of = (reason: string) => {
    const outcome = asked(found({ status: 'FAILED', reason }, 'payout'), 'payout')
    return outcome.kind === 'refused' && outcome.failure_code
  }
  assert.equal(of('PAYER_NOT_FOUND'), 'recipient_not_found')
  assert.equal(of('NOT_ENOUGH_FUNDS'), 'operator_float_insufficient')
  assert.equal(of('PAYER_LIMIT_REACHED'), 'operator_float_insufficient')
})

test('a failure with a reason that is not final leaves the operation under way', () => {
  for (const code of unsettledReasons) {
    for (const direction of ['collect', 'payout'] as const)
      assert.equal(asked(found({ status: 'FAILED', reason: { code } }, direction), direction).kind, 'pending', code)
  }
})

const reads: [name: string, reply: ReplyWithToken, kind: string, unlisted?: string, direction?: Order['direction']][] =
  [
    ['created', found({ status: 'CREATED' }), 'pending'],
    ['pending', found({ status: 'PENDING', financialTransactionId: '7' }), 'pending'],
    ['a state of other clients', found({ status: 'REJECTED' }), 'unknown', 'REJECTED'],
    ['a state of other clients, of a payout', found({ status: 'TIMEOUT' }), 'unknown', 'TIMEOUT', 'payout'],
    ['no state', found({}), 'unknown', 'unreadable'],
    ['failed for a reason without a row', found({ status: 'FAILED', reason: 'NEW' }), 'refused', 'NEW'],
    ['failed without a reason', found({ status: 'FAILED' }), 'refused', 'unreadable'],
    ['failed for a list of one reason', found({ status: 'FAILED', reason: ['ONGOING'] }), 'unknown', 'unreadable'],
    [
      'failed for a code in a list',
      found({ status: 'FAILED', reason: { code: ['EXPIRED'] } }),
      'unknown',
      'unreadable',
    ],
    ['a list of one state', found({ status: ['FAILED'], reason: 'EXPIRED' }), 'unknown', 'unreadable'],
    [
      'a payout failed for a reason without a row',
      found({ status: 'FAILED', reason: 'NEW' }),
      'unknown',
      'NEW',
      'payout',
    ],
    ['a payout failed without a reason', found({ status: 'FAILED' }), 'unknown', 'unreadable', 'payout'],
    ['not found', answered(404, says('RESOURCE_NOT_FOUND')), 'not_found'],
    ['not found by the gateway', answered(404, gateway(404)), 'unknown'],
    ['not found, on a page', answered(404, '<html></html>'), 'unknown'],
    ['not found with 200', answered(200, says('RESOURCE_NOT_FOUND')), 'unknown'],
    ['another operation', found({ status: 'SUCCESSFUL', externalId: 'x' }), 'unknown'],
    ['no operation', found({ status: 'SUCCESSFUL', externalId: undefined }), 'unknown'],
    ['succeeded for half a franc', found({ status: 'SUCCESSFUL', amount: '2500.50' }), 'unknown'],
    ['succeeded for 1e3', found({ status: 'SUCCESSFUL', amount: '1e3' }), 'unknown'],
    ['succeeded without a currency', found({ status: 'SUCCESSFUL', currency: undefined }), 'unknown'],
    ['succeeded, with 500', answered(500, { externalId: ID, status: 'SUCCESSFUL' }), 'unknown'],
    ['a state twice', answered(200, '{"status":"PENDING","status":"SUCCESSFUL"}'), 'unknown'],
    ['a page', answered(200, '<html>SUCCESSFUL</html>'), 'unknown'],
    ['401', answered(401, gateway(401)), 'unknown'],
    ['lost', lost, 'unknown'],
    ['not sent', not_sent, 'unknown'],
    ['no token', noToken(answered(401, gateway(401))), 'unknown'],
  ]
for (const [name, reply, kind, unlisted, direction] of reads) {
  test(`a question that is answered "${name}" is ${kind}`, () => {
    const outcome = asked(reply, direction)
    assert.equal(outcome.kind, kind)
    assert.equal('unlisted' in outcome ? outcome.unlisted : undefined, unlisted)
  })
}

test('the number of an answer is that of the payer of a collection, and of the recipient of a payout', () => {
  const [ours, other] = ['2250506123456', '2250500000001'].map((partyId) => ({ partyIdType: 'MSISDN', partyId }))
  const payout = { ...order('payout'), msisdn: Msisdn.stored('+2250506123456') }
  const kindOf = (payer: object, payee: object) =>
    translateOperation(found({ status: 'SUCCESSFUL', payer, payee }), payout, 'XOF').kind
  assert.deepEqual([kindOf(other!, ours!), kindOf(ours!, other!)], ['settled', 'unknown'])
})

test('a balance is whole, in the currency that it states', () => {
  const of = (body: object | string, status = 200) => readBalance(answered(status, body))
  assert.deepEqual(of({ availableBalance: '150000.75', currency: 'XOF' }), { amount: 150_000, currency: 'XOF' })
  assert.deepEqual(of({ availableBalance: 10, currency: 'EUR' }), { amount: 10, currency: 'EUR' })
  for (const body of ['', '{}', '{"availableBalance":"-5","currency":"XOF"}', '{"availableBalance":"5"}'])
    assert.equal(of(body), null)
  assert.equal(of({ availableBalance: '5', currency: 'XOF' }, 500), null)
})
