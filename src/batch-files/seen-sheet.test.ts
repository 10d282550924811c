import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type BuiltCell,
  type BuiltSheet,
  workbookOf,
  workbookParts,
  zipOf,
} from '../../tests/harness/build-workbook.ts'
import type { JudgedLine } from './judge-line.ts'
import { judgeLine } from './judge-line.ts'
import { linesByTitles, readTable } from './read-file.ts'

// A generator of workbooks: clean lines, of which a few cells, rows or columns are hidden, formatted, struck, merged, filled by a formula or
// annotated. No such line may become money by itself, and every other line must stay as it is.

const titles = ['Nom', 'Numéro', 'Montant', 'Référence']
const [NAME, NUMBER, AMOUNT, REFERENCE] = [0, 1, 2, 3]

/** Formats with which a sheet shows something else than an amount in francs. */
const otherFormats = [
  ...[
    'dd/mm/yyyy',
    'd/m/yy',
    'mmm-yy',
    'yyyy-mm-dd',
    '[$-F800]dddd\\, mmmm dd\\, yyyy',
    '[$-40C]d\\ mmmm\\ yyyy',
    'm/d/yy h:mm',
  ],
  ...['h:mm', 'hh:mm:ss', '[h]:mm', '[mm]:ss', 'mm:ss', 'h:mm AM/PM', '[$-F400]h:mm:ss'],
  ...['0%', '0.00%', '#,##0\\ %', '# ?/?', '# ??/??', '0.00E+00', '##0.0E+0'],
  ...['#,##0 "€"', '#,##0.00\\ [$€-40C]', '[$$-409]#,##0', '[$£-809]#,##0', '"$"#,##0', '#,##0 "EUR"', '"USD" #,##0'],
  ...['#,##0\\ "GNF"', '[$XAF] #,##0', '#,##0 "euros"', '[$₦-470]#,##0', '_-* #,##0.00\\ "€"_-;-* #,##0.00\\ "€"_-'],
  ...[
    ';;;',
    ';-0;0',
    '""',
    '"payé"',
    '"-"',
    '[White]#,##0',
    '#,##0,',
    '#,##0,"k"',
    '#,##0,,',
    '0" 000 F"',
    '0"0"',
    '"1"0',
  ],
  ...[
    '00" "00" "00" "00" "00',
    '00\\ 00\\ 00',
    '0000000000',
    '[>1000]0;"rien"',
    '[<=1000000]"petit";0',
    '#,##0 "jours"',
    '0 "k"',
  ],
]
/** Formats with which it shows an amount in francs. */
const francFormats = [
  ...[
    'General',
    '0',
    '#,##0',
    '# ##0',
    '#\\ ##0',
    '### ### ##0',
    '#,##0.00',
    '@',
    '[Red]#,##0',
    '[Color 3]0',
    '#,##0;[Red]-#,##0',
  ],
  ...[
    '#,##0 "F CFA"',
    '#,##0\\ "FCFA"',
    '#,##0"F"',
    '#,##0\\ [$FCFA]',
    '[$XOF] #,##0',
    '[$CFA-280C]#,##0',
    '#,##0 "francs"',
  ],
  ...[
    '_-* #,##0\\ _F_-;-* #,##0\\ _F_-;_-* "-"\\ _F_-;_-@_-',
    '_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)',
    '#,##0" F"',
  ],
]

type Person = { name: string; msisdn: string; amount: number; reference: string }

const people = fc
  .array(
    fc.record({ amount: fc.integer({ min: 1_000, max: 5_000_000 }), digits: fc.integer({ min: 0, max: 9_999 }) }),
    {
      minLength: 3,
      maxLength: 12,
    },
  )
  .map((some) =>
    some.map(
      ({ amount, digits }, nth): Person => ({
        name: `Awa Koné ${'abcdefghijklm'[nth]}`,
        msisdn: `0707${String(nth).padStart(2, '0')}${String(digits).padStart(4, '0')}`,
        amount,
        reference: `SAL-${nth}`,
      }),
    ),
  )

/** A change of a clean sheet. `lines`: the indices of the people whom no payment may reach by itself. */
type Change = { sheet: BuiltSheet; lines: readonly number[] }
type Grid = (BuiltCell | string | number | null)[][]

const gridOf = (persons: readonly Person[]): Grid => [
  titles,
  ...persons.map(({ name, msisdn, amount, reference }) => [name, msisdn, amount, reference]),
]
const cellName = (at: number, column: number) => `${'ABCD'[column]}${at + 2}`
const withCell = (
  persons: readonly Person[],
  at: number,
  column: number,
  cell: (was: string | number) => BuiltCell,
): Grid =>
  gridOf(persons).map((row, line) =>
    line === at + 1 ? row.map((was, place) => (place === column ? cell(was as string | number) : was)) : row,
  )

type Pick = { at: number; to: number; column: number; format: string }
type Kind = (persons: readonly Person[], pick: Pick) => Change

const between = ({ at, to }: Pick) => Array.from({ length: to - at + 1 }, (_, nth) => at + nth)
const all = (persons: readonly Person[]) => persons.map((_, nth) => nth)
const rowKind =
  (attributes: string): Kind =>
  (persons, { at }) => ({ sheet: { rows: gridOf(persons), lines: { [at + 2]: attributes } }, lines: [at] })
const cellKind =
  (change: (was: string | number, pick: Pick) => BuiltCell, column?: number): Kind =>
  (persons, pick) => ({
    sheet: { rows: withCell(persons, pick.at, column ?? pick.column, (was) => change(was, pick)) },
    lines: [pick.at],
  })
const columnKind =
  (attributes: string): Kind =>
  (persons, { column }) => ({
    sheet: { rows: gridOf(persons), columns: { [column + 1]: attributes } },
    lines: all(persons),
  })
const fillKind =
  (kind: 'array' | 'dataTable'): Kind =>
  (persons, pick) => {
    const fills = `${cellName(pick.at, pick.column)}:${cellName(pick.to, pick.column)}`
    const formula = { text: 'X1:X9', kind, fills }
    return {
      sheet: { rows: withCell(persons, pick.at, pick.column, (value) => ({ value, formula })) },
      lines: between(pick),
    }
  }

const kinds: Readonly<Record<string, Kind>> = {
  'a hidden row': rowKind('hidden="1"'),
  'a hidden row, as LibreOffice writes it': rowKind('hidden="true" customHeight="false" ht="12.8"'),
  'a collapsed row': rowKind('outlineLevel="1" hidden="1"'),
  'a row without height': rowKind('ht="0" customHeight="1"'),
  'a row of almost no height': rowKind('ht="0.75" customHeight="1"'),
  'rows that are hidden unless they say their height': (persons, { at }) => ({
    sheet: {
      rows: gridOf(persons),
      format: 'defaultRowHeight="15" zeroHeight="1"',
      lines: Object.fromEntries([...persons.keys(), -1].filter((one) => one !== at).map((one) => [one + 2, 'ht="15"'])),
    },
    lines: [at],
  }),
  'a struck row': (persons, { at }) => ({
    sheet: {
      rows: gridOf(persons).map((row, line) =>
        line === at + 1 ? row.map((value) => ({ value: value as string | number, struck: true })) : row,
      ),
    },
    lines: [at],
  }),
  'a struck cell': cellKind((value) => ({ value, struck: true })),
  'a cell in white letters': cellKind((value) => ({ value, white: true })),
  'a note on a cell of the row': (persons, { at, column }) => ({
    sheet: { rows: gridOf(persons), notes: { [cellName(at, column)]: 'NE PAS PAYER' } },
    lines: [at],
  }),
  'a note beside the table': (persons, { at }) => ({
    sheet: { rows: gridOf(persons), notes: { [`H${at + 2}`]: 'à voir' } },
    lines: [at],
  }),
  'a hidden column': columnKind('hidden="1"'),
  'a collapsed column': columnKind('hidden="1" outlineLevel="1" width="11"'),
  'a column without width': columnKind('width="0" customWidth="1"'),
  'a column of almost no width': columnKind('width="0.1" customWidth="1"'),
  'an amount in another format': cellKind((value, { format }) => ({ value, format }), AMOUNT),
  'a number in the format of a date': cellKind(() => ({ value: 46_082, format: 'dd/mm/yyyy' }), NUMBER),
  'a text that its format hides': cellKind((value, { column }) => ({
    value: column === AMOUNT ? String(value) : value,
    format: ';;;',
  })),
  'a formula': cellKind((value) => ({ value, formula: { text: 'A1' } })),
  'true or false': cellKind(() => ({ value: true }), AMOUNT),
  'a formula that fills cells': fillKind('array'),
  'a table of data': fillKind('dataTable'),
  'cells merged down a column': (persons, pick) => ({
    sheet: { rows: gridOf(persons), merged: [`${cellName(pick.at, pick.column)}:${cellName(pick.to, pick.column)}`] },
    lines: pick.at === pick.to ? [] : between(pick),
  }),
  'cells merged in a row': (persons, { at }) => ({
    sheet: { rows: gridOf(persons), merged: [`${cellName(at, NUMBER)}:${cellName(at, AMOUNT)}`] },
    lines: [at],
  }),
  'a block of merged cells': (persons, pick) => ({
    sheet: { rows: gridOf(persons), merged: [`${cellName(pick.at, NAME)}:${cellName(pick.to, REFERENCE)}`] },
    lines: between(pick),
  }),
  'a hidden cell under a hidden row and another format': (persons, { at, format }) => ({
    sheet: { rows: withCell(persons, at, AMOUNT, (value) => ({ value, format })), lines: { [at + 2]: 'hidden="1"' } },
    lines: [at],
  }),
}

async function judged(bytes: Buffer): Promise<readonly JudgedLine[]> {
  const read = await readTable(bytes)
  assert.ok(read.kind === 'table', JSON.stringify(read))
  const lines = linesByTitles(read.table)
  assert.ok(lines.kind === 'read', JSON.stringify(lines))
  return lines.lines.map(judgeLine)
}

for (const [name, kind] of Object.entries(kinds)) {
  test(`${name} is a fault or a question at its line, and every other line stays as it is`, async () => {
    const changes = people.chain((persons) =>
      fc
        .record({
          at: fc.integer({ min: 0, max: persons.length - 1 }),
          further: fc.integer({ min: 0, max: 3 }),
          column: fc.constantFrom(NAME, NUMBER, AMOUNT, REFERENCE),
          format: fc.constantFrom(...otherFormats),
        })
        .map(({ at, further, ...pick }) => ({
          persons,
          ...kind(persons, { ...pick, at, to: Math.min(at + further, persons.length - 1) }),
        })),
    )
    await fc.assert(
      fc.asyncProperty(changes, async ({ persons, sheet, lines }) => {
        const read = await judged(workbookOf(sheet))
        for (const [nth, person] of persons.entries()) {
          const line = read.find((one) => one.line === nth + 2)
          if (lines.includes(nth)) {
            assert.equal(line?.order ?? null, null, `line ${nth + 2} is good: ${JSON.stringify(line)}`)
            assert.ok(line === undefined || line.faults.length + line.questions.length > 0)
          } else assert.equal(line?.order?.amount, person.amount, `line ${nth + 2}: ${JSON.stringify(line)}`)
        }
      }),
      { numRuns: 25 },
    )
  })
}

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
  const begun = performance.now()
  const many = String(sheet.text).replace(
    '</sheetData>',
    `${Array.from({ length: 500 }, (_, nth) => `<row r="${nth + 3}"><c r="A${nth + 3}"><v>1</v></c></row>`).join('')}</sheetData>`,
  )
  assert.equal(await refused(changed(`${many}${few}`)), 'workbook_unreadable')
  assert.ok(performance.now() - begun < 20_000)
})
