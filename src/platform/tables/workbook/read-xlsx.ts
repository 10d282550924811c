import { RowGatherer, type SheetCell } from '../read-csv.ts'
import { type CellRange, type OpenRow, writeRanges } from './cell-ranges.ts'
import { readStyles } from './cell-styles.ts'
import { findParts, whyOf } from './find-parts.ts'
import { gatherRows } from './gather-rows.ts'
import { readNotes } from './read-notes.ts'
import { ZipReader } from './read-zip.ts'
import { readSharedTexts } from './shared-texts.ts'

/** The sheet that was read, for the page that shows it. */
export type SheetReading = {
  /** Its name. */
  readonly sheet: string
  /** The names of the workbook's other visible sheets, which were not read. Absent: none. */
  readonly other_sheets?: readonly string[]
  /** The names of its hidden sheets. Absent: none. */
  readonly hidden_sheets?: readonly string[]
}

export type XlsxRead =
  | {
      kind: 'rows'
      sheet: RowGatherer
      /** The columns that the sheet does not show, from 0. */
      hidden_columns: ReadonlySet<number>
      reading: SheetReading
    }
  | { kind: 'refused'; code: 'workbook_unreadable' | 'workbook_too_large' }

/**
 * Reads the sheet of a workbook that was open when it was saved (ECMA-376), as a person sees it: a cell of which the sheet shows something else
 * than it holds is unread, and hidden, struck and annotated rows are marked. It neither calculates a formula nor trusts its stored result.
 * @param rows_max the most rows that are kept; later ones are only counted
 * @param wanted the name of another sheet, which a person chose
 */
export async function readXlsx(bytes: Buffer, rows_max: number, wanted: string | null = null): Promise<XlsxRead> {
  const archive = ZipReader.open(bytes)
  if (archive === null) return refused('unreadable')
  const found = await findParts(archive, wanted)
  if (found.kind === 'refused') return refused(found.code)
  const { parts } = found
  const sheet = await archive.read(parts.sheet.path)
  const strings = await archive.read(parts.strings)
  const styles = await archive.read(parts.styles)
  if (sheet.kind !== 'text' || strings.kind === 'refused' || styles.kind === 'refused') {
    return refused(whyOf(sheet, strings, styles))
  }
  const gathered = new RowGatherer(rows_max)
  const extras = await gatherRows(
    sheet.text,
    {
      shared: strings.kind === 'text' ? await readSharedTexts(strings.text) : [],
      styles: styles.kind === 'text' ? await readStyles(styles.text) : [],
      since_1904: parts.since_1904,
      notes: await readNotes(archive, parts.sheet.path),
    },
    gathered,
  )
  if (extras === null) return refused('unreadable')
  const rows = gathered.rows as OpenRow[]
  const isWhole =
    (await writeRanges(rows, extras.filled, filledCell)) && (await writeRanges(rows, extras.merged, mergedCell))
  if (!isWhole) return refused('unreadable')
  const { other_sheets, hidden_sheets } = parts
  return {
    kind: 'rows',
    sheet: gathered,
    hidden_columns: extras.hidden_columns,
    reading: {
      sheet: parts.sheet.name,
      ...(other_sheets.length > 0 && { other_sheets }),
      ...(hidden_sheets.length > 0 && { hidden_sheets }),
    },
  }
}

function refused(why: 'unreadable' | 'too_large'): XlsxRead {
  return { kind: 'refused', code: `workbook_${why}` }
}

/** A cell that the formula of another cell fills. */
function filledCell(cell: SheetCell): SheetCell {
  const shown = cell.shown ?? cell.text
  return shown === '' && cell.unread === undefined ? cell : { text: '', unread: 'formula', shown }
}

/** A cell of a block that shows only its first cell. A person sees that one beside each of its lines, and none beside it in a line. */
function mergedCell(cell: SheetCell, first: SheetCell, range: CellRange, place: number): SheetCell {
  const isOne = range.from_line === range.to_line && range.from_place === range.to_place
  const isEmpty = (one: SheetCell) => one.text === '' && one.unread === undefined
  if (isOne || (isEmpty(first) && isEmpty(cell))) return cell
  return { text: '', unread: 'merged', shown: place === range.from_place ? (first.shown ?? first.text) : '' }
}
