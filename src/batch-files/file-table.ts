import type { SheetCell, SheetRow } from '../platform/tables/read-csv.ts'
import { Msisdn } from '../values/msisdn.ts'
import { CELL_MAX, type Reading } from './batch-draft.ts'
import { columnTitled } from './read-columns.ts'

/** A file as a table of cells, before its columns are known. */
export type FileTable = {
  /** The lines that are not empty, at most one more than a batch has. The first may have the titles. */
  readonly rows: readonly SheetRow[]
  /** The number of all lines, also of those that are not kept. */
  readonly count: number
  /** The columns that the sheet does not show, from 0. */
  readonly hidden_columns: ReadonlySet<number>
  readonly reading: Omit<Reading, 'ignored' | 'columns'>
}

/** The most lines among which the titles are looked for. People write a heading above a table. */
export const LINES_ABOVE_MAX = 20
/** The fewest cells of a line that looks like the first of a table. */
const TABLE_CELLS = 3

/** Returns the cells of the first line. */
export function titlesOf({ rows: [first] }: Pick<FileTable, 'rows'>): string[] {
  return titlesIn(first)
}

function titlesIn(row: SheetRow | undefined): string[] {
  return (row?.cells ?? []).map((cell) => cut(titleIn(cell)))
}

/** A title may stand in a merged cell, over several columns or lines. */
function titleIn({ text, unread, shown = '' }: SheetCell): string {
  return unread === 'merged' ? shown : text
}

/** Returns the cells of the first line, without the empty ones at its end. */
export function headerOf(table: FileTable): string[] {
  const written = titlesOf(table)
  return written.slice(0, written.findLastIndex((title) => title.trim() !== '') + 1)
}

/** Returns the cells of the first line, with an empty text for each column that only later lines have. */
export function widestTitles(table: FileTable): string[] {
  const written = titlesOf(table)
  const width = table.rows.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  return Array.from({ length: width }, (_, place) => written[place] ?? '')
}

/** Whether a line has titles that we know. */
export function areTitles(written: readonly string[]): boolean {
  return new Set(written.map(columnTitled).filter((column) => column !== null)).size >= 2
}

/**
 * Finds the first line of the table: that of known titles, or the first with several cells below a heading. The lines above it must have
 * neither a number nor several cells, so that none is left out that could be a line to pay.
 * @returns its index
 */
export function headIn(rows: readonly SheetRow[]): number {
  const looked = rows.slice(0, LINES_ABOVE_MAX)
  const titled = looked.findIndex((row) => areTitles(titlesIn(row)))
  const at = titled === -1 ? looked.findIndex((row) => filled(row).length >= TABLE_CELLS) : titled
  const isHeading = (row: SheetRow) => !filled(row).some((text) => Msisdn.parse(text) !== null || isBookId(text))
  return at > 0 && looked.slice(0, at).every(isHeading) ? at : 0
}

/** Returns the texts above the table, for the page that shows how a file was read. */
export function textsAbove(rows: readonly SheetRow[], head: number): string[] {
  return rows.slice(0, head).map((row) => cut(filled(row).join(' ')).slice(0, 100).toWellFormed())
}

function filled({ cells }: SheetRow): string[] {
  return cells.map((cell) => titleIn(cell).trim()).filter((text) => text !== '')
}

/** Whether a text has the form of an entry's id in the book. */
export function isBookId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

/** Returns a text in one line, cut to the length of a cell, that the database can store. */
export function cut(text: string): string {
  return text
    .replaceAll('\0', '')
    .replace(/[\r\n\t]+/g, ' ')
    .slice(0, CELL_MAX)
    .toWellFormed()
}
