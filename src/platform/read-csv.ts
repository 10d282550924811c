/** Why the content of a cell is not taken: a formula, whose result anybody may have written, or an error of the spreadsheet. */
export type Unread = 'formula' | 'cell_error'

/** How a table of text was read, to be shown beside what was read. */
export type CsvReading = {
  readonly encoding: 'utf-8' | 'utf-16' | 'windows-1252'
  readonly separator: ';' | ',' | '\t'
}

/** A cell as the file has it. */
export type SheetCell = { readonly text: string; readonly unread?: Unread }
/** A line of a file that is not empty. `line` counts from 1. */
export type SheetRow = { readonly line: number; readonly cells: readonly SheetCell[] }

/** Cells of a line that are looked at: a file for a batch has six columns, one of a bank some twenty. */
const CELLS_MAX = 64
/** Characters of a cell that are kept: twice the longest that is read of one, because spaces around it go. */
const TEXT_MAX = 800
/** Lines in which the separator is looked for: a bank writes some words above its table. */
const LINES_LOOKED_AT = 20

/** Gathers the lines of a file that are not empty. Of a file of millions it keeps the first ones, and counts the others. */
export class RowGatherer {
  readonly rows: SheetRow[] = []
  /** All lines, also those that are not kept. */
  count = 0
  readonly #rows_max: number
  #cells: SheetCell[] = []

  constructor(rows_max: number) {
    this.#rows_max = rows_max
  }

  /** @param place of the cell in its line, from 0; absent: behind the last one */
  put(cell: SheetCell, place = this.#cells.length): void {
    if (place >= CELLS_MAX) return
    while (this.#cells.length < place) this.#cells.push({ text: '' })
    // A workbook writes a text once and names it in any number of cells: whole, each of them would cost as much as the file.
    this.#cells[place] = { ...cell, text: cell.text.slice(0, TEXT_MAX) }
  }

  endRow(line: number): void {
    const cells = this.#cells
    this.#cells = []
    if (!cells.some(({ text, unread }) => text.trim() !== '' || unread !== undefined)) return
    this.count += 1
    if (this.count <= this.#rows_max) this.rows.push({ line, cells })
  }
}

export type CsvRead =
  | { kind: 'rows'; sheet: RowGatherer; reading: CsvReading }
  | { kind: 'refused'; code: 'not_a_table' }
  /** A quotation mark that opens on this line and closes nowhere. */
  | { kind: 'refused'; code: 'unclosed_quote'; line: number }

/**
 * Reads a table of text (RFC 4180): with commas, semicolons or tabs, whichever the first line that has any has most of, in UTF-8, UTF-16 with its mark,
 * or else in Windows-1252, in which spreadsheets of this country save.
 * @param rows_max lines that are kept; those behind them are counted
 */
export function readCsv(bytes: Buffer, rows_max: number): CsvRead {
  const { text, encoding } = decode(bytes)
  if (text.includes('\0')) return { kind: 'refused', code: 'not_a_table' }
  // A line by which Excel is told the separator is no line of the table.
  const told = /^sep=([;,\t])\r?\n/.exec(text)
  const separator = (told?.[1] as CsvReading['separator']) ?? separatorOf(text)
  const sheet = new RowGatherer(rows_max)
  const unclosed = split(told === null ? text : text.slice(told[0].length), separator, told === null ? 1 : 2, sheet)
  if (unclosed !== null) return { kind: 'refused', code: 'unclosed_quote', line: unclosed }
  return { kind: 'rows', sheet, reading: { encoding, separator } }
}

function decode(bytes: Buffer): { text: string; encoding: CsvReading['encoding'] } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) {
    return { text: new TextDecoder('utf-16le').decode(bytes), encoding: 'utf-16' }
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' }
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252' }
  }
}

function separatorOf(text: string): CsvReading['separator'] {
  const lines = text.trimStart().split(/\r?\n|\r/, LINES_LOOKED_AT)
  const bare = lines.map((line) => line.replace(/"[^"]*"/g, '')).find((line) => /[;,\t]/.test(line)) ?? ''
  const counted = ([';', ',', '\t'] as const).map((sign) => ({ sign, count: bare.split(sign).length }))
  return counted.toSorted((one, other) => other.count - one.count)[0]!.sign
}

/** @returns the line of a quotation mark that is never closed; null: there is none */
function split(text: string, separator: string, first: number, sheet: RowGatherer): number | null {
  let line = first
  let began = first
  let at = 0
  while (at < text.length) {
    let cell = ''
    if (text[at] === '"') {
      const closed = endOfQuote(text, at + 1)
      if (closed === -1) return line
      cell = text.slice(at + 1, closed).replaceAll('""', '"')
      line += cell.split(/\r\n|\r|\n/).length - 1
      at = closed + 1
    }
    const end = endOfCell(text, at, separator)
    sheet.put({ text: cell + text.slice(at, end) })
    at = end + 1
    const sign = text[end]
    if (sign === separator) continue
    if (sign === '\r' && text[at] === '\n') at += 1
    line += 1
    sheet.endRow(began)
    began = line
  }
  sheet.endRow(began)
  return null
}

/** The place of the mark that closes a quotation; -1: none does. A doubled mark is one of the text. */
function endOfQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at
  return -1
}

function endOfCell(text: string, from: number, separator: string): number {
  let at = from
  while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at += 1
  return at
}

/** The title of a column without accents, case, spaces and signs, as titles are compared. */
export function plainTitle(title: string): string {
  return title
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}
