import { createPauses } from '../../pauses.ts'
import { CELLS_MAX, type SheetCell, type SheetRow } from '../read-csv.ts'

/** A block of cells, with its first and last line and column. Lines count from 1, columns from 0. */
export type CellRange = {
  readonly from_line: number
  readonly to_line: number
  readonly from_place: number
  readonly to_place: number
}

/** The most blocks of a sheet. Ten for each line of a batch, and more than people make. */
export const RANGES_MAX = 10_000
/** The most cells that blocks may cover, because blocks do not overlap: a hostile sheet would cover the same cells again and again. */
const COVERED_MAX = 100_000

/** Returns the column of a cell from its name, such as `AB12`, counted from 0. Null when the name has none. */
export function placeOf(name: string | undefined): number | null {
  const [letters] = /^[A-Z]{1,3}(?=\d)/.exec(name ?? '') ?? []
  if (letters === undefined) return null
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/** Returns the line of a cell from its name, such as `AB12`. Null when the name has none. */
export function lineNamed(name: string | undefined): number | null {
  const [, digits] = /^\$?[A-Z]{1,3}\$?(\d{1,7})$/.exec(name ?? '') ?? []
  return digits === undefined ? null : Number(digits)
}

/** Reads the name of a block, such as `C2:C5`. Null when it is none. */
export function rangeNamed(name: string | undefined): CellRange | null {
  const [first, last = first] = (name ?? '').replaceAll('$', '').split(':')
  const [from_place, to_place] = [placeOf(first), placeOf(last)]
  const [from_line, to_line] = [lineNamed(first), lineNamed(last)]
  if (from_place === null || to_place === null || from_line === null || to_line === null) return null
  return { from_line, to_line, from_place, to_place }
}

/** The lines of a sheet, of which the cells in blocks are written anew. */
export type OpenRow = SheetRow & { cells: SheetCell[] }

/**
 * Writes the cells of blocks anew. Only lines and columns that are kept count. False when the blocks cover too much.
 * @param write returns the new cell, from the old one and the first cell of the block
 */
export async function writeRanges(
  rows: OpenRow[],
  ranges: readonly CellRange[],
  write: (cell: SheetCell, first: SheetCell, range: CellRange, place: number) => SheetCell,
): Promise<boolean> {
  const pauses = createPauses()
  let covered = 0
  for (const range of ranges) {
    if (pauses.isDue()) await pauses.take()
    const { from_line, to_line, from_place } = range
    const inside = rows.slice(firstFrom(rows, from_line), firstFrom(rows, to_line + 1))
    const first = inside.find(({ line }) => line === from_line)?.cells[from_place] ?? { text: '' }
    const to_place = Math.min(range.to_place, CELLS_MAX - 1)
    for (const row of inside) {
      covered += Math.max(0, to_place - from_place + 1)
      if (covered > COVERED_MAX) return false
      for (let place = from_place; place <= to_place; place += 1) {
        while (row.cells.length <= place) row.cells.push({ text: '' })
        row.cells[place] = write(row.cells[place]!, first, range, place)
      }
    }
  }
  return true
}

/** The index of the first row at or below a line. Rows are in order. */
function firstFrom(rows: readonly OpenRow[], line: number): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (rows[middle]!.line < line) low = middle + 1
    else high = middle
  }
  return low
}
