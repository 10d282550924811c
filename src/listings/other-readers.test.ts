import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { readCsv } from '../../tests/harness/read-files.ts'
import { writeCsv } from './write-csv.ts'
import { writeXlsx } from './write-xlsx.ts'

// The programs of others read our files. A reader that is not on this machine is skipped: exceljs is looked for in the folder TEST_EXCELJS,
// openpyxl in python3, and LibreOffice as soffice.

const folder = mkdtempSync(join(tmpdir(), 'readers-'))
after(() => rmSync(folder, { recursive: true }))

/** Texts that a spreadsheet would change: numbers, days, times, truth, escapes of the format, formulas, and random ones. */
const texts = [
  ...[
    '000123',
    '0707000001',
    '+2250700000001',
    '12345678901234567890',
    '3E10',
    '12E5',
    '1e-5',
    '1d5',
    '-5',
    '+5',
    '(5)',
  ],
  ...[
    '1/2',
    '1-2',
    '28/11/2026',
    '2026-11-28',
    '3.4.2026',
    '12 mars',
    'Jan-26',
    'MARCH1',
    'SEPT2',
    'May 5',
    '1 août 26',
  ],
  ...['00:30', '10:00:00', '10 PM', '10%', '1,5', '1.5', '1 234', '1\u202f234', '$5', '5 €', '5 F CFA', '２', '१२'],
  ...['TRUE', 'false', 'VRAI', 'Faux', '0x1F', 'CMD-00012', 'A1', '½', "'000123", '2026-11-28T10:00:00.000Z'],
  ...['a_x000D_b', '_x005F_', 'LOT_x0041_7', '_x0041_x0042_', '_X0041_', '_x00e9_', '_xzzzz_', '_x41_', '__x0041__'],
  ...['=1+1', '+A1', '-A1', '@SUM(A1)', '<&>"', 'Koné, Aïcha', 'a;b', 'two\nlines', '𝟙'],
  ...fc.sample(fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 25 }), {
    numRuns: 20,
    seed: 1,
  }),
  ...fc.sample(fc.string({ unit: fc.constantFrom(...'019 .,:/%+-()eE'), minLength: 1, maxLength: 9 }), {
    numRuns: 200,
    seed: 2,
  }),
  ...fc.sample(fc.string({ unit: fc.constantFrom(...'_x0041F5'), minLength: 1, maxLength: 18 }), {
    numRuns: 100,
    seed: 3,
  }),
]
/** The texts stand in two columns, in order and by turns with an amount and an empty cell. Two sheets have the second half. */
const rows = texts.map((text, nth) => [text, nth, '', text])
const SHEET_ROWS = Math.ceil(rows.length / 2) + 1
const expected = rows.map(([text, nth, , again]) => [text, nth, null, again])

async function* pages() {
  yield rows.slice(0, 100)
  yield rows.slice(100)
}

const workbook = join(folder, 'out.xlsx')
const csv = { ';': join(folder, 'french.csv'), ',': join(folder, 'english.csv') }
before(async () => {
  writeFileSync(
    workbook,
    Buffer.concat(
      await Array.fromAsync(writeXlsx(['text', 'n', 'empty', 'again'], pages(), { sheet_rows_max: SHEET_ROWS })),
    ),
  )
  for (const separator of [';', ','] as const) {
    writeFileSync(
      csv[separator],
      (await Array.fromAsync(writeCsv(['text', 'n', 'empty', 'again'], pages(), separator))).join(''),
    )
  }
})

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0
const skipped = (found: boolean, what: string) => ({ skip: found ? false : `${what} is not on this machine` })

// Both readers show the escapes of a text in its cell as they are; only those of the standard are undone here.
const unescaped = (field: unknown) =>
  typeof field === 'string'
    ? field.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    : (field ?? null)

const exceljs = process.env.TEST_EXCELJS ?? ''
type Exceljs = {
  Workbook: new () => {
    xlsx: { readFile(file: string): Promise<void> }
    worksheets: { getSheetValues(): unknown[][] }[]
  }
  stream: {
    xlsx: { WorkbookReader: new (file: string, options: object) => AsyncIterable<AsyncIterable<{ values: unknown[] }>> }
  }
}

test('exceljs reads a workbook, whole and as a stream', skipped(exceljs !== '', 'exceljs'), async () => {
  const { Workbook, stream } = createRequire(join(exceljs, 'reader.js'))('exceljs') as Exceljs
  const book = new Workbook()
  await book.xlsx.readFile(workbook)
  const whole = book.worksheets.flatMap((sheet) => sheet.getSheetValues().slice(2))
  const streamed: unknown[][] = []
  for await (const sheet of new stream.xlsx.WorkbookReader(workbook, {})) {
    for await (const { values } of sheet) streamed.push(values)
  }
  const cellsOf = (values: unknown[]) => [1, 2, 3, 4].map((at) => unescaped(values[at]))
  assert.deepEqual(whole.map(cellsOf), expected)
  assert.deepEqual(streamed.filter((values) => values[1] !== 'text').map(cellsOf), expected)
})

const PYTHON = `
import json, openpyxl, sys
for quick in (False, True):
    book = openpyxl.load_workbook(sys.argv[1], read_only=quick)
    print(json.dumps([list(row) for sheet in book for row in sheet.iter_rows(min_row=2, values_only=True)]))`

test(
  'openpyxl reads a workbook, whole and as a stream',
  skipped(has('python3', '-c', 'import openpyxl'), 'openpyxl'),
  () => {
    const printed = execFileSync('python3', ['-c', PYTHON, workbook], { encoding: 'utf8' }).trim().split('\n')
    for (const line of printed) {
      const read = JSON.parse(line) as unknown[][]
      assert.deepEqual(
        read.map((row) => row.map(unescaped)),
        expected,
      )
    }
  },
)

/** Opens a file in LibreOffice as by a double click, with detection of numbers, and reads what it shows. */
function shownBy(file: string, filter: string[], name: string): string[][] {
  const out = join(folder, name)
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`
  const to = [
    '--convert-to',
    'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1',
    '--outdir',
    out,
  ]
  execFileSync('soffice', [profile, '--headless', ...filter, ...to, file], { stdio: 'ignore', timeout: 120_000 })
  const sheets = execFileSync('ls', ['-v', out], { encoding: 'utf8' }).trim().split('\n')
  return sheets.flatMap((sheet) => {
    const lines = readCsv(readFileSync(join(out, sheet), 'utf8').replaceAll(/\r?\n/g, '\r\n')).slice(1)
    return lines.map((fields) => fields.map((field) => field.replaceAll('\r\n', '\n')))
  })
}

const shown = expected.map((row) => row.map((field) => String(field ?? '')))
const libreOffice = skipped(has('soffice', '--version'), 'LibreOffice')

test('LibreOffice reads a workbook', libreOffice, () => {
  assert.deepEqual(shownBy(workbook, [], 'book'), shown)
})

for (const [separator, language, number] of [
  [';', 'French', '1036'],
  [',', 'English', '1033'],
] as const) {
  test(
    `LibreOffice opens a CSV by a double click in ${language} with the characters of every text`,
    libreOffice,
    () => {
      const filter = [`--infilter=CSV:${separator.charCodeAt(0)},34,76,1,,${number},false,true`]
      const read = shownBy(csv[separator], filter, language)
      // An apostrophe stands before a formula, and the reader sees it.
      const neutral = (rows: string[][]) => rows.map((row) => row.map((field) => field.replaceAll("'", '')))
      assert.deepEqual(neutral(read), neutral(shown))
    },
  )
}

test('a field is exactly its text in a formula of one text, or a text that no spreadsheet reads as a number or a formula', () => {
  const read = readCsv(readFileSync(csv[','], 'utf8').slice(1)).slice(1)
  for (const [nth, [field]] of read.entries()) {
    const text = texts[nth]!
    const [, kept] = /^="([^"]*)"$/.exec(field!) ?? []
    if (kept !== undefined) {
      assert.equal(kept, text)
      continue
    }
    assert.doesNotMatch(field!, /^[\s"]*[=+\-@]/)
    assert.equal(field!.replaceAll("'", ''), text.replaceAll("'", ''))
    assert.ok(text.trim() === '' || Number.isNaN(Number(text)) || /^0[xX]/.test(text), text)
  }
})
