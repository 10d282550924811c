import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import { readCallback } from './callback.ts'

const ID = '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10'
const OTHER = '1b8a9c7e-0a55-4f3e-8c7d-6e2c7f1a9b02'

const successful = {
  financialTransactionId: '1739120045',
  externalId: ID,
  amount: '2500',
  currency: 'XOF',
  payer: { partyIdType: 'MSISDN', partyId: '2250506123456' },
  status: 'SUCCESSFUL',
}

const read = (body: object | string, headers: IncomingHttpHeaders = {}) =>
  readCallback(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), headers)

test('a callback is about the order in externalId, with its words and without its number', () => {
  const reading = read(successful)
  assert.deepEqual(reading, {
    kind: 'about',
    reference: ID,
    evidence: {
      signed: false,
      status: 'SUCCESSFUL',
      amount: '2500',
      currency: 'XOF',
    },
  })
})

const about: [name: string, body: object, headers?: IncomingHttpHeaders][] = [
  ['in capitals', { ...successful, externalId: ID.toUpperCase() }],
  ['with the header as well', successful, { 'x-reference-id': ID }],
  ['with referenceId as well', { ...successful, referenceId: ID }],
  ['by the header alone', { ...successful, externalId: undefined }, { 'x-reference-id': ID }],
  ['by referenceId alone', { status: 'FAILED', referenceId: ID }],
  ['with a reason that is a text', { ...successful, status: 'FAILED', reason: 'EXPIRED' }],
]
for (const [name, body, headers] of about) {
  test(`a callback that names its order ${name} is about it`, () => {
    const reading = read(body, headers)
    assert.equal(reading.kind === 'about' && reading.reference, ID)
  })
}

const unreadable: [name: string, body: object | string, headers?: IncomingHttpHeaders][] = [
  ['no JSON', 'SUCCESSFUL'],
  ['nothing', ''],
  ['a list', [successful]],
  ['a field twice', `{"externalId":"${ID}","externalId":"${ID}"}`],
  ['no reference', { ...successful, externalId: undefined }],
  ['a reference of another form', { ...successful, externalId: '../../x' }],
  ['two references', successful, { 'x-reference-id': OTHER }],
  ['two references in the body', { ...successful, referenceId: OTHER }],
]
for (const [name, body, headers] of unreadable) {
  test(`a callback that holds ${name} is not read`, () => {
    assert.deepEqual(read(body, headers), { kind: 'forged' })
  })
}

test('numbers in the words of a callback are masked', () => {
  const reason = { code: 'PAYER_NOT_FOUND', message: 'No wallet for 2250506123456' }
  const reading = read({ ...successful, status: 'FAILED', reason })
  assert.doesNotMatch(JSON.stringify(reading), /22505061/)
  assert.match(JSON.stringify(reading), /PAYER_NOT_FOUND/)
})
