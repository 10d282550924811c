import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type BuiltCell, type BuiltSheet, workbookOf } from '../../tests/harness/build-workbook.ts'
import { judged, otherFormats } from '../../tests/harness/sheet-formats.ts'

// A generator of workbooks: clean lines, of which a few cells, rows or columns are hidden, formatted, struck, merged, filled by a formula or
// annotated. No such line may become money by itself, and every other line must stay as it is.

const titles = ['Nom', 'Numéro', 'Montant', 'Référence']
const [NAME, NUMBER, AMOUNT, REFERENCE] = [0, 1, 2, 3]

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
