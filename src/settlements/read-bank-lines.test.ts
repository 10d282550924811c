import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BankColumns, readBankAmount, readBankLines } from './read-bank-lines.ts'

const read = (text: string | Buffer, named: BankColumns | null = null) => readBankLines(Buffer.from(text), named)
function linesIn(text: string | Buffer, named: BankColumns | null = null) {
  const result = read(text, named)
  assert.ok(result.kind === 'read', JSON.stringify(result))
  return result
}

test('a sum is read as banks write it, and never guessed', () => {
  for (const [written, francs] of [
    ['1250000', 1_250_000],
    ['1 250 000', 1_250_000],
    ['1\u202f250\u00a0000 F CFA', 1_250_000],
    ['1.250.000,00', 1_250_000],
    ['1,250,000.00 XOF', 1_250_000],
    ['-1.250.000,0', -1_250_000],
    ['\u22121 250', -1_250],
    ['1.250', 1_250],
    ['500,00', 500],
    ['0', null],
    ['1.250.000,50', null],
    ['12.50', null],
    ['1.25.000', null],
    ['1,250.000', null],
    ['1.250.000.00', null],
    ['1e6', null],
    ['=1+1', null],
    ['', null],
    ['9999999999999999', null],
  ] as const)
    assert.equal(readBankAmount(written), francs, written)
})

test('a file is read with any of three separators, in UTF-8 or Latin-1, quoted or not, below words of the bank', () => {
  const table = (separator: string) =>
    ['Référence', 'Libellé', 'Débit', 'Bénéficiaire'].join(separator) +
    '\r\n' +
    ['VIR-1', '"Reversement ""août"""', '"1 250 000"', 'Épicerie Awa'].join(separator)
  for (const separator of [';', ',', '\t']) {
    const text = `SOCIÉTÉ IVOIRIENNE DE BANQUE\r\n\r\n${table(separator)}`
    for (const bytes of [Buffer.from(text, 'utf8'), Buffer.from(text, 'latin1')]) {
      const { lines, left_aside } = linesIn(bytes)
      assert.deepEqual(lines, [
        {
          line: 4,
          amount: 1_250_000,
          reference: 'VIR-1',
          label: 'Reversement "août"',
          account: '',
          holder: 'Épicerie Awa',
          fault: null,
        },
      ])
      assert.equal(left_aside, 0)
    }
  }
})

test('money that came in is left aside: an empty debit, or a sum without the minus of the others', () => {
  const split = linesIn('reference;label;debit;credit\nA;x;100;\nB;y;;200')
  assert.deepEqual([split.lines.map(({ reference }) => reference), split.left_aside], [['A'], 1])
  const signed = linesIn('reference;label;montant\nA;x;-100\nB;y;200')
  assert.deepEqual([signed.lines.map(({ reference }) => reference), signed.left_aside], [['A'], 1])
})

test('a formula, a sum with parts and a missing reference are faults of their line', () => {
  const { lines } = linesIn(
    'reference;label;montant\n=HYPERLINK("http://x");x;100\n@SUM(A1);x;100\nA;+cmd|calc;100\nB;x;1,5\n;x;100\n="0042";x;100',
  )
  assert.deepEqual(
    lines.map(({ fault, reference }) => [fault, reference]),
    [
      ['formula', '=HYPERLINK("http://x")'],
      ['formula', '@SUM(A1)'],
      ['formula', 'A'],
      ['amount', 'B'],
      ['reference', null],
      [null, '0042'],
    ],
  )
})

test('columns that are not known are asked for, and named by a person', () => {
  const text = 'Op;Txt;Valeur\nVIR-9;stl;7000'
  const asked = read(text)
  assert.ok(asked.kind === 'refused' && asked.refusal.code === 'columns_unknown')
  assert.deepEqual(asked.refusal.found, ['Op', 'Txt', 'Valeur'])
  const { lines } = linesIn(text, { reference: 0, label: 1, amount: 2 })
  assert.deepEqual([lines[0]!.reference, lines[0]!.amount], ['VIR-9', 7_000])
  // Two columns of one meaning: nobody chooses for the person. A place that is not there is no column.
  assert.equal(read('reference;label;montant;debit\nA;x;1;1').kind, 'refused')
  assert.equal(read(text, { reference: 0, label: 1, amount: 9 }).kind, 'refused')
})

test('a file that is none, too long or too large is refused with its reason', () => {
  const code = (text: string | Buffer) => {
    const result = read(text)
    return result.kind === 'refused' ? result.refusal.code : result.kind
  }
  assert.equal(code(''), 'empty')
  assert.equal(code('\n\n'), 'empty')
  assert.equal(code(Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0])), 'not_a_table')
  assert.equal(code('reference;label;montant\n"A;x;1'), 'unclosed_quote')
  assert.equal(code(`reference;label;montant\n${'A;x;1\n'.repeat(2_001)}`), 'too_many_lines')
  assert.equal(code('x'.repeat(2 * 1024 * 1024 + 1)), 'too_large')
})
