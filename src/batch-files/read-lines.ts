import { LINES_MAX } from '../payout-batches/batch.ts'
import type { SheetCell, SheetRow, Unread } from '../platform/tables/read-csv.ts'
import { asSeen } from '../values/as-seen.ts'
import { INVISIBLE } from '../values/comparable.ts'
import { askAbout } from './aside-columns.ts'
import type { Ask, AssignedColumns, DraftColumn, DraftLine, Reading } from './batch-draft.ts'
import { namesOtherCurrency } from './currencies.ts'
import { cut, type FileTable, titlesOf } from './file-table.ts'
import { hasAccents, hasImpossibleLetters, isMisread } from './impossible-letters.ts'
import { restoredNumber } from './judge-line.ts'

type Columns = Pick<AssignedColumns, 'titles' | 'at'>

/** The most titles of columns that are left out. */
const IGNORED_MAX = 50
/** A number in a spreadsheet keeps fifteen digits. */
const DIGITS_LOST = 1e15

export type LinesRead =
  | { kind: 'read'; reading: Reading; lines: readonly DraftLine[] }
  | { kind: 'refused'; refusal: { code: 'no_lines' } | { code: 'too_many_lines'; count: number } }

/** Reads the lines of a table by its columns, each with the questions that only a person can answer. It judges no line. */
export function linesOf(table: FileTable, { titles, at }: Columns): LinesRead {
  const rows = titles ? table.rows.slice(1) : table.rows
  const count = titles ? table.count - 1 : table.count
  if (rows.length === 0) return { kind: 'refused', refusal: { code: 'no_lines' } }
  if (count > LINES_MAX) return { kind: 'refused', refusal: { code: 'too_many_lines', count } }
  const written = titlesOf(table)
  const ignored = titles ? written.filter((title, place) => !at[place] && title.trim() !== '') : []
  const titleAt = (place: number) => (titles && written[place]?.trim()) || String(place + 1)
  const asking = [
    ...hiddenColumns(table, at, titleAt),
    ...otherCurrency(at, titles ? written : []),
    ...asideColumns(rows, at, titleAt),
  ]
  const lines = rows.map((row) => lineOf(row, at, table.reading.form))
  const doubted =
    (titles && written.some(isMisread)) || lines.some(({ cells: { name = '' } }) => hasImpossibleLetters(name))
  const isDoubted = ({ name = '' }: DraftLine['cells']) =>
    hasImpossibleLetters(name) || (doubted && table.reading.form === 'csv' && hasAccents(name))
  return {
    kind: 'read',
    reading: { ...table.reading, ignored: ignored.map((title) => title.trim()).slice(0, IGNORED_MAX) },
    lines: lines.map((line, nth) => {
      const letters: Ask[] = isDoubted(line.cells) ? [{ code: 'name_letters', column: 'name' }] : []
      const asks = [...asksOfRow(rows[nth]!), ...asking.flatMap((ask) => ask(rows[nth]!) ?? []), ...letters]
      return asks.length === 0 && line.asks === undefined ? line : { ...line, asks: [...asks, ...(line.asks ?? [])] }
    }),
  }
}

/** A question about a line that a column asks. Null: none. */
type Asking = (row: SheetRow) => Ask | null

function asksOfRow({ hidden, struck, note }: SheetRow): Ask[] {
  return [
    ...(hidden ? [{ code: 'row_hidden' } as const] : []),
    ...(struck ? [{ code: 'row_struck' } as const] : []),
    ...(note === undefined ? [] : [{ code: 'row_note', text: cut(note) } as const]),
  ]
}

/** Returns a cell as the sheet shows it. */
function shownIn({ cells }: SheetRow, place: number): string {
  const cell = cells[place]
  return cell === undefined ? '' : cut(cell.shown ?? cell.text)
}

function hiddenColumns({ hidden_columns }: FileTable, at: Columns['at'], titleAt: (place: number) => string): Asking[] {
  return at.flatMap((column, place) => {
    if (column === null || !hidden_columns.has(place)) return []
    const title = titleAt(place)
    return (row: SheetRow) => (shownIn(row, place).trim() === '' ? null : { code: 'column_hidden' as const, title })
  })
}

function otherCurrency(at: Columns['at'], written: readonly string[]): Asking[] {
  const title = written[at.indexOf('amount')] ?? ''
  return namesOtherCurrency(title) ? [() => ({ code: 'title_currency', title: title.trim() })] : []
}

function asideColumns(rows: readonly SheetRow[], at: Columns['at'], titleAt: (place: number) => string): Asking[] {
  return at.flatMap((column, place) => {
    if (column !== null) return []
    const ask = askAbout(rows.map((row) => shownIn(row, place)))
    return (row: SheetRow) => {
      const asked = ask(shownIn(row, place))
      return asked && { ...asked, title: titleAt(place) }
    }
  })
}

function lineOf({ line, cells }: SheetRow, at: Columns['at'], form: Reading['form']): DraftLine {
  const written: Partial<Record<DraftColumn, string>> = {}
  const unread: Partial<Record<DraftColumn, Unread>> = {}
  let asks: readonly Ask[] = []
  for (const [place, column] of at.entries()) {
    const cell = cells[place]
    if (column === null || cell === undefined) continue
    const { text, why } = textIn(cell, column, form)
    // A name may have two columns: family name and first names.
    if (text !== '') written[column] = written[column] === undefined ? text : cut(`${written[column]} ${text}`)
    if (why !== undefined) unread[column] = why
    if (column === 'msisdn' && isBareNumber(cell, form) && restoredNumber(text) !== null)
      asks = [{ code: 'zero_restored', column: 'msisdn' }]
  }
  const beyond = cells
    .slice(at.length)
    .map(({ text }) => text.trim())
    .filter((text) => text !== '')
  return {
    line,
    cells: written,
    ...(Object.keys(unread).length > 0 && { unread }),
    ...(asks.length > 0 && { asks }),
    ...(beyond.length > 0 && { beyond: cut(beyond.join(' ')) }),
  }
}

/** Returns the text of a cell for its column, and why it is unread. */
function textIn(cell: SheetCell, column: DraftColumn, form: Reading['form']): { text: string; why?: Unread } {
  const { unread, number, shown } = cell
  // A date in a reference is the text that the sheet shows.
  if (column === 'reference' && unread === 'date' && shown) return { text: shown }
  const lost = number !== undefined && Math.abs(Number(cell.text)) >= DIGITS_LOST
  const other = (number === 'as_number' && column !== 'msisdn') || (column === 'reference' && lost)
  const why = unread ?? (other ? 'shown_otherwise' : undefined)
  const written = form === 'csv' ? unquoted(cell.text, column) : cell.text
  const seen = column === 'reference' ? written : column === 'name' ? written.replace(INVISIBLE, '') : asSeen(written)
  return { text: cut(seen).trim(), ...(why !== undefined && { why }) }
}

/** Removes what programs add to a text in CSV so that a spreadsheet keeps its zeros: `="0707…"`, `'0707…`. */
function unquoted(text: string, column: DraftColumn): string {
  const inside = /^\s*="([^"]*)"\s*$/.exec(text)?.[1] ?? text
  return column === 'msisdn' || column === 'amount' ? inside.replace(/^\s*'(?=[\d+(])/, '') : inside
}

/** Whether a cell has nothing but a number, of which a spreadsheet leaves out the zeros before it. */
function isBareNumber({ text, number }: SheetCell, form: Reading['form']): boolean {
  return form === 'csv' ? /^\d{9}$/.test(text) : number !== undefined
}
