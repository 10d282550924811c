import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Part, workbookParts, zipOf } from '../../tests/harness/build-workbook.ts'
import { judged } from '../../tests/harness/sheet-formats.ts'

// Ways in which other programs write the same thing, in the XML itself.

const parts = workbookParts([
  {
    rows: [
      ['Nom', 'Numéro', 'Montant'],
      ['Awa Koné', '0707000001', 15_000],
      ['Yves Kouadio', '0707000002', { value: 16_000, format: '0.0' }],
    ],
    notes: { C2: 'NE PAS PAYER' },
  },
])

/** Changes one part of the workbook, which must change. */
function changed(name: string, change: (text: string) => string, more: readonly Part[] = []): Buffer {
  const found = parts.find((part) => part.name === name)!
  const text = change(String(found.text))
  assert.notEqual(text, found.text, name)
  return zipOf([...parts.map((part) => (part === found ? { ...part, text } : part)), ...more])
}

const SHEET = 'xl/worksheets/sheet1.xml'
const told = async (bytes: Buffer) =>
  (await judged(bytes)).map(({ line, order, faults, questions }) =>
    [
      line,
      order?.amount ?? '',
      ...faults.map(({ code }) => code),
      ...questions.map(({ code, text }) => text ?? code),
    ].join(' '),
  )

test('the note of a line, an answered comment, and a note without words are questions', async () => {
  assert.deepEqual(await told(zipOf(parts)), ['2  NE PAS PAYER', '3 16000'])
  const types = 'http://schemas.microsoft.com/office/2017/10/relationships'
  const relations = (xml: string) =>
    xml.replace(
      '</Relationships>',
      `<Relationship Id="rId9" Type="${types}/threadedComment" Target="../threadedComments/threadedComment1.xml"/></Relationships>`,
    )
  const threaded = {
    name: 'xl/threadedComments/threadedComment1.xml',
    text: '<ThreadedComments><threadedComment ref="A3" done="1"><text>contrat fini</text></threadedComment><threadedComment ref="A3"><text>oui, le 15</text></threadedComment></ThreadedComments>',
  }
  const both = changed('xl/worksheets/_rels/sheet1.xml.rels', relations, [threaded])
  assert.deepEqual(await told(both), ['2  NE PAS PAYER', '3  contrat fini · oui, le 15'])
  const empty = changed('xl/comments1.xml', (xml) => xml.replace('NE PAS PAYER', ''))
  assert.deepEqual(await told(empty), ['2  …', '3 16000'])
})

test('a text of which a part is struck is a question, also when the cell holds it itself', async () => {
  const run = (text: string) => `<r><rPr><strike/></rPr><t>${text}</t></r><r><t> Koné</t></r>`
  const shared = changed('xl/sharedStrings.xml', (xml) => xml.replace('<t>Awa Koné</t>', run('Awa')))
  assert.deepEqual((await told(shared))[0], '2  row_struck NE PAS PAYER')
  const own = changed(SHEET, (xml) =>
    xml.replace(/<c r="A3"[\s\S]*?<\/c>/, `<c r="A3" t="inlineStr"><is>${run('Yves')}</is></c>`),
  )
  assert.deepEqual((await told(own))[1], '3  row_struck')
  const off = changed(SHEET, (xml) =>
    xml.replace(
      /<c r="A3"[\s\S]*?<\/c>/,
      `<c r="A3" t="inlineStr"><is>${run('Yves').replace('<strike/>', '<strike val="0"/>')}</is></c>`,
    ),
  )
  assert.deepEqual((await told(off))[1], '3 16000')
})

test('white letters are hidden unless their cell is filled', async () => {
  const styles = (font: string, fill: string) =>
    changed('xl/styles.xml', (xml) =>
      xml
        .replace('<font><color rgb="FFFFFFFF"/></font>', `<font>${font}</font>`)
        .replace('</fills>', `<fill>${fill}</fill></fills>`)
        .replace(/<xf numFmtId="164" fontId="0" fillId="0"\/>/, '<xf numFmtId="164" fontId="2" fillId="1"/>'),
    )
  const none = '<patternFill patternType="none"/>'
  const red = '<patternFill patternType="solid"><fgColor rgb="FFFF0000"/></patternFill>'
  const white = '<patternFill patternType="solid"><fgColor indexed="9"/></patternFill>'
  for (const font of [
    '<color rgb="FFFFFFFF"/>',
    '<color theme="0"/>',
    '<color theme="0" tint="0.5"/>',
    '<color indexed="9"/>',
  ]) {
    assert.equal((await told(styles(font, none)))[1], '3  not_shown', font)
    assert.equal((await told(styles(font, white)))[1], '3  not_shown', font)
    assert.equal((await told(styles(font, red)))[1], '3 16000', font)
  }
  for (const font of [
    '<color theme="1"/>',
    '<color rgb="FF000000"/>',
    '<color theme="0" tint="-0.5"/>',
    '<color auto="1"/>',
  ]) {
    assert.equal((await told(styles(font, none)))[1], '3 16000', font)
  }
})

test('numbers that no spreadsheet writes and shared texts that are missing are not guessed, and escaped signs are read', async () => {
  const amount = (cell: string) => changed(SHEET, (xml) => xml.replace(/<c r="C3"[\s\S]*?<\/c>/, cell))
  for (const [cell, words] of [
    ['<c r="C3"><v>0x3E80</v></c>', '3  cell_error'],
    ['<c r="C3"><v>Infinity</v></c>', '3  cell_error'],
    ['<c r="C3" t="s"><v>999</v></c>', '3  cell_error'],
    ['<c r="C3" t="d"><v>2026-11-27</v></c>', '3  date'],
    ['<c r="C3"><v>1.6E4</v></c>', '3 16000'],
    ['<c r="C3" t="str"><v>16 000</v></c>', '3 16000'],
    ['<c r="C3" t="str"><f>A1</f><v>16 000</v></c>', '3  formula'],
    ['<c r="C3"><f t="shared" si="0"/><v>16000</v></c>', '3  formula'],
    ['<c r="C3" t="inlineStr"><is><t>16000_x000D_</t></is></c>', '3 16000'],
    ['<c r="C3" t="inlineStr"><is><t>16_x0030_00</t></is></c>', '3 16000'],
    ['<c r="C3" t="inlineStr"><is><t>16_x005F_x0030_00</t></is></c>', '3  amount_unreadable'],
  ] as const) {
    assert.equal((await told(amount(cell)))[1], words, cell)
  }
})
