import { LINES_MAX } from '../payout-batches/batch.ts'
import { CELL_MAX, type DraftColumn, type DraftLine, FILE_MAX_BYTES, type Reading, type Unread } from './batch-draft.ts'
import { readColumns } from './read-columns.ts'
import { type RowGatherer, readCsv, type SheetRow } from './read-csv.ts'
import { readXlsx } from './read-xlsx.ts'

/** Why a file is no batch, before anybody looks at its lines. */
export type FileRefusal =
  | { code: 'too_large' | 'empty' | 'not_a_table' | 'old_excel' | 'no_lines' }
  | { code: 'workbook_unreadable' | 'workbook_too_large' }
  | { code: 'unclosed_quote'; line: number }
  | { code: 'missing_columns'; missing: readonly DraftColumn[]; found: readonly string[] }
  | { code: 'column_twice'; column: DraftColumn; found: readonly string[] }
  | { code: 'too_many_lines'; count: number }

export type FileRead =
  | { kind: 'read'; reading: Reading; lines: readonly DraftLine[] }
  | { kind: 'refused'; refusal: FileRefusal }

/** How spreadsheets before 2007, and those under a password, begin. */
const OLD_EXCEL = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/** How an archive begins: a workbook is one. */
const ZIP = Buffer.from('PK\x03\x04', 'latin1')

/** Reads the lines of a batch from a file, whatever its name says that it is. Nothing of a line is judged. */
export async function readFile(bytes: Buffer): Promise<FileRead> {
  if (bytes.length === 0) return refused({ code: 'empty' })
  if (bytes.length > FILE_MAX_BYTES) return refused({ code: 'too_large' })
  if (bytes.subarray(0, OLD_EXCEL.length).equals(OLD_EXCEL)) return refused({ code: 'old_excel' })
  const form = bytes.subarray(0, ZIP.length).equals(ZIP) ? 'xlsx' : 'csv'
  const rows_max = LINES_MAX + 1
  const read = form === 'xlsx' ? await readXlsx(bytes, rows_max) : readCsv(bytes, rows_max)
  if (read.kind === 'refused') return refused(read)
  return linesOf(read.sheet, { form, ...read.reading })
}

function refused({ kind: _, ...refusal }: FileRefusal & { kind?: string }): FileRead {
  return { kind: 'refused', refusal: refusal as FileRefusal }
}

/** The first row that is not empty has the titles. */
function linesOf(sheet: RowGatherer, reading: Omit<Reading, 'ignored'>): FileRead {
  const [titles, ...rows] = sheet.rows
  if (titles === undefined) return refused({ code: 'empty' })
  const columns = readColumns(titles.cells.map(({ text }) => cut(text)))
  if (columns.kind === 'refused') return refused(columns)
  if (rows.length === 0) return refused({ code: 'no_lines' })
  if (sheet.count > LINES_MAX + 1) return refused({ code: 'too_many_lines', count: sheet.count - 1 })
  const lines = rows.map((row) => lineOf(row, columns.at))
  return { kind: 'read', reading: { ...reading, ignored: columns.ignored.map(cut).slice(0, 50) }, lines }
}

function lineOf({ line, cells }: SheetRow, at: readonly (DraftColumn | null)[]): DraftLine {
  const written: Partial<Record<DraftColumn, string>> = {}
  const unread: Partial<Record<DraftColumn, Unread>> = {}
  for (const [place, column] of at.entries()) {
    const cell = cells[place]
    if (column === null || cell === undefined) continue
    const text = cut(cell.text).trim()
    if (text !== '') written[column] = text
    if (cell.unread !== undefined) unread[column] = cell.unread
  }
  const beyond = cells
    .slice(at.length)
    .map(({ text }) => text.trim())
    .filter((text) => text !== '')
  return {
    line,
    cells: written,
    ...(Object.keys(unread).length > 0 && { unread }),
    ...(beyond.length > 0 && { beyond: cut(beyond.join(' ')) }),
  }
}

/** A text in one line that fits, and that the database can keep. */
function cut(text: string): string {
  return text
    .replaceAll('\0', '')
    .replace(/[\r\n\t]+/g, ' ')
    .slice(0, CELL_MAX)
    .toWellFormed()
}
