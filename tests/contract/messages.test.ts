import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { checkRefusal } from './answers.ts'
import type { Answer } from './ask.ts'
import { openCalls } from './calls.ts'

const { add, batch, collects, get, open, pay, pays, send, settle, submit } = openCalls()

const NUMBER = '0799887766'
const to = (beneficiary: unknown) => ({ amount: 100, beneficiary })
const OPERATORS = 'must be one of orange_ci, mtn_ci, moov_ci, wave_ci.'
const person = { msisdn: '0700000010', operator: 'orange_ci', name: 'Awa' }

const cases: [what: string, ask: () => Promise<Answer>, status: number, code: string, message: string][] = [
  [
    'no type',
    () => pay({ amount: 1 }, { headers: { 'Content-Type': undefined } }),
    400,
    'invalid_body',
    'Content-Type is missing. Send application/json, in UTF-8.',
  ],
  [
    'another type',
    () => pay({ amount: 1 }, { headers: { 'Content-Type': 'text/plain' } }),
    400,
    'invalid_body',
    'Content-Type names another type. Send application/json, in UTF-8.',
  ],
  [
    'no JSON',
    () => pay(null, { text: '{"amount": 100,}' }),
    400,
    'invalid_body',
    'The body is not JSON: the name of a field, in double quotes, is expected (line 1, character 16).',
  ],
  [
    'a key twice',
    () => pay(null, { text: '{"amount":1,"amount":2}' }),
    400,
    'invalid_body',
    'The field amount is there twice in one object (line 1, character 13).',
  ],
  ['an array', () => pay([]), 400, 'invalid_body', 'The body must be a JSON object, but an array was sent.'],
  [
    'a long body',
    () => pay({ amount: 1, padding: 'x'.repeat(70_000) }),
    400,
    'invalid_body',
    'The body is too long: at most 65536 bytes here.',
  ],
  [
    'no amount',
    () => pay({}),
    422,
    'invalid_amount',
    'amount is missing. Send a whole number of francs, written as a JSON integer of at least 1.',
  ],
  [
    'a string amount',
    () => pay({ amount: '100' }),
    422,
    'invalid_amount',
    'amount must be a whole number of francs, written as a JSON integer of at least 1, but a string was sent.',
  ],
  [
    'a decimal amount',
    () => pay({ amount: 1.5 }),
    422,
    'invalid_amount',
    'amount must be a whole number of francs, written as a JSON integer of at least 1, but a number with decimals, an exponent or too many digits was sent.',
  ],
  ['an amount of 0', () => pay({ amount: 0 }), 422, 'invalid_amount', 'amount is too small: at least 1.'],
  [
    'a huge amount',
    () => pay({ amount: 1_000_000_000_001 }),
    422,
    'invalid_amount',
    'amount is too large: at most 1000000000000.',
  ],
  [
    'an amount above the limit',
    () => pay({ amount: 2_000_001 }),
    422,
    'amount_above_limit',
    'amount is above the limit for one payment: at most 2000000 francs.',
  ],
  [
    'a session above the limit',
    () => open({ amount: 2_000_001 }),
    422,
    'amount_above_limit',
    'amount is above the limit for one payment: at most 2000000 francs.',
  ],
  [
    'another currency',
    () => pay({ amount: 1, currency: 'EUR' }),
    422,
    'invalid_currency',
    'The only currency is XOF. Send XOF, or leave currency out.',
  ],
  ['an operator of another type', () => pay({ amount: 1, operator: 5 }), 400, 'invalid_body', `operator ${OPERATORS}`],
  ['an unknown operator', () => pay({ amount: 1, operator: 'x' }), 422, 'invalid_operator', `operator ${OPERATORS}`],
  [
    'a payer without a number',
    () => pay({ amount: 1, counterparty: {} }),
    400,
    'invalid_body',
    'counterparty.msisdn is missing. Send an Ivorian mobile number: ten digits, or +225 and ten digits.',
  ],
  [
    'a payer with a wrong number',
    () => pay({ amount: 1, counterparty: { msisdn: `${NUMBER}1` } }),
    422,
    'invalid_msisdn',
    'counterparty.msisdn must be an Ivorian mobile number: ten digits, or +225 and ten digits.',
  ],
  [
    'a long reference',
    () => pay({ amount: 1, merchant_reference: 'x'.repeat(300) }),
    400,
    'invalid_body',
    'merchant_reference is too long (300 of at most 255 characters).',
  ],
  [
    'an empty reference',
    () => pay({ amount: 1, merchant_reference: '' }),
    400,
    'invalid_body',
    'merchant_reference is too short (0 of at least 1 characters).',
  ],
  [
    'a description of another type',
    () => pay({ amount: 1, description: ['x'] }),
    400,
    'invalid_body',
    'description must be a string, but an array was sent.',
  ],
  [
    'long metadata',
    () => pay({ amount: 1, metadata: { a: 'x'.repeat(16_384) } }),
    400,
    'invalid_body',
    'metadata is too long as JSON (16392 of at most 16384 characters).',
  ],
  [
    'no key of idempotency',
    () => pay({ amount: 1 }, { idempotency_key: null }),
    400,
    'idempotency_key_required',
    'The header Idempotency-Key is missing. Send 8 to 255 characters that name this operation and no other.',
  ],
  [
    'a short key of idempotency',
    () => pay({ amount: 1 }, { idempotency_key: 'ab' }),
    400,
    'idempotency_key_required',
    'Idempotency-Key is too short (2 of at least 8 characters).',
  ],
  [
    'a long key of idempotency',
    () => pay({ amount: 1 }, { idempotency_key: 'a'.repeat(256) }),
    400,
    'idempotency_key_required',
    'Idempotency-Key is too long (256 of at most 255 characters).',
  ],
  [
    'another version',
    () => get('/v1-payments/txn_1', collects, { 'Service-Version': '2020-01-01' }),
    400,
    'invalid_request',
    'The only version is 2026-08-25. Send it in Service-Version, or leave the header out.',
  ],
  [
    'a wrong id',
    () => get('/v1-payments/pay_1'),
    422,
    'invalid_id',
    'payment_id must be txn_ followed by 1 to 64 letters or digits. Send the id as an answer or event gave it.',
  ],
  [
    'a wrong id of two kinds',
    () => get('/v1-payouts/pay_1'),
    422,
    'invalid_id',
    'id must be txn_ or por_ followed by 1 to 64 letters or digits. Send the id as an answer or event gave it.',
  ],
  [
    'an unknown id',
    () => get('/v1-payments/txn_1'),
    404,
    'resource_not_found',
    'No such resource for this key and mode. Check the id, and whether it is a test or a live key.',
  ],
  [
    'no destination',
    () => send({ amount: 100 }),
    422,
    'invalid_beneficiary',
    'The destination is missing. Send beneficiary_id, or beneficiary with msisdn and name.',
  ],
  [
    'two destinations',
    () => send({ ...to(person), beneficiary_id: randomUUID() }),
    422,
    'invalid_beneficiary',
    'Both beneficiary_id and beneficiary are given. Send only one of them.',
  ],
  [
    'a destination without a name',
    () => send(to({ msisdn: NUMBER })),
    422,
    'invalid_beneficiary',
    'beneficiary.name is missing. Send a name of 1 to 200 characters.',
  ],
  [
    'a destination with a wrong number',
    () => send(to({ ...person, msisdn: `${NUMBER}1` })),
    422,
    'invalid_beneficiary',
    'beneficiary.msisdn must be an Ivorian mobile number: ten digits, or +225 and ten digits.',
  ],
  [
    'a destination with a wrong operator',
    () => send(to({ ...person, operator: 'x' })),
    422,
    'invalid_beneficiary',
    `beneficiary.operator ${OPERATORS}`,
  ],
  [
    'a line without an amount',
    () => batch({ ...to(person) }, { beneficiary: person }),
    422,
    'invalid_amount',
    'Line 2: amount is missing. Send a whole number of francs, written as a JSON integer of at least 1.',
  ],
  [
    'a line without a name',
    () => batch(to({ msisdn: NUMBER })),
    422,
    'invalid_beneficiary',
    'Line 1: beneficiary.name is missing. Send a name of 1 to 200 characters.',
  ],
  [
    'a line that is a text',
    () => batch('x'),
    422,
    'invalid_lines',
    'Line 1: A line must be an object, but a string was sent.',
  ],
  [
    'too many lines',
    () => batch(...Array(501).fill(0)),
    422,
    'too_many_lines',
    'lines has 501 of at most 500 objects.',
  ],
  [
    'an entry with a short name',
    () => add({ ...person, name: 'A' }),
    422,
    'invalid_beneficiary',
    'name must be a name of 2 to 200 characters.',
  ],
  [
    'an entry without an operator',
    () => add({ ...person, operator: undefined }),
    422,
    'invalid_beneficiary',
    'operator is missing. Send msisdn, operator and name.',
  ],
  [
    'a settlement to a name',
    () => settle({ amount: 5_000, beneficiary: 'x' }),
    422,
    'invalid_beneficiary',
    'beneficiary must be the id of the designated destination, a UUID.',
  ],
  [
    'no period',
    () => get('/v1-statements'),
    422,
    'invalid_period',
    'from is missing. Send a day that exists, written YYYY-MM-DD.',
  ],
  [
    'a day that does not exist',
    () => get('/v1-statements?from=2026-02-30&to=2026-03-01'),
    422,
    'invalid_period',
    'from must be a day that exists, written YYYY-MM-DD.',
  ],
  [
    'an inverted period',
    () => get('/v1-statements?from=2026-03-02&to=2026-03-01'),
    422,
    'invalid_period',
    'from is after to. Exchange the two.',
  ],
  [
    'an offset without end',
    () => get(`/v1-statements?from=2026-03-01&to=2026-03-02&offset=${'9'.repeat(16)}`),
    400,
    'invalid_request',
    'offset must be a whole number of at least 0, in at most 15 digits.',
  ],
  [
    'a one-time code of three digits',
    () => submit({ code: '123' }),
    400,
    'invalid_body',
    'code must be a string of 4 to 10 digits.',
  ],
  [
    'events about nothing',
    () => get('/x/events?subject_id='),
    400,
    'invalid_request',
    'subject_id must be the id of a resource, such as txn_1.',
  ],
  [
    'a limit of nothing',
    () => get('/v1-beneficiaries?limit=x', pays),
    400,
    'invalid_request',
    'limit must be a whole number of at least 1.',
  ],
  [
    'a limit twice',
    () => get('/v1-beneficiaries?limit=1&limit=2', pays),
    400,
    'invalid_request',
    'limit must be a whole number of at least 1, but an array was sent.',
  ],
]

describe('a refusal names the field, the value and the correction', () => {
  for (const [what, ask, status, code, message] of cases) {
    test(what, async () => {
      const answer = await ask()
      checkRefusal(answer, status, code, what)
      assert.equal((answer.json() as { error: { message: string } }).error.message, message)
      assert.ok(!answer.text.includes(NUMBER), 'no number of a person is quoted')
    })
  }
})
