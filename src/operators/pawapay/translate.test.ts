import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseStrictJson } from '../../platform/http/strict-json.ts'
import type { OperatorReply } from '../operator-api/operator-http.ts'
import type { NextAction, Order } from '../port.ts'
import {
  initiationRefusals,
  operationFailures,
  operationStates,
  readBalance,
  readConfiguration,
  translateInitiation,
  translateOperation,
} from './translate.ts'

const ID = '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10'
const OTHER = '1b8a9c7e-0a55-4f3e-8c7d-6e2c7f1a9b02'

const order = (direction: Order['direction'] = 'collect') =>
  ({ direction, reference: ID, msisdn: null }) as unknown as Order
const prompt: NextAction = { type: 'approve_on_phone', message: 'Approve.' }

/** An answer with this body, read as the client reads it. */
function answered(status: number, body: object | string): OperatorReply {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const json = parseStrictJson(Buffer.from(text), 'everywhere', 32)
  return { kind: 'answered', status, headers: {}, body: text, ...(json.kind === 'parsed' ? { json: json.value } : {}) }
}

const rejected = (failureCode: string, more: object = {}) => ({
  depositId: ID,
  status: 'REJECTED',
  failureReason: { failureCode, failureMessage: 'Said to 2250503456789.' },
  ...more,
})

test('each code that an initiation is refused with is a refusal of its own', () => {
  for (const [code, failure_code] of initiationRefusals) {
    for (const status of [200, 400, 401, 403]) {
      const outcome = translateInitiation(answered(status, rejected(code)), order(), prompt)
      assert.deepEqual([outcome.kind, 'failure_code' in outcome && outcome.failure_code], ['refused', failure_code])
      assert.ok(!('unlisted' in outcome))
      assert.doesNotMatch(JSON.stringify(outcome), /22505034/, 'numbers are masked')
    }
  }
})

const initiations: [name: string, reply: OperatorReply, kind: string, unlisted?: string][] = [
  ['accepted', answered(200, { depositId: ID, status: 'ACCEPTED', nextStep: 'FINAL_STATUS' }), 'accepted'],
  ['accepted, our id in capitals', answered(200, { depositId: ID.toUpperCase(), status: 'ACCEPTED' }), 'accepted'],
  ['accepted, a refund under the name of a payout', answered(200, { payoutId: ID, status: 'ACCEPTED' }), 'accepted'],
  ['ignored as a duplicate', answered(200, { depositId: ID, status: 'DUPLICATE_IGNORED' }), 'duplicate'],
  ['refused with 200', answered(200, rejected('INVALID_PHONE_NUMBER')), 'refused'],
  [
    'refused in the older words',
    answered(200, { status: 'REJECTED', rejectionReason: { rejectionCode: 'INVALID_AMOUNT' } }),
    'refused',
  ],
  ['refused for a reason without a row', answered(200, rejected('NEW_REASON')), 'refused', 'NEW_REASON'],
  ['refused without a reason', answered(200, { depositId: ID, status: 'REJECTED' }), 'refused', 'unreadable'],
  ['refused because it does not know', answered(200, rejected('UNKNOWN_ERROR')), 'unknown'],
  ['401 without a status', answered(401, { failureReason: { failureCode: 'NO_AUTHENTICATION' } }), 'refused'],
  ['403 for a reason without a row', answered(403, { failureReason: { failureCode: 'NEW' } }), 'unknown', 'NEW'],
  ['403 that says that it accepted', answered(403, { depositId: ID, status: 'ACCEPTED' }), 'unknown'],
  ['404', answered(404, rejected('NOT_FOUND')), 'unknown'],
  ['409', answered(409, rejected('INVALID_STATE')), 'unknown'],
  ['429', answered(429, rejected('INVALID_AMOUNT')), 'unknown'],
  ['302', answered(302, { status: 'REJECTED' }), 'unknown'],
  ['500 with UNKNOWN_ERROR', answered(500, { failureReason: { failureCode: 'UNKNOWN_ERROR' } }), 'unknown'],
  ['500 that says that it refused', answered(500, rejected('INVALID_AMOUNT')), 'unknown'],
  ['503', answered(503, 'upstream'), 'unknown'],
  ['a status without a row', answered(200, { depositId: ID, status: 'PAUSED' }), 'unknown', 'PAUSED'],
  ['a status of JavaScript', answered(200, { depositId: ID, status: 'constructor' }), 'unknown', 'constructor'],
  ['no status', answered(200, { depositId: ID }), 'unknown', 'unreadable'],
  ['about another operation', answered(200, { depositId: OTHER, status: 'REJECTED' }), 'unknown'],
  ['about another that names ours', answered(200, { depositId: OTHER, refundId: ID, status: 'REJECTED' }), 'unknown'],
  ['a list of one status', answered(200, { depositId: ID, status: ['REJECTED'] }), 'unknown', 'unreadable'],
  ['a list', answered(200, [{ depositId: ID, status: 'ACCEPTED' }]), 'unknown'],
  ['a page', answered(200, '<html>ACCEPTED</html>'), 'unknown'],
  ['a status twice', answered(200, '{"status":"ACCEPTED","status":"REJECTED"}'), 'unknown'],
  ['nothing', answered(200, ''), 'unknown'],
  ['not sent', { kind: 'not_sent', reason: 'refused' }, 'not_sent'],
  ['lost', { kind: 'lost', reason: 'cut' }, 'unknown'],
]
for (const [name, reply, kind, unlisted] of initiations) {
  test(`an initiation that is answered "${name}" is ${kind}`, () => {
    const outcome = translateInitiation(reply, order(), prompt)
    assert.equal(outcome.kind, kind)
    assert.equal('unlisted' in outcome ? outcome.unlisted : undefined, unlisted)
    assert.equal('next_action' in outcome, kind === 'accepted')
  })
}

const found = (data: object, direction: Order['direction'] = 'collect') => {
  const id = { collect: 'depositId', payout: 'payoutId', refund: 'refundId' }[direction]
  return answered(200, {
    status: 'FOUND',
    data: { [id]: ID, amount: '2500.00', currency: 'XOF', providerTransactionId: 'MP1.A', ...data },
  })
}

test('an operation that completed is settled for the francs it states, however they are written', () => {
  for (const amount of ['2500', '2500.00', 2500]) {
    const outcome = translateOperation(found({ status: 'COMPLETED', amount }), order(), false)
    assert.ok(outcome.kind === 'settled')
    assert.deepEqual([outcome.amount, outcome.currency, outcome.operator_reference], [2500, 'XOF', 'MP1.A'])
  }
  const other = translateOperation(found({ status: 'COMPLETED', amount: '2501', currency: 'EUR' }), order(), false)
  assert.ok(other.kind === 'settled')
  assert.deepEqual([other.amount, other.currency], [2501, 'EUR'])
})

test('each reason of a failure is a refusal with its own code, one for each direction', () => {
  for (const [failureCode, codes] of operationFailures) {
    for (const direction of ['collect', 'payout', 'refund'] as const) {
      const outcome = translateOperation(
        found({ status: 'FAILED', failureReason: { failureCode } }, direction),
        order(direction),
        false,
      )
      const row = codes[direction === 'collect' ? 'collect' : 'out']
      assert.ok(outcome.kind === 'refused')
      assert.equal(outcome.failure_code, row ?? 'operator_refused')
      assert.equal(outcome.unlisted, row === null ? failureCode : undefined)
    }
  }
})

test('only COMPLETED and FAILED end an operation', () => {
  const kinds = [...operationStates].map(([status]) => [
    status,
    translateOperation(found({ status }), order(), false).kind,
  ])
  assert.deepEqual(Object.fromEntries(kinds), {
    ACCEPTED: 'pending',
    PROCESSING: 'pending',
    ENQUEUED: 'pending',
    IN_RECONCILIATION: 'pending',
    COMPLETED: 'settled',
    FAILED: 'refused',
  })
})

const reads: [name: string, reply: OperatorReply, kind: string, unlisted?: string][] = [
  ['not found', answered(200, { status: 'NOT_FOUND' }), 'not_found'],
  ['a state without a row', found({ status: 'SUBMITTED' }), 'unknown', 'SUBMITTED'],
  [
    'failed for a reason without a row',
    found({ status: 'FAILED', failureReason: { failureCode: 'NEW' } }),
    'refused',
    'NEW',
  ],
  ['failed without a reason', found({ status: 'FAILED' }), 'refused', 'unreadable'],
  ['completed for half a franc', found({ status: 'COMPLETED', amount: '2500.50' }), 'unknown'],
  ['completed for 1e3', found({ status: 'COMPLETED', amount: '1e3' }), 'unknown'],
  ['completed without an amount', found({ status: 'COMPLETED', amount: undefined }), 'unknown'],
  ['completed without a currency', found({ status: 'COMPLETED', currency: 952 }), 'unknown'],
  ['another operation', found({ status: 'COMPLETED', depositId: OTHER }), 'unknown'],
  ['another operation that names ours', found({ status: 'FAILED', depositId: OTHER, refundId: ID }), 'unknown'],
  ['a list of one state', found({ status: ['FAILED'] }), 'unknown', 'unreadable'],
  ['an operation without an id', found({ status: 'COMPLETED', depositId: undefined }), 'unknown'],
  ['found, and nothing', answered(200, { status: 'FOUND' }), 'unknown'],
  ['404', answered(404, { status: 'NOT_FOUND' }), 'unknown'],
  ['401', answered(401, { failureReason: { failureCode: 'NO_AUTHENTICATION' } }), 'unknown'],
  ['500', answered(500, { status: 'NOT_FOUND' }), 'unknown'],
  ['a page', answered(200, '<html>NOT_FOUND</html>'), 'unknown'],
  ['lost', { kind: 'lost', reason: 'cut' }, 'unknown'],
  ['not sent', { kind: 'not_sent', reason: 'refused' }, 'unknown'],
]
for (const [name, reply, kind, unlisted] of reads) {
  test(`a question that is answered "${name}" is ${kind}`, () => {
    const outcome = translateOperation(reply, order(), false)
    assert.equal(outcome.kind, kind)
    assert.equal('unlisted' in outcome ? outcome.unlisted : undefined, unlisted)
  })
}

test('the address of the page where a payer approves comes with a later answer, and is https', () => {
  const asked = (authorizationUrl: unknown, plain = false, direction: Order['direction'] = 'collect') => {
    const outcome = translateOperation(
      found({ status: 'PROCESSING', authorizationUrl }, direction),
      order(direction),
      plain,
    )
    assert.ok(outcome.kind === 'pending')
    return outcome.next_action?.url
  }
  assert.equal(asked('https://pay.wave.com/c/1'), 'https://pay.wave.com/c/1')
  assert.equal(asked('http://127.0.0.1:4010/pay', true), 'http://127.0.0.1:4010/pay')
  assert.equal(asked('https://pay.wave.com/"><b>'), 'https://pay.wave.com/%22%3E%3Cb%3E')
  for (const url of [
    'http://pay.wave.com/',
    'javascript:alert(1)',
    'pay',
    '',
    7,
    null,
    `https://a/${'x'.repeat(2_048)}`,
  ]) {
    assert.equal(asked(url), undefined, String(url))
  }
  assert.equal(asked('https://pay.wave.com/c/1', false, 'payout'), undefined)
})

test("an account's configuration gives the bounds of its providers in francs", () => {
  const operationTypes = {
    DEPOSIT: { minAmount: '100', maxAmount: '1000000.50', callbackUrl: 'https://pay.example.ci/operators/p/callbacks' },
    PAYOUT: { minAmount: '500', maxAmount: '100' },
  }
  const providers = [
    {
      provider: 'MTN_MOMO_CIV',
      currencies: [
        { currency: 'XOF', operationTypes },
        { currency: 'USD', operationTypes: {} },
      ],
    },
    null,
  ]
  const read = readConfiguration(
    answered(200, {
      companyName: 'Exemple',
      signatureConfiguration: { signedRequestsOnly: false, signedCallbacks: true },
      countries: [{ country: 'CIV', providers }, { country: 'SEN', providers }, 7],
    }),
  )!
  assert.deepEqual([read.signed_requests_only, read.signed_callbacks], [false, true])
  assert.deepEqual(Object.fromEntries(read.terms), {
    'MTN_MOMO_CIV DEPOSIT': {
      bounds: { min: 100, max: 1_000_000, step: 1 },
      callback_url: 'https://pay.example.ci/operators/p/callbacks',
      dial: null,
    },
    'MTN_MOMO_CIV PAYOUT': { bounds: null, callback_url: null, dial: null },
  })
  for (const body of ['', '{}', '[]', '{"countries":{}}']) assert.equal(readConfiguration(answered(200, body)), null)
  assert.equal(readConfiguration(answered(401, { countries: [] })), null)
})

test('a balance is the francs of Côte d’Ivoire', () => {
  const wallet = { country: 'CIV', balance: '1250000.00', currency: 'XOF' }
  const of = (...balances: object[]) => readBalance(answered(200, { balances }))
  assert.equal(of(wallet, { ...wallet, country: 'SEN' }, { ...wallet, currency: 'USD' }), 1_250_000)
  assert.equal(of({ ...wallet, balance: '0.75' }), 0)
  assert.equal(of({ ...wallet, balance: '-5' }), null)
  assert.equal(of(), null)
  assert.equal(readBalance(answered(503, '')), null)
})

test('the code that payers dial is read where no prompt comes by itself or one can be brought back, and only a code is', () => {
  const dialOf = (pinPrompt: unknown, pinPromptInstructions: unknown, pinPromptRevivable: unknown = false) => {
    const DEPOSIT = { minAmount: '100', maxAmount: '1000', pinPrompt, pinPromptRevivable, pinPromptInstructions }
    const providers = [{ provider: 'ORANGE_CIV', currencies: [{ currency: 'XOF', operationTypes: { DEPOSIT } }] }]
    const body = { countries: [{ country: 'CIV', providers }] }
    return readConfiguration(answered(200, body))!.terms.get('ORANGE_CIV DEPOSIT')!.dial
  }
  const read = (...of: Parameters<typeof dialOf>) => dialOf(...of)?.code ?? null
  const steps = (shortCode: unknown) => ({
    fr: [
      { text: 'Tapez', variables: {} },
      { text: 'x', variables: { shortCode } },
    ],
  })
  const channels = (...all: unknown[]) => ({ channels: all })
  const ussd = (shortCode: unknown) => ({ type: 'USSD', instructions: steps(shortCode) })
  assert.equal(read('MANUAL', channels({ type: 'APP', instructions: steps('*1#') }, ussd('#144*82#'))), '#144*82#')
  assert.equal(
    read('MANUAL', channels({ type: 'USSD', variables: { shortCode: '*133#' }, instructions: null })),
    '*133#',
  )
  assert.equal(read('AUTOMATIC', channels(ussd('*133#'))), null)
  assert.deepEqual(dialOf('AUTOMATIC', channels(ussd('*133#')), true), { code: '*133#', prompted: true })
  assert.deepEqual(dialOf('MANUAL', channels(ussd('*133#')), true), { code: '*133#', prompted: false })
  for (const strange of ['true', 1, null]) assert.equal(read('AUTOMATIC', channels(ussd('*133#')), strange), null)
  for (const strange of ['', '133', '*133#<b>', `*${'1'.repeat(30)}#`, 133, null, ['*133#']]) {
    assert.equal(read('MANUAL', channels(ussd(strange))), null, String(strange))
  }
  for (const strange of [null, 'x', [], {}, channels(), { channels: 'x' }, channels(null, 7, { type: 'USSD' })]) {
    assert.equal(read('MANUAL', strange), null, JSON.stringify(strange))
  }
})
