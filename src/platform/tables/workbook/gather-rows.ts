import { createPauses } from '../../pauses.ts'
import { CELLS_MAX, type RowGatherer, type RowMarks, type SheetCell } from '../read-csv.ts'
import { type CellRange, placeOf, RANGES_MAX, rangeNamed } from './cell-ranges.ts'
import { type CellStyle, plainStyle } from './cell-styles.ts'
import { hidesText, shownOf, writeSerialDate } from './number-format.ts'
import type { SharedText } from './shared-texts.ts'
import { isOn, type Tag, tagsOf, textIn } from './xml-tags.ts'

/** A row of less height, in points, or a column of less width, in letters, cannot be seen. */
const HEIGHT_SEEN = 2
const WIDTH_SEEN = 0.5

/** The parts of a workbook to which the cells of a sheet refer. */
export type SheetContext = {
  readonly shared: readonly SharedText[]
  readonly styles: readonly CellStyle[]
  readonly since_1904: boolean
  /** The notes by their lines. */
  readonly notes: ReadonlyMap<number, string>
}

/** The facts of a sheet that stand beside its rows. */
export type SheetExtras = {
  readonly hidden_columns: ReadonlySet<number>
  readonly merged: readonly CellRange[]
  /** The blocks that one formula fills. Their further cells look like plain values in the file. */
  readonly filled: readonly CellRange[]
}

type OpenCell = { tag: Tag; text: string; formula: boolean; struck: boolean }
type OpenRow = { line: number; hidden: boolean; struck: boolean; place: number }

/** Adds the rows of a sheet. Null when the sheet is damaged: its rows or cells are out of order, or its blocks are too many. */
export async function gatherRows(xml: string, context: SheetContext, sheet: RowGatherer): Promise<SheetExtras | null> {
  const pauses = createPauses()
  const hidden_columns = new Set<number>()
  const [merged, filled]: [CellRange[], CellRange[]] = [[], []]
  const row: OpenRow = { line: 0, hidden: false, struck: false, place: -1 }
  let rows_hidden = false
  let cell: OpenCell | null = null
  for (const tag of tagsOf(xml)) {
    if (pauses.isDue()) await pauses.take()
    if (merged.length + filled.length > RANGES_MAX) return null
    if (tag.name === 'row') {
      if (!tag.closes) {
        const said = tag.attribute('r')
        const line = said === undefined ? row.line + 1 : Number(said)
        if (!Number.isSafeInteger(line) || line <= row.line) return null
        Object.assign(row, { line, hidden: isRowHidden(tag, rows_hidden), struck: false, place: -1 })
      }
      if (tag.closes || tag.empty) sheet.endRow(row.line, marksOf(row, context.notes.get(row.line)))
    } else if (tag.name === 'c') {
      if (!tag.closes) {
        const place = placeOf(tag.attribute('r')) ?? row.place + 1
        if (place <= row.place) return null
        row.place = place
        cell = { tag, text: '', formula: false, struck: false }
      }
      if ((tag.closes || tag.empty) && cell !== null) {
        const { struck, ...read } = cellOf(cell, context)
        row.struck ||= struck
        sheet.put(read, row.place)
        cell = null
      }
    } else if (cell !== null) {
      if (tag.name === 'f' && !tag.closes) {
        cell.formula = true
        const range = /^(?:array|dataTable)$/.test(tag.attribute('t') ?? '') ? rangeNamed(tag.attribute('ref')) : null
        if (range !== null) filled.push(range)
      } else if (tag.name === 'strike') cell.struck ||= isOn(tag, 'val', true)
      else if ((tag.name === 'v' || tag.name === 't') && tag.closes) cell.text += textIn(tag.before)
    } else if (tag.name === 'sheetFormatPr' && !tag.closes) {
      rows_hidden = isOn(tag, 'zeroHeight') || isLess(tag.attribute('defaultRowHeight'), HEIGHT_SEEN)
      if (isLess(tag.attribute('defaultColWidth'), WIDTH_SEEN))
        for (let place = 0; place < CELLS_MAX; place += 1) hidden_columns.add(place)
    } else if (tag.name === 'col' && !tag.closes) readColumn(tag, hidden_columns)
    else if (tag.name === 'mergeCell' && !tag.closes) {
      const range = rangeNamed(tag.attribute('ref'))
      if (range !== null) merged.push(range)
    }
  }
  return { hidden_columns, merged, filled }
}

function isLess(written: string | undefined, least: number): boolean {
  return written !== undefined && Number(written) < least
}

function isRowHidden(tag: Tag, rows_hidden: boolean): boolean {
  const height = tag.attribute('ht')
  if (height !== undefined && isLess(height, HEIGHT_SEEN)) return true
  return isOn(tag, 'hidden', rows_hidden && height === undefined)
}

function readColumn(tag: Tag, hidden: Set<number>): void {
  const isHidden = isOn(tag, 'hidden') || isLess(tag.attribute('width'), WIDTH_SEEN)
  const [from, to] = [Number(tag.attribute('min')), Number(tag.attribute('max'))]
  for (let place = Math.max(from, 1); place <= Math.min(to, CELLS_MAX); place += 1) {
    if (isHidden) hidden.add(place - 1)
    else hidden.delete(place - 1)
  }
}

function marksOf({ hidden, struck }: OpenRow, note: string | undefined): RowMarks {
  return { ...(hidden && { hidden }), ...(struck && { struck }), ...(note !== undefined && { note }) } as RowMarks
}

/** Reads a cell as the sheet shows it. A text that only a formula or a format makes is no value. */
function cellOf({ tag, text, formula, struck }: OpenCell, context: SheetContext): SheetCell & { struck: boolean } {
  const type = tag.attribute('t') ?? 'n'
  const style = context.styles[Number(tag.attribute('s') ?? 0)] ?? plainStyle
  const shared = type === 's' ? context.shared[Number(text)] : undefined
  const written = shared?.text ?? (type === 'b' ? (text.trim() === '1' ? 'VRAI' : 'FAUX') : text)
  const is = written.trim() !== '' && (struck || style.struck || (shared?.struck ?? false))
  const unread = (why: NonNullable<SheetCell['unread']>, shown = written) => ({
    ...{ text: '', unread: why, shown, struck: is },
  })
  // The stored result of a formula comes from the last program that wrote the file, and may be wrong.
  if (formula) return unread('formula')
  if (type === 'e' || (type === 's' && shared === undefined && text.trim() !== '')) return unread('cell_error', '')
  if (written.trim() === '') return { text: '', struck: false }
  if (style.invisible) return unread('not_shown', '')
  if (type === 'b') return unread('boolean')
  if (type === 'd') return unread('date')
  if (type !== 'n') return hidesText(style.format) ? unread('not_shown') : { text: written, struck: is }
  const value = numberIn(text)
  if (value === null) return unread('cell_error')
  const shown = shownOf(style.format, value)
  if (shown === 'plain' || shown === 'as_number') return { text: writeFloat(value), number: shown, struck: is }
  const date = shown === 'date' ? writeSerialDate(style.format, value + (context.since_1904 ? 1_462 : 0)) : null
  return unread(shown, date ?? '')
}

/** Reads a stored number. Null for any other text, such as one in hexadecimal. */
function numberIn(text: string): number | null {
  const bare = text.trim()
  const value = Number(bare)
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(bare) && Number.isFinite(value) ? value : null
}

/** Writes a number as a person would type it. A spreadsheet stores floats: 16 000 may be stored as 16000.000000000002. */
function writeFloat(value: number): string {
  const whole = Math.round(value)
  return Math.abs(value - whole) < 1e-6 && Number.isSafeInteger(whole) ? String(whole) : String(value)
}
