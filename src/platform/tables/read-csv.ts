import { createPauses } from '../pauses.ts'
import { CsvSplitter } from './split-csv.ts'

/**
 * The reason why we do not read a cell: a formula, whose stored result anybody can falsify, an error of the spreadsheet, or a sheet that shows
 * something else than the cell holds. `merged`: one cell stands for several.
 */
export type Unread =
  | 'formula'
  | 'cell_error'
  | 'boolean'
  | 'date'
  | 'time'
  | 'percent'
  | 'fraction'
  | 'currency'
  | 'not_shown'
  | 'shown_otherwise'
  | 'merged'

/** The signs that part the cells of a table of text, the most likely first. */
const separators = [';', ',', '\t', '|'] as const
export type Separator = (typeof separators)[number]

/** The format with which a table of text was read, for the page that shows it. */
export type CsvReading = {
  readonly encoding: 'utf-8' | 'utf-16' | 'windows-1252'
  readonly separator: Separator
}

/** A cell as the file has it. */
export type SheetCell = {
  readonly text: string
  readonly unread?: Unread
  /** A text for a question about an unread cell, such as the stored result of a formula. It is never money. */
  readonly shown?: string
  /** A date as a workbook stores it, in days since 1899-12-30. Only a reader of statements asks for it. */
  readonly serial?: number
  /** Whether the cell holds a number rather than a text. `as_number`: it is shown in groups or with zeros, as a telephone number is. */
  readonly number?: 'plain' | 'as_number'
}

/** The marks of a whole line of a sheet, as a person sees them. */
export type RowMarks = { readonly hidden?: true; readonly struck?: true; readonly note?: string }

/** A line of a file that is not empty. `line` counts from 1. */
export type SheetRow = { readonly line: number; readonly cells: readonly SheetCell[] } & RowMarks

/** Most cells of a line that we read. A file for a batch has six columns, and a bank's about twenty. */
export const CELLS_MAX = 64
/** Most characters of a cell: twice the longest field, because we remove the spaces around it. */
const TEXT_MAX = 800
/** Most lines in which we look for the separator. A bank writes some words above its table. */
const LINES_LOOKED_AT = 20
const CHARACTERS_LOOKED_AT = 65_536
/** The characters that are split at once. */
const PIECE = 16_384

/** Collects the lines of a file that are not empty. Keeps the first ones of a large file, and counts the others. */
export class RowGatherer {
  readonly rows: SheetRow[] = []
  /** The number of lines, also of those not kept. */
  count = 0
  readonly #rows_max: number
  #cells: SheetCell[] = []

  constructor(rows_max: number) {
    this.#rows_max = rows_max
  }

  /** @param place the index of the cell in its line, from 0; absent means after the last one */
  put(cell: SheetCell, place = this.#cells.length): void {
    if (place >= CELLS_MAX) return
    while (this.#cells.length < place) this.#cells.push({ text: '' })
    // A workbook stores a text once for any number of cells. A copy of a long text in each cell would fill the memory.
    const { shown } = cell
    this.#cells[place] = {
      ...cell,
      text: cell.text.slice(0, TEXT_MAX),
      ...(shown !== undefined && { shown: shown.slice(0, TEXT_MAX) }),
    }
  }

  endRow(line: number, marks: RowMarks = {}): void {
    const cells = this.#cells
    this.#cells = []
    if (!cells.some(({ text, unread }) => text.trim() !== '' || unread !== undefined)) return
    this.count += 1
    if (this.count <= this.#rows_max) this.rows.push({ line, cells, ...marks })
  }
}

export type CsvRead = { kind: 'rows'; sheet: RowGatherer; reading: CsvReading } | CsvRefused

type CsvRefused =
  | { kind: 'refused'; code: 'not_a_table' }
  /** The quotation mark that opens on this line is never closed. */
  | { kind: 'refused'; code: 'unclosed_quote'; line: number }

/**
 * Reads a table of text (RFC 4180). The separator is the one with which one of the first lines has known titles, otherwise the one that parts
 * most of the first lines in the same number of cells. The encoding is UTF-8, UTF-16, or otherwise Windows-1252, in which spreadsheets of this
 * country save.
 * @param rows_max the most stored lines; further ones are only counted
 * @param areTitles whether the cells of a line are titles that the caller knows
 */
export async function readCsv(
  bytes: Buffer,
  rows_max: number,
  areTitles: (written: readonly string[]) => boolean,
): Promise<CsvRead> {
  const { text, encoding } = decode(bytes)
  if (text.includes('\0')) return { kind: 'refused', code: 'not_a_table' }
  // A line that tells Excel the separator is not part of the table.
  const told = /^sep=([;,\t|])\r?\n/.exec(text)
  const separator = (told?.[1] as Separator) ?? (await titledBy(text, areTitles)) ?? separatorOf(text)
  const sheet = new RowGatherer(rows_max)
  const bare = told === null ? text : text.slice(told[0].length)
  const refused = await split(bare, separator, told === null ? 1 : 2, sheet)
  if (refused !== null) return refused
  return { kind: 'rows', sheet, reading: { encoding, separator } }
}

function decode(bytes: Buffer): { text: string; encoding: CsvReading['encoding'] } {
  const wide = wideEncodingOf(bytes)
  if (wide !== null) return { text: new TextDecoder(wide).decode(bytes), encoding: 'utf-16' }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' }
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252' }
  }
}

/** Tells UTF-16 by its mark, or by the zero beside each plain letter, which no other text has. */
export function wideEncodingOf(bytes: Buffer): 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const looked = bytes.subarray(0, 1_024)
  const zeros = [0, 0]
  looked.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2]! += 1
  })
  const isMost = (count: number) => looked.length >= 8 && count > looked.length * 0.4
  if (isMost(zeros[1]!) && zeros[0] === 0) return 'utf-16le'
  return isMost(zeros[0]!) && zeros[1] === 0 ? 'utf-16be' : null
}

/** Returns the separator with which one of the first lines has known titles. Null: none has. */
export async function titledBy(
  text: string,
  areTitles: (written: readonly string[]) => boolean,
): Promise<Separator | null> {
  const looked = text.slice(0, CHARACTERS_LOOKED_AT)
  for (const separator of separators) {
    const top = new RowGatherer(LINES_LOOKED_AT)
    await split(looked, separator, 1, top)
    if (top.rows.some(({ cells }) => areTitles(cells.map((cell) => cell.text)))) return separator
  }
  return null
}

/** Returns the separator that parts most of the first lines in the same number of cells, and of several the one with most cells. */
export function separatorOf(text: string): Separator {
  const lines = text
    .trimStart()
    .slice(0, CHARACTERS_LOOKED_AT)
    .split(/\r?\n|\r/, LINES_LOOKED_AT)
    .map((line) => line.replace(/"[^"]*"/g, ''))
  const counted = separators.map((sign) => {
    const counts = lines.map((line) => line.split(sign).length - 1).filter((count) => count > 0)
    const alike = (count: number) => counts.filter((one) => one === count).length
    const [most = 0] = counts.toSorted((one, other) => alike(other) - alike(one) || other - one)
    return { sign, lines: alike(most), cells: most }
  })
  return counted.toSorted((one, other) => other.lines - one.lines || other.cells - one.cells)[0]!.sign
}

/** Adds the rows of a text. @returns the reason why the text ends before its end; null when it does not */
async function split(text: string, separator: string, first: number, sheet: RowGatherer): Promise<CsvRefused | null> {
  const pauses = createPauses()
  const splitter = new CsvSplitter(separator, CELLS_MAX, first)
  const gather = (rows: ReturnType<CsvSplitter['push']>) => {
    for (const { line, cells } of rows ?? []) {
      for (const cell of cells) sheet.put({ text: cell })
      sheet.endRow(line)
    }
    return rows !== null
  }
  for (let at = 0; at < text.length; at += PIECE) {
    if (!gather(splitter.push(text.slice(at, at + PIECE)))) {
      const { line } = splitter
      return splitter.is_quoted
        ? { kind: 'refused', code: 'unclosed_quote', line }
        : { kind: 'refused', code: 'not_a_table' }
    }
    await pauses.take()
  }
  return gather(splitter.end()) ? null : { kind: 'refused', code: 'unclosed_quote', line: splitter.line }
}

/** The title of a column without accents, case, spaces and signs, as titles are compared. */
export function plainTitle(title: string): string {
  return title
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}
