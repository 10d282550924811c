import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from '../../../tests/harness/property.ts'
import { wantsJson } from '../../platform/http/pages/page-request.ts'
import { readForm } from '../../platform/http/read-form.ts'
import { readFrancs, readSentForm } from './request.ts'

for (const [written, francs] of [
  ['10000', 10_000],
  ['10 000', 10_000],
  ['10.000', 10_000],
  ['10,000', 10_000],
  ['1 234 567', 1_234_567],
  ['10\u00a0000', 10_000],
  ['10\u202f000 F CFA', 10_000],
  [' 500 FCFA ', 500],
  ['500 francs', 500],
  ['500 XOF', 500],
  ['1000000000000', 1_000_000_000_000],
  ['', null],
  ['0', null],
  ['10,5', null],
  ['10.50', null],
  ['1000.00', null],
  ['10 00', null],
  ['1 0000', null],
  ['-5', null],
  ['+5', null],
  ['5e3', null],
  ['0x10', null],
  ['٥٠٠', null],
  ['cinq cents', null],
  ['1000000000001', null],
] as const) {
  test(`${JSON.stringify(written)} is ${francs === null ? 'no amount' : `${francs} francs`}`, () => {
    assert.equal(readFrancs(written), francs)
  })
}

test('any amount in digits, with or without groups of three, is read as that amount', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 999_999_999 }),
      fc.constantFrom(' ', '.', '\u202f', '\u00a0', ','),
      (francs, gap) => {
        assert.equal(readFrancs(String(francs)), francs)
        assert.equal(readFrancs(String(francs).replace(/\B(?=(\d{3})+$)/g, gap)), francs)
      },
    ),
  )
})

for (const [accept, sent, json] of [
  [undefined, undefined, false],
  ['*/*', undefined, false],
  ['text/html,application/xhtml+xml,*/*;q=0.8', undefined, false],
  ['application/json', undefined, true],
  ['application/json, text/plain, */*', undefined, true],
  ['text/html, application/json', undefined, false],
  [undefined, 'application/json', true],
  ['*/*', 'application/json; charset=utf-8', true],
  ['text/html', 'application/json', false],
  ['*/*', 'application/x-www-form-urlencoded', false],
] as const) {
  test(`accepting ${accept ?? 'nothing'} with ${sent ?? 'no body'} is answered ${json ? 'in JSON' : 'with a page'}`, () => {
    assert.equal(wantsJson({ accept, 'content-type': sent }), json)
  })
}

test('a form in JSON is read strictly: an amount must be a number, and a text a text', () => {
  const read = (body: unknown) => sentForm(Buffer.from(JSON.stringify(body)), 'application/json')
  assert.equal(read({ amount: 500 })?.amount, 500)
  assert.equal(read({ amount: '500' })?.amount, null)
  assert.equal(read({ msisdn: 700000000 })?.msisdn, null)
  assert.equal(read({})?.msisdn, '')
  assert.equal(read([]), null)
  assert.equal(sentForm(Buffer.from('{"a":1,"a":2}'), 'application/json'), null)
  assert.equal(sentForm(Buffer.from('msisdn=07'), 'text/plain'), null)
})

test('no form makes the reader throw', () => {
  const types = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', undefined)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), types, (bytes, type) => {
      const form = sentForm(Buffer.from(bytes), type)
      if (form === null) return
      for (const value of [form.msisdn, form.operator, form.nonce, form.code]) {
        assert.ok(value === null || value.length <= 200)
      }
    }),
  )
})

/** Reads a form in the same way as its route. */
function sentForm(bytes: Buffer, type: string | undefined) {
  const form = readForm(bytes, type)
  return form === null ? null : readSentForm(form)
}
