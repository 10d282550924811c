import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workbookParts, zipOf } from '../../../tests/harness/build-workbook.ts'
import { orangeXls } from '../../../tests/harness/statement-fixtures.ts'
import { fileFormOf } from './file-form.ts'
import type { SheetRow } from './read-csv.ts'
import { CsvSplitter } from './split-csv.ts'
import { streamCsv } from './stream-csv.ts'
import { TableRefused } from './table-refused.ts'
import { streamXlsx } from './workbook/stream-xlsx.ts'
import { streamXls } from './xls/stream-xls.ts'

async function read(steps: AsyncGenerator<SheetRow[]>): Promise<SheetRow[] | string> {
  try {
    return (await Array.fromAsync(steps)).flat()
  } catch (error) {
    if (error instanceof TableRefused) return error.code
    throw error
  }
}

test('cells beyond the last column that is read change nothing, also in the last row', async () => {
  const parts = workbookParts([{ rows: [['Date'], ['A']] }])
  const wide = parts.map((part) => ({
    ...part,
    text: String(part.text).replace(
      '</row></sheetData>',
      '<c r="BM2"><v>1</v></c><c r="BN2"><v>2</v></c></row></sheetData>',
    ),
  }))
  const rows = await read(streamXlsx(zipOf(wide)))
  assert.deepEqual(rows, await read(streamXlsx(zipOf(parts))))
  assert.equal(rows.length, 2)
})

test('a table of text without line feeds or quotation marks takes the time of any other', () => {
  const began = process.cpuUsage()
  const splitter = new CsvSplitter(';', 64)
  // The last row is long, so that to search the rest of the piece anew for each row takes a hundred times as long.
  const rows = splitter.push('a\r'.repeat(600_000) + 'x'.repeat(1_000_000))!.length
  assert.equal(rows + splitter.end()!.length, 600_001)
  assert.ok(process.cpuUsage(began).user < 4_000_000, 'four seconds of the processor')
})

test('empty rows count', async () => {
  async function* pieces() {
    for (let nth = 0; nth < 70; nth += 1) yield Buffer.alloc(65_536, 0x0a)
  }
  assert.equal(await read(streamCsv(Buffer.from('\n'), pieces(), () => false)), 'too_many_rows')
})

test('an old workbook that names all its sectors as its table is damaged', async () => {
  assert.ok(Array.isArray(await read(streamXls(orangeXls))))
  const forged = Buffer.from(orangeXls)
  const sectors = (forged.length - 512) / 512
  for (let nth = 0; nth < Math.min(109, sectors); nth += 1) forged.writeUInt32LE(nth, 76 + nth * 4)
  assert.equal(await read(streamXls(forged)), 'damaged')
  const small = Buffer.from(orangeXls)
  small.writeUInt32LE(0xffffffff, 56)
  assert.equal(await read(streamXls(small)), 'damaged')
})

test('the names of an archive tell its form, not what its files say', () => {
  const parts = workbookParts([{ rows: [['A']] }])
  const pad = { name: 'xl/media/pad.bin', text: Buffer.alloc(8_192), method: 0 as const }
  const note = { name: 'xl/media/note.txt', text: 'xl/workbook.bin index.zip word/', method: 0 as const }
  for (const wide of [false, true]) assert.equal(fileFormOf(zipOf([...parts, pad, note], { wide })), 'xlsx')
  assert.equal(fileFormOf(zipOf([{ name: 'word/document.xml', text: 'xl/', method: 0 }])), 'document')
  assert.equal(fileFormOf(zipOf([...parts, { name: 'xl/workbook.bin', text: '' }])), 'xlsb')
})

test('the form of a large archive costs no copy of it', () => {
  const parts = workbookParts([{ rows: [['A']] }])
  const large = zipOf([...parts, { name: 'xl/media/film.bin', text: Buffer.alloc(100_000_000), method: 0 }])
  const began = process.resourceUsage().maxRSS
  assert.equal(fileFormOf(large), 'xlsx')
  assert.ok(process.resourceUsage().maxRSS - began < 50_000, 'kilobytes')
})
