import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { judgeLine } from '../../src/batch-files/judge-line.ts'
import { readFrancs as readPayerFrancs } from '../../src/checkout/page/request.ts'
import { readAmount as readCommandAmount } from '../../src/cli/command.ts'
import { readSearch } from '../../src/listings/search-meanings.ts'
import { readBankAmount } from '../../src/settlements/bank/cells.ts'
import { bankReferenceIn } from '../../src/values/bank-reference.ts'
import { Msisdn, maskNumbers } from '../../src/values/msisdn.ts'
import { readFrancs } from '../../src/values/read-typed.ts'

/** Signs that telephones, chats and word processors leave in copied text, and some that are rare. */
const invisible = [
  ...['\u202a', '\u202b', '\u202c', '\u202d', '\u200e', '\u200f', '\u2066', '\u2067', '\u2068', '\u2069', '\u061c'],
  ...['\u200b', '\u200c', '\u200d', '\u2060', '\u2061', '\u2064', '\u00ad', '\u034f', '\u180e', '\ufeff', '\u115f'],
  ...['\ufe00', '\ufe0e', '\ufe0f', '\u3164', '\uffa0', '\u{e0001}', '\u{e0030}', '\u{e0101}'],
]
const widths = ['0', '\uff10', '\u{1d7ce}', '\u{1d7d8}', '\u{1d7e2}', '\u{1d7ec}', '\u{1d7f6}', '\u{1fbf0}']

/** Writes a text with invisible signs anywhere, and each digit in some width. */
const disguised = (text: string) =>
  fc
    .array(fc.record({ before: fc.subarray(invisible, { maxLength: 2 }), width: fc.constantFrom(...widths) }), {
      minLength: text.length + 1,
      maxLength: text.length + 1,
    })
    .map((signs) =>
      [...text, '']
        .map((sign, at) => {
          const { before, width } = signs[at]!
          const isDigit = /^\d$/.test(sign)
          return before.join('') + (isDigit ? String.fromCodePoint(width.codePointAt(0)! + Number(sign)) : sign)
        })
        .join(''),
    )
    .filter((text) => text.length <= 64)

const numbers = fc
  .tuple(fc.constantFrom('01', '05', '07'), fc.integer({ min: 0, max: 99_999_999 }))
  .map(([prefix, rest]) => `${prefix}${String(rest).padStart(8, '0')}`)
const francs = fc.integer({ min: 1, max: 999_999_999 })

test('a number with invisible signs and digits of any width is that number at every door', () => {
  const written = numbers.chain((number) =>
    fc
      .constantFrom(number, `+225 ${number}`, number.replace(/\d\d\B/g, '$& '))
      .chain(disguised)
      .map((text) => ({ number, text })),
  )
  fc.assert(
    fc.property(written, ({ number, text }) => {
      const e164 = `+225${number}`
      assert.equal(Msisdn.parse(text)?.e164, e164)
      assert.equal(readSearch(text).number?.e164, e164)
      const { order } = judgeLine({ line: 2, cells: { name: 'Awa Koné', msisdn: text, amount: '5' } })
      assert.ok(order?.destination.kind === 'inline' && order.destination.msisdn.e164 === e164)
      assert.ok(!maskNumbers(`to ${text}.`).normalize('NFKC').includes(number.slice(0, 6)), 'it is masked in evidence')
    }),
  )
})

test('an amount with invisible signs and digits of any width is that amount at every door', () => {
  const grouped = (amount: number) => String(amount).replace(/\B(?=(\d{3})+$)/g, ' ')
  const written = francs.chain((amount) =>
    fc
      .constantFrom(String(amount), grouped(amount), `${grouped(amount)} F CFA`, `${amount} XOF`)
      .chain(disguised)
      .map((text) => ({ amount, text })),
  )
  fc.assert(
    fc.property(written, ({ amount, text }) => {
      assert.equal(readFrancs(text), amount)
      assert.equal(readPayerFrancs(text), amount)
      assert.equal(readBankAmount(text), amount)
      assert.equal(readSearch(text).amount, amount)
      const { order } = judgeLine({ line: 2, cells: { name: 'Awa Koné', msisdn: '0707000001', amount: text } })
      assert.equal(order?.amount, amount)
    }),
  )
  fc.assert(
    fc.property(
      francs.chain((amount) => disguised(String(amount)).map((text) => ({ amount, text }))),
      ({ amount, text }) => assert.equal(readCommandAmount('amount', text), amount),
    ),
  )
})

test('a search by four digits or a day is read with invisible signs in it', () => {
  assert.equal(readSearch('\u202a0012\u202c').last4, '0012')
  assert.equal(readSearch('\u200e24/11/2026').day, '2026-11-24')
})

test('the reference of a bank loses its invisible signs, and one that shows its digits backwards is no reference', () => {
  assert.equal(bankReferenceIn('\u202aVIR26110042\u202c'), 'VIR26110042')
  assert.equal(bankReferenceIn('\u202eVIR26110042'), null)
})

test('a text that shows its digits backwards is no number and no amount', () => {
  for (const text of ['\u202e1000000707', '\u202e0707000001\u202c', '0707\u202e000001']) {
    assert.equal(Msisdn.parse(text), null)
  }
  assert.equal(readFrancs('\u202e0005'), null)
  assert.equal(readBankAmount('\u202e0005'), null)
})

for (const [written, amount] of [
  ['16000', 16_000],
  ['16 000 F', 16_000],
  ['F CFA 16 000', 16_000],
  ['FCFA16000', 16_000],
  ['XOF 16 000', 16_000],
  ['16 000 Frs', 16_000],
  ['16 000 frs cfa', 16_000],
  ['16 000 francs CFA', 16_000],
  ['16’000', 16_000],
  ["1'250'000", 1_250_000],
  ['16 000,-', 16_000],
  ['16 000 €', null],
  ['16 000 EUR', null],
  ['16 000 F GNF', null],
  ['10²', null],
  ['1①', null],
  ['٥٠٠', null],
  ['16 000 / 2', null],
  ['1e4', null],
  ['16%', null],
] as const) {
  test(`${JSON.stringify(written)} is ${amount === null ? 'no amount' : `${amount} francs`} in a form, a file and a bank's file`, () => {
    assert.equal(readFrancs(written), amount)
    assert.equal(readBankAmount(written), amount)
    const line = judgeLine({ line: 2, cells: { name: 'Awa Koné', msisdn: '0707000001', amount: written } })
    assert.equal(line.order?.amount ?? null, amount)
  })
}

for (const [written, amount] of [
  ['1.250.000-', -1_250_000],
  ['480 000,00-', -480_000],
  ['(1 250 000)', -1_250_000],
  ['(1.250.000,00 XOF)', -1_250_000],
  ['\u22121 250 000', -1_250_000],
  ["1'250'000.00", 1_250_000],
  ['-5-', null],
  ['(-5)', null],
  ['(5', null],
  ['5)', null],
] as const) {
  test(`${JSON.stringify(written)} of a bank is ${amount === null ? 'no amount' : `${amount} francs`}`, () => {
    assert.equal(readBankAmount(written), amount)
  })
}
