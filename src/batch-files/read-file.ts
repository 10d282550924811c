import { LINES_MAX } from '../payout-batches/batch.ts'
import { fileFormOf, type OtherForm } from '../platform/tables/file-form.ts'
import { readCsv } from '../platform/tables/read-csv.ts'
import { readXlsx } from '../platform/tables/workbook/read-xlsx.ts'
import { type AssignedColumns, type DraftLine, FILE_MAX_BYTES, type Reading } from './batch-draft.ts'
import { areTitles, type FileTable, headerOf, headIn, LINES_ABOVE_MAX, textsAbove, titlesOf } from './file-table.ts'
import { type ColumnsFault, faultOfColumns, readColumns } from './read-columns.ts'
import { linesOf } from './read-lines.ts'

/** The reason why a file makes no batch, before its lines are judged. */
export type FileRefusal =
  | { code: 'too_large' | 'empty' | 'not_a_table' | 'no_lines' }
  /** The file has another form than those that are read. */
  | { code: 'other_form'; form: OtherForm }
  /** The open sheet of a workbook with further ones is empty. */
  | { code: 'sheet_empty'; sheet: string }
  | { code: 'workbook_unreadable' | 'workbook_too_large' }
  | { code: 'unclosed_quote'; line: number }
  /** `found` are the titles as they were written. */
  | (ColumnsFault & { found: readonly string[] })
  | { code: 'too_many_lines'; count: number }

export type TableRead = { kind: 'table'; table: FileTable } | { kind: 'refused'; refusal: FileRefusal }

export type FileRead =
  | { kind: 'read'; reading: Reading; lines: readonly DraftLine[] }
  | { kind: 'refused'; refusal: FileRefusal }

/**
 * Reads a file as a table. Its bytes decide the format, not its name.
 * @param sheet the name of a workbook's sheet that a person chose; null: the one that was open when it was saved
 */
export async function readTable(bytes: Buffer, sheet: string | null = null): Promise<TableRead> {
  if (bytes.length === 0) return refused({ code: 'empty' })
  if (bytes.length > FILE_MAX_BYTES) return refused({ code: 'too_large' })
  const form = fileFormOf(bytes) ?? 'csv'
  if (form !== 'xlsx' && form !== 'csv') return refused({ code: 'other_form', form })
  const rows_max = LINES_MAX + 1 + LINES_ABOVE_MAX
  const read = form === 'xlsx' ? await readXlsx(bytes, rows_max, sheet) : await readCsv(bytes, rows_max, areTitles)
  if (read.kind === 'refused') {
    const { kind: _, ...refusal } = read
    return refused(refusal)
  }
  const { rows, count } = read.sheet
  if (rows.length === 0) {
    const { sheet: open = '', other_sheets = [] } = 'hidden_columns' in read ? read.reading : {}
    return refused(other_sheets.length === 0 ? { code: 'empty' } : { code: 'sheet_empty', sheet: open })
  }
  const head = headIn(rows)
  const above = textsAbove(rows, head)
  const reading: FileTable['reading'] = { form, ...read.reading, ...(above.length > 0 && { above }) }
  const hidden_columns = 'hidden_columns' in read ? read.hidden_columns : new Set<number>()
  const kept = rows.slice(head, head + LINES_MAX + 1)
  return { kind: 'table', table: { rows: kept, count: count - head, hidden_columns, reading } }
}

function refused<Refusal>(refusal: Refusal): { kind: 'refused'; refusal: Refusal } {
  return { kind: 'refused', refusal }
}

/** Reads the lines of a batch from a file with known titles. It judges no line. */
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

function lastNamed(at: AssignedColumns['at']): number {
  return at.findLastIndex((column) => column !== null) + 1
}
