import { LINES_MAX } from '../payout-batches/batch.ts'
import { readCsv, type SheetRow, type Unread } from '../platform/read-csv.ts'
import { workbookIn } from '../platform/workbook-bytes.ts'
import {
  type AssignedColumns,
  CELL_MAX,
  type DraftColumn,
  type DraftLine,
  FILE_MAX_BYTES,
  type Reading,
} from './batch-draft.ts'
import { type ColumnsFault, faultOfColumns, readColumns } from './read-columns.ts'
import { readXlsx } from './read-xlsx.ts'

/** The reason why a file makes no batch, before its lines are judged. */
export type FileRefusal =
  | { code: 'too_large' | 'empty' | 'not_a_table' | 'old_excel' | 'with_password' | 'no_lines' }
  /** The first sheet of a workbook with further ones is empty. */
  | { code: 'first_sheet_empty'; sheet: string }
  | { code: 'workbook_unreadable' | 'workbook_too_large' }
  | { code: 'unclosed_quote'; line: number }
  /** `found` are the titles as they were written. */
  | (ColumnsFault & { found: readonly string[] })
  | { code: 'too_many_lines'; count: number }

/** A file as a table of cells, before its columns are known. */
export type FileTable = {
  /** The lines that are not empty, at most one more than a batch has. The first may have the titles. */
  readonly rows: readonly SheetRow[]
  /** The number of all lines, also of those that are not kept. */
  readonly count: number
  readonly reading: Omit<Reading, 'ignored' | 'columns'>
}

export type TableRead = { kind: 'table'; table: FileTable } | { kind: 'refused'; refusal: FileRefusal }

export type FileRead =
  | { kind: 'read'; reading: Reading; lines: readonly DraftLine[] }
  | { kind: 'refused'; refusal: FileRefusal }

/** Reads a file as a table. Its bytes decide the format, not its name. */
export async function readTable(bytes: Buffer): Promise<TableRead> {
  if (bytes.length === 0) return refused({ code: 'empty' })
  if (bytes.length > FILE_MAX_BYTES) return refused({ code: 'too_large' })
  const form = workbookIn(bytes) ?? 'csv'
  if (form === 'old_excel' || form === 'with_password') return refused({ code: form })
  const rows_max = LINES_MAX + 1
  const read = form === 'xlsx' ? await readXlsx(bytes, rows_max) : await readCsv(bytes, rows_max)
  if (read.kind === 'refused') {
    const { kind: _, ...refusal } = read
    return refused(refusal)
  }
  const { rows, count } = read.sheet
  const reading: FileTable['reading'] = { form, ...read.reading }
  if (rows.length > 0) return { kind: 'table', table: { rows, count, reading } }
  const { sheet = '', other_sheets = [] } = reading
  return refused(other_sheets.length === 0 ? { code: 'empty' } : { code: 'first_sheet_empty', sheet })
}

function refused<Refusal>(refusal: Refusal): { kind: 'refused'; refusal: Refusal } {
  return { kind: 'refused', refusal }
}

/** Reads the lines of a batch from a file whose first line has the titles. It judges no line. */
export async function readFile(bytes: Buffer): Promise<FileRead> {
  const read = await readTable(bytes)
  return read.kind === 'refused' ? read : linesByTitles(read.table)
}

/** Returns the lines of a table by known titles. */
export function linesByTitles(table: FileTable): FileRead {
  const columns = readColumns(titlesOf(table))
  return columns.kind === 'refused' ? columns : linesOf(table, { titles: true, at: columns.at })
}

/** Returns the lines of a table by the columns that a person assigned. */
export function linesByPerson(table: FileTable, columns: AssignedColumns): FileRead {
  const fault = faultOfColumns(columns.at)
  if (fault !== null) return refused({ ...fault, found: headerOf(table) })
  // A line that is longer than the titles has a fault, unless a person has assigned the columns there.
  const width = Math.max(columns.titles ? headerOf(table).length : columns.at.length, lastNamed(columns.at))
  const read = linesOf(table, { ...columns, at: columns.at.slice(0, width) })
  return read.kind === 'refused' ? read : { ...read, reading: { ...read.reading, columns } }
}

/** Returns the cells of the first line. */
export function titlesOf({ rows: [first] }: FileTable): string[] {
  return (first?.cells ?? []).map(({ text }) => cut(text))
}

/** Returns the cells of the first line, without the empty ones at its end. */
export function headerOf(table: FileTable): string[] {
  const written = titlesOf(table)
  return written.slice(0, written.findLastIndex((title) => title.trim() !== '') + 1)
}

function lastNamed(at: AssignedColumns['at']): number {
  return at.findLastIndex((column) => column !== null) + 1
}

/** Returns the cells of the first line, with an empty text for each column that only later lines have. */
export function widestTitles(table: FileTable): string[] {
  const written = titlesOf(table)
  const width = table.rows.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  return Array.from({ length: width }, (_, place) => written[place] ?? '')
}

function linesOf(table: FileTable, { titles, at }: Pick<AssignedColumns, 'titles' | 'at'>): FileRead {
  const rows = titles ? table.rows.slice(1) : table.rows
  const count = titles ? table.count - 1 : table.count
  if (rows.length === 0) return refused({ code: 'no_lines' })
  if (count > LINES_MAX) return refused({ code: 'too_many_lines', count })
  const ignored = titles ? titlesOf(table).filter((title, place) => !at[place] && title.trim() !== '') : []
  const left = ignored.map((title) => title.trim()).slice(0, 50)
  return { kind: 'read', reading: { ...table.reading, ignored: left }, lines: rows.map((row) => lineOf(row, at)) }
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

/** Returns a text in one line, cut to the length of a cell, that the database can store. */
function cut(text: string): string {
  return text
    .replaceAll('\0', '')
    .replace(/[\r\n\t]+/g, ' ')
    .slice(0, CELL_MAX)
    .toWellFormed()
}
