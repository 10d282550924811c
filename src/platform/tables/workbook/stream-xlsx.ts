import { CELLS_MAX, type SheetCell, type SheetRow } from '../read-csv.ts'
import { TableRefused } from '../table-refused.ts'
import { TextStore } from '../text-store.ts'
import { type CellRange, placeOf, rangeNamed } from './cell-ranges.ts'
import { type CellStyle, plainStyle, readStyles } from './cell-styles.ts'
import { findParts } from './find-parts.ts'
import { shownOf } from './number-format.ts'
import { streamEntry, ZipReader } from './read-zip.ts'
import { type Tag, TagReader, textIn } from './xml-tags.ts'

/** The most characters of a cell that are kept. */
const TEXT_MAX = 800
/** The most characters that wait for the end of a tag, and the most blocks that one formula fills. */
const WAITING_MAX = 1024 * 1024
const FILLED_MAX = 100
/** The most rows of a sheet, as in spreadsheets. */
const ROWS_MAX = 1_048_576

/**
 * Yields the rows of the sheet that was open when a workbook was saved (ECMA-376), piece by piece, with the values that it holds: a formula is
 * `unread`, because anybody can falsify its stored result, and a date has its `serial`.
 * @throws TableRefused
 */
export async function* streamXlsx(bytes: Buffer): AsyncGenerator<SheetRow[]> {
  const archive = ZipReader.open(bytes)
  if (archive === null) throw new TableRefused('damaged')
  const found = await findParts(archive, null)
  if (found.kind === 'refused') throw new TableRefused(found.code === 'too_large' ? 'too_large' : 'damaged')
  const { sheet, strings, styles, since_1904 } = found.parts
  const shared = new TextStore()
  if (archive.has(strings)) for await (const text of textsIn(archive, strings)) shared.add(text)
  const styled = await archive.read(styles)
  if (styled.kind === 'refused') throw new TableRefused(styled.code === 'too_large' ? 'too_large' : 'damaged')
  const reader = new SheetReader(shared, styled.kind === 'text' ? await readStyles(styled.text) : [], since_1904)
  for await (const tags of tagsIn(archive, sheet.path)) {
    for (const tag of tags) reader.take(tag)
    yield reader.drain()
  }
  if (!reader.is_complete) throw new TableRefused('damaged')
}

async function* tagsIn(archive: ZipReader, path: string): AsyncGenerator<Generator<Tag>> {
  const decoder = new TextDecoder('utf-8')
  const tags = new TagReader()
  for await (const piece of streamEntry(archive, path)) {
    yield tags.push(decoder.decode(piece, { stream: true }))
    if (tags.waiting > WAITING_MAX) throw new TableRefused('too_large')
  }
}

/** Yields the shared texts. A phonetic reading is not a part of its text. */
async function* textsIn(archive: ZipReader, path: string): AsyncGenerator<string> {
  let [text, aid] = ['', false]
  for await (const tags of tagsIn(archive, path)) {
    for (const tag of tags) {
      if (tag.name === 'rPh') aid = !tag.closes && !tag.empty
      else if (tag.name === 't' && tag.closes && !aid && text.length < TEXT_MAX) text += textIn(tag.before)
      else if (tag.name === 'si' && (tag.closes || tag.empty)) {
        yield text
        text = ''
      }
    }
  }
}

type OpenCell = { type: string; style: number; text: string; formula: boolean }

/** Makes rows of the tags of a sheet. */
class SheetReader {
  readonly #shared: TextStore
  readonly #styles: readonly CellStyle[]
  readonly #kinds = new Map<number, NumberKind>()
  readonly #days: number
  readonly #filled: CellRange[] = []
  #rows: SheetRow[] = []
  #cells: SheetCell[] = []
  #cell: OpenCell | null = null
  #line = 0
  #place = -1
  /** Whether the sheet has come to its end. */
  is_complete = false

  constructor(shared: TextStore, styles: readonly CellStyle[], since_1904: boolean) {
    this.#shared = shared
    this.#styles = styles
    this.#days = since_1904 ? 1_462 : 0
  }

  drain(): SheetRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  /** @throws TableRefused when rows or cells are out of order or too many */
  take(tag: Tag): void {
    const cell = this.#cell
    if (tag.name === 'row') {
      if (!tag.closes) this.#beginRow(tag)
      if (tag.closes || tag.empty) this.#endRow()
    } else if (tag.name === 'c') {
      if (!tag.closes) this.#beginCell(tag)
      if (tag.closes || tag.empty) this.#endCell()
    } else if (cell === null) {
      if (tag.name === 'sheetData' || tag.name === 'worksheet') this.is_complete ||= tag.closes || tag.empty
    } else if (tag.name === 'f' && !tag.closes) {
      cell.formula = true
      const range = /^(?:array|dataTable)$/.test(tag.attribute('t') ?? '') ? rangeNamed(tag.attribute('ref')) : null
      if (range !== null && this.#filled.push(range) > FILLED_MAX) throw new TableRefused('damaged', this.#line)
    } else if ((tag.name === 'v' || tag.name === 't') && tag.closes && cell.text.length < TEXT_MAX) {
      cell.text += textIn(tag.before)
    }
  }

  #beginRow(tag: Tag): void {
    const said = tag.attribute('r')
    const line = said === undefined ? this.#line + 1 : Number(said)
    if (!Number.isSafeInteger(line) || line <= this.#line) throw new TableRefused('damaged', this.#line)
    if (line > ROWS_MAX) throw new TableRefused('too_many_rows', line)
    this.#line = line
    this.#place = -1
    this.#cells = []
  }

  #endRow(): void {
    if (this.#cells.some(({ text, unread, serial }) => text !== '' || unread !== undefined || serial !== undefined))
      this.#rows.push({ line: this.#line, cells: this.#cells })
    this.#cells = []
  }

  #beginCell(tag: Tag): void {
    const place = placeOf(tag.attribute('r')) ?? this.#place + 1
    if (place <= this.#place) throw new TableRefused('damaged', this.#line)
    this.#place = place
    const type = tag.attribute('t') ?? 'n'
    this.#cell = { type, style: Number(tag.attribute('s') ?? 0), text: '', formula: false }
  }

  #endCell(): void {
    const cell = this.#cell
    this.#cell = null
    if (cell === null || this.#place >= CELLS_MAX) return
    while (this.#cells.length < this.#place) this.#cells.push({ text: '' })
    this.#cells[this.#place] = this.#valueOf(cell)
  }

  #valueOf({ type, style, text, formula }: OpenCell): SheetCell {
    if (formula || this.#isFilled()) return { text: '', unread: 'formula' }
    if (type === 'e') return { text: '', unread: 'cell_error' }
    if (type === 's') {
      const shared = text.trim() === '' ? '' : this.#shared.at(Number(text))
      return shared === undefined ? { text: '', unread: 'cell_error' } : { text: shared }
    }
    if (type === 'd') return { text: text.replace('T', ' ') }
    if (type !== 'n' || text.trim() === '') return { text: text.slice(0, TEXT_MAX) }
    const value = Number(text)
    if (!Number.isFinite(value)) return { text: '', unread: 'cell_error' }
    return numberCell(value, this.#kindOf(style, value), this.#days)
  }

  #isFilled(): boolean {
    return this.#filled.some(
      ({ from_line, to_line, from_place, to_place }) =>
        this.#line >= from_line && this.#line <= to_line && this.#place >= from_place && this.#place <= to_place,
    )
  }

  #kindOf(style: number, value: number): NumberKind {
    const known = this.#kinds.get(style)
    if (known !== undefined) return known
    const kind = kindOfFormat((this.#styles[style] ?? plainStyle).format, value)
    this.#kinds.set(style, kind)
    return kind
  }
}

/** How a format of a spreadsheet shows a number: as a date or a time, with the sign of another currency, or as neither. */
export type NumberKind = 'date' | 'currency' | 'number'

export function kindOfFormat(format: string, value: number): NumberKind {
  const shown = shownOf(format, value)
  if (shown === 'date' || shown === 'time') return 'date'
  // Some formats show the currency of the machine that opens them, and so name none.
  return shown === 'currency' && !format.includes('\u00a4') ? 'currency' : 'number'
}

/** Returns the cell of a number. @param days the days to add to a date */
export function numberCell(value: number, kind: NumberKind, days: number): SheetCell {
  if (kind === 'date') return { text: '', serial: value + days }
  if (kind === 'currency') return { text: '', unread: 'currency' }
  // A spreadsheet stores floats: 16 000 may be stored as 16000.000000000002.
  const whole = Math.round(value)
  const isWhole = Math.abs(value - whole) < 1e-6 && Number.isSafeInteger(whole)
  return { text: String(isWhole ? whole : value), number: 'plain' }
}
