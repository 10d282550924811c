import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type BuiltCell,
  type BuiltSheet,
  workbookOf,
  workbookParts,
  zipOf,
} from '../../tests/harness/build-workbook.ts'
import { francFormats, judged, otherFormats } from '../../tests/harness/sheet-formats.ts'
import { judgeLine } from './judge-line.ts'
import { readTable } from './read-file.ts'

const titles = ['Nom', 'Numéro', 'Montant', 'Référence']

for (const format of otherFormats) {
  test(`an amount in the format ${format} is no amount`, async () => {
    const cell = { value: 15_000, format }
    const [line] = await judged(workbookOf({ rows: [titles, ['Awa Koné', '0707000001', cell, 'R-1']] }))
    assert.equal(line!.order, null, JSON.stringify(line))
    assert.deepEqual(
      line!.faults.map(({ column }) => column),
      ['amount'],
    )
  })
}

for (const format of francFormats) {
  test(`an amount in the format ${format} is an amount in francs`, async () => {
    const cell = { value: 15_000, format }
    const [line] = await judged(workbookOf({ rows: [titles, ['Awa Koné', '0707000001', cell, 'R-1']] }))
    assert.equal(line!.order?.amount, 15_000, JSON.stringify(line))
  })
}

test('a zero is restored for a numeric cell in any format of telephone numbers, and a person confirms it', async () => {
  for (const format of ['General', '0', '0000000000', '00" "00" "00" "00" "00', '"0"0', '"+225 0"0', '@', '# ##0']) {
    const cell = { value: 707_000_001, format }
    const [line] = await judged(workbookOf({ rows: [titles, ['Awa Koné', cell, 15_000, 'R-1']] }))
    assert.equal(line!.order, null, format)
    assert.deepEqual(line!.questions, [{ code: 'zero_restored', column: 'msisdn' }], format)
    const answered = judgeLine({ ...line!, asks: [{ code: 'zero_restored', column: 'msisdn', answered: true }] })
    assert.ok(answered.order?.destination.kind === 'inline')
    assert.equal(answered.order.destination.msisdn.e164, '+2250707000001')
  }
  const [text] = await judged(workbookOf({ rows: [titles, ['Awa Koné', '707000001', 15_000, 'R-1']] }))
  assert.deepEqual(text!.faults, [{ column: 'msisdn', code: 'number_short', missing: 1 }], 'a text is no bare number')
})

test('a date in a reference is the text that the sheet shows, and what cannot be shown the same is a fault', async () => {
  const reference = async (cell: BuiltCell) => {
    const [line] = await judged(workbookOf({ rows: [titles, ['Awa Koné', '0707000001', 15_000, cell]] }))
    return line!.order?.reference ?? line!.faults.map(({ column, code }) => `${column} ${code}`).join()
  }
  assert.equal(await reference({ value: 46_327, format: 'mm/yyyy' }), '11/2026')
  assert.equal(await reference({ value: 46_327, format: 'dd/mm/yyyy' }), '01/11/2026')
  assert.equal(await reference({ value: 46_327, format: 'd\\-m\\-yy' }), '1-11-26')
  assert.equal(await reference({ value: 46_327, format: 'mmm-yy' }), 'reference date')
  assert.equal(await reference({ value: 46_327.5, format: 'dd/mm/yyyy' }), 'reference date')
  assert.equal(await reference({ value: 0.15, format: '0%' }), 'reference percent')
  assert.equal(await reference({ value: 42, format: '00000' }), 'reference shown_otherwise')
  assert.equal(await reference({ value: 1_234_567_890_123_456 }), 'reference shown_otherwise')
  assert.equal(await reference({ value: '2,61101E+11' }), 'reference abbreviated')
  assert.equal(await reference({ value: '3E10' }), '3E10')
})

test('a table that a merged cell stands above or a formula heads is still found, and its titles may span two lines', async () => {
  const heading = [{ value: 'ÉTAT DE PAIE' }, null, null, null]
  const rows = [heading, [], titles, ['Awa Koné', '0707000001', 15_000, 'R-1']]
  const [line] = await judged(workbookOf({ rows, merged: ['A1:D1'] }))
  assert.equal(line!.line, 4)
  assert.equal(line!.order?.amount, 15_000)
  const two = [titles, [null, null, null, null], ['Awa Koné', '0707000001', 15_000, 'R-1']]
  const read = await judged(workbookOf({ rows: two, merged: ['A1:A2', 'B1:B2', 'C1:C2', 'D1:D2'] }))
  assert.equal(read.find(({ line: at }) => at === 3)?.order?.amount, 15_000)
})

test('the sheet that was open is read, also when hidden ones stand before it', async () => {
  const sheet = (name: string, amount: number, state?: 'hidden'): BuiltSheet => ({
    name,
    ...(state !== undefined && { state }),
    rows: [titles, ['Awa Koné', '0707000001', amount, 'R-1']],
  })
  const sheets = [sheet('Notice', 1), sheet('Modèle', 2, 'hidden'), sheet('Paie', 3), sheet('Copie', 4)]
  for (const [active, amount] of [
    [0, 1],
    [1, 1],
    [2, 3],
    [3, 4],
    [9, 1],
  ] as const) {
    const [line] = await judged(zipOf(workbookParts(sheets, { active })))
    assert.equal(line!.order?.amount, amount, String(active))
  }
  const read = await readTable(zipOf(workbookParts(sheets, { active: 0 })), 'Copie')
  assert.ok(read.kind === 'table')
  assert.deepEqual(
    [read.table.reading.sheet, read.table.reading.other_sheets, read.table.reading.hidden_sheets],
    ['Copie', ['Notice', 'Paie'], ['Modèle']],
  )
})

test('a workbook is read whatever its program calls its parts: other slashes, other case, other names, 64-bit sizes', async () => {
  const parts = workbookParts([
    { name: 'Paie', rows: [titles, ['Awa_x000D_\nKoné', '0707000001', 15_000, 'LOT_x005F_x0041_7']] },
  ])
  const renamed = (from: RegExp, to: string) =>
    parts.map(({ name, text }) => ({ name: name.replace(from, to), text: String(text).replace(from, to) }))
  const forms = {
    'as Excel writes it': zipOf(parts),
    'with backslashes': zipOf(parts.map(({ name, text }) => ({ name: name.replaceAll('/', '\\'), text }))),
    'with capitals': zipOf(
      parts.map(({ name, text }) => ({ name: name.replace('sharedStrings', 'SharedStrings'), text })),
    ),
    'with another main part': zipOf(renamed(/workbook\.xml/g, 'workbook2.xml')),
    'with 64-bit sizes': zipOf(parts, { wide: true }),
  }
  for (const [form, bytes] of Object.entries(forms)) {
    const [line] = await judged(bytes)
    assert.equal(line!.order?.amount, 15_000, form)
    assert.equal(line!.cells.name, 'Awa Koné', form)
    assert.equal(line!.order.reference, 'LOT_x0041_7', form)
  }
})

test('two files of one name, rows out of order and blocks without number are a damaged workbook', async () => {
  const parts = workbookParts([{ rows: [titles, ['Awa Koné', '0707000001', 15_000, 'R-1']] }])
  const refused = async (bytes: Buffer) => {
    const read = await readTable(bytes)
    return read.kind === 'refused' ? read.refusal.code : read.kind
  }
  const sheet = parts.find(({ name }) => name.includes('sheet1'))!
  const changed = (text: string) => zipOf(parts.map((part) => (part === sheet ? { ...part, text } : part)))
  assert.equal(await refused(zipOf([...parts, sheet])), 'workbook_unreadable')
  assert.equal(await refused(zipOf([...parts, { ...sheet, name: sheet.name.toUpperCase() }])), 'workbook_unreadable')
  assert.equal(await refused(changed(String(sheet.text).replace('<row r="2"', '<row r="1"'))), 'workbook_unreadable')
  assert.equal(await refused(changed(String(sheet.text).replace('r="B2"', 'r="A2"'))), 'workbook_unreadable')
  const blocks = '<mergeCell ref="A1:ZZ9999"/>'.repeat(20_000)
  assert.equal(await refused(changed(`${sheet.text}${blocks}`)), 'workbook_unreadable')
  const few = '<mergeCell ref="A1:BL600"/>'.repeat(9_000)
  const begun = process.cpuUsage()
  const many = String(sheet.text).replace(
    '</sheetData>',
    `${Array.from({ length: 500 }, (_, nth) => `<row r="${nth + 3}"><c r="A${nth + 3}"><v>1</v></c></row>`).join('')}</sheetData>`,
  )
  assert.equal(await refused(changed(`${many}${few}`)), 'workbook_unreadable')
  assert.ok(process.cpuUsage(begun).user < 20_000_000, 'twenty seconds of the processor')
})
