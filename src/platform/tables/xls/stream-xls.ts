import { CELLS_MAX, type SheetCell, type SheetRow } from '../read-csv.ts'
import { TableRefused } from '../table-refused.ts'
import { TextStore } from '../text-store.ts'
import { builtInFormat } from '../workbook/number-format.ts'
import { kindOfFormat, type NumberKind, numberCell } from '../workbook/stream-xlsx.ts'
import { streamNamed } from './compound-file.ts'
import { RECORD, recordAt, sharedTexts, shortNumber, textAt } from './records.ts'

/** The rows of a step. */
const STEP = 1_000
/** The version of the records of Excel 97 to 2003. */
const BIFF8 = 0x600
const TEXT_MAX = 800

/**
 * Yields the rows of the first visible sheet of a workbook of Excel 97 to 2003 (BIFF8). A formula is `unread`, because anybody can falsify its
 * stored result. Cells may stand in any order in their row; rows out of order make a damaged workbook. Such a sheet has at most 65 536 rows.
 * @throws TableRefused
 */
export async function* streamXls(bytes: Buffer): AsyncGenerator<SheetRow[]> {
  try {
    yield* rowsOf(streamNamed(bytes, ['workbook', 'book']))
  } catch (error) {
    // An offset outside a record.
    throw error instanceof RangeError ? new TableRefused('damaged') : error
  }
}

type Globals = {
  readonly sheet: number
  readonly texts: TextStore
  readonly since_1904: boolean
  kindOf(style: number): NumberKind
}

/** @throws TableRefused, and RangeError for an offset outside a record */
function readGlobals(stream: Buffer): Globals {
  const first = recordAt(stream, 0)
  if (first?.type !== RECORD.begin || first.data.readUInt16LE(0) !== BIFF8) throw new TableRefused('damaged')
  const texts = new TextStore()
  const formats = new Map<number, string>()
  const styles: number[] = []
  let sheet: number | null = null
  let since_1904 = false
  for (let record = recordAt(stream, first.next); record !== null; record = recordAt(stream, record.next)) {
    const { type, data } = record
    if (type === RECORD.end) break
    if (type === RECORD.password) throw new TableRefused('with_password')
    if (type === RECORD.since_1904) since_1904 = data.readUInt16LE(0) === 1
    if (type === RECORD.format) formats.set(data.readUInt16LE(0), textAt(data, 2, 2))
    if (type === RECORD.xf) styles.push(data.readUInt16LE(2))
    // A hidden sheet, or one that is a chart, is not read.
    if (type === RECORD.sheet && data.readUInt16LE(4) === 0) sheet ??= data.readUInt32LE(0)
    if (type === RECORD.texts) {
      const parts = [data]
      for (let more = recordAt(stream, record.next); more?.type === RECORD.continued; ) {
        parts.push(more.data)
        record = more
        more = recordAt(stream, more.next)
      }
      for (const text of sharedTexts(parts)) texts.add(text)
    }
  }
  if (sheet === null) throw new TableRefused('damaged')
  const kinds = styles.map((id) => kindOfFormat(formats.get(id) ?? builtInFormat(id), 40_000))
  return { sheet, texts, since_1904, kindOf: (style) => kinds[style] ?? 'number' }
}

async function* rowsOf(stream: Buffer): AsyncGenerator<SheetRow[]> {
  const globals = readGlobals(stream)
  const days = globals.since_1904 ? 1_462 : 0
  const begin = recordAt(stream, globals.sheet)
  if (begin?.type !== RECORD.begin) throw new TableRefused('damaged')
  const number = (value: number, style: number) => numberCell(value, globals.kindOf(style), days)
  const filled: { from: number; to: number; first: number; last: number }[] = []
  let rows: SheetRow[] = []
  let cells: SheetCell[] = []
  let line = 0
  let depth = 1
  function put(row: number, place: number, cell: SheetCell): void {
    if (row + 1 < line) throw new TableRefused('damaged', line)
    if (row + 1 > line) endRow()
    line = row + 1
    if (place >= CELLS_MAX) return
    while (cells.length < place) cells.push({ text: '' })
    const isFilled = filled.some((one) => row >= one.from && row <= one.to && place >= one.first && place <= one.last)
    cells[place] = isFilled ? { text: '', unread: 'formula' } : cell
  }
  function endRow(): void {
    if (cells.some(({ text, unread, serial }) => text !== '' || unread !== undefined || serial !== undefined))
      rows.push({ line, cells })
    cells = []
  }
  for (let record = recordAt(stream, begin.next); record !== null; record = recordAt(stream, record.next)) {
    const { type, data } = record
    // A chart inside the sheet has a beginning and an end of its own.
    if (type === RECORD.begin) depth += 1
    if (type === RECORD.end) depth -= 1
    if (depth === 0) break
    if (depth > 1) continue
    if (type === RECORD.array) {
      const [from, to] = [data.readUInt16LE(0), data.readUInt16LE(2)]
      if (filled.push({ from, to, first: data.readUInt8(4), last: data.readUInt8(5) }) > 100)
        throw new TableRefused('damaged')
    } else for (const [row, place, cell] of cellsOf(type, data, globals.texts, number)) put(row, place, cell)
    if (rows.length < STEP) continue
    yield rows
    rows = []
  }
  if (depth > 0) throw new TableRefused('damaged', line)
  endRow()
  yield rows
}

/** Yields the cells of one record with their rows and columns, from 0. */
function* cellsOf(
  type: number,
  data: Buffer,
  texts: TextStore,
  number: (value: number, style: number) => SheetCell,
): Generator<readonly [row: number, place: number, cell: SheetCell]> {
  const isCell = [
    RECORD.formula,
    RECORD.numbers,
    RECORD.text_at,
    RECORD.number,
    RECORD.text,
    RECORD.truth,
    RECORD.number_short,
  ]
  if (!isCell.includes(type as (typeof isCell)[number])) return
  const [row, place] = [data.readUInt16LE(0), data.readUInt16LE(2)]
  if (type === RECORD.numbers) {
    for (let at = 4; at + 6 <= data.length - 2; at += 6)
      yield [row, place + (at - 4) / 6, number(shortNumber(data, at + 2), data.readUInt16LE(at))]
    return
  }
  const style = data.readUInt16LE(4)
  if (type === RECORD.formula) yield [row, place, { text: '', unread: 'formula' }]
  else if (type === RECORD.number) yield [row, place, number(data.readDoubleLE(6), style)]
  else if (type === RECORD.number_short) yield [row, place, number(shortNumber(data, 6), style)]
  else if (type === RECORD.text) yield [row, place, { text: textAt(data, 6, 2).slice(0, TEXT_MAX) }]
  else if (type === RECORD.truth) yield [row, place, { text: '', unread: 'boolean' }]
  else {
    const text = texts.at(data.readUInt32LE(6))
    yield [row, place, text === undefined ? { text: '', unread: 'cell_error' } : { text }]
  }
}
