import type { Sql } from '../platform/postgres/database.ts'
import { CELL_MAX, type DraftColumn, type DraftLine, draftColumns } from './batch-draft.ts'
import * as store from './store.ts'

/** The cells of a line as a person wrote them. A column that is not there stays as it was. */
export type MendedCells = Partial<Readonly<Record<DraftColumn, string>>>

export type Mending = {
  /** By the line of the file. A line that the draft does not have is left aside. */
  readonly cells: ReadonlyMap<number, MendedCells>
  readonly dropped: ReadonlySet<number>
}

/** Mends a draft in place. False: there is none any more, or a batch was made of it. */
export function mendDraft(sql: Sql, key: store.DraftKey, mending: Mending): Promise<boolean> {
  return sql.begin(async (tx) => {
    const draft = await store.lockDraft(tx, key)
    if (draft === null) return false
    await store.updateLines(tx, key, mendLines(draft.lines, mending))
    return true
  })
}

/** Pure. */
export function mendLines(lines: readonly DraftLine[], { cells, dropped }: Mending): DraftLine[] {
  return lines.filter(({ line }) => !dropped.has(line)).map((line) => mendLine(line, cells.get(line.line) ?? {}))
}

/** The line with the typed cells; the same one when nothing is another. A cell that was typed anew is no formula any more. */
function mendLine(line: DraftLine, typed: MendedCells): DraftLine {
  const cells: Partial<Record<DraftColumn, string>> = { ...line.cells }
  const unread = { ...line.unread }
  let differs = false
  for (const column of draftColumns) {
    const text = typed[column]?.slice(0, CELL_MAX).toWellFormed().trim()
    if (text === undefined) continue
    const same = text === (cells[column] ?? '')
    // A formula that nobody touched stays one; what a person wrote over it is theirs.
    if (same) continue
    differs = true
    delete unread[column]
    if (text === '') delete cells[column]
    else cells[column] = text
  }
  if (!differs) return line
  // The text behind the last title counts for nothing once somebody has put right what it was cut from.
  const shifted = ['amount', 'reference'].every(
    (column) => cells[column as DraftColumn] === line.cells[column as DraftColumn],
  )
  return {
    line: line.line,
    cells,
    mended: true,
    ...(Object.keys(unread).length > 0 && { unread }),
    ...(shifted && line.beyond !== undefined && { beyond: line.beyond }),
  }
}
