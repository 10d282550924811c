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

export type MendDraftResult =
  | { kind: 'mended' }
  /** `gone`: there is none any more, or a batch was made of it. `changed`: it is of another version than the one that was seen. */
  | { kind: 'refused'; code: 'gone' | 'changed' }

/** Mends a draft in place, as it was when its page was drawn. A draft that changed meanwhile stays as it is: nobody writes over what they have not seen. */
export function mendDraft(sql: Sql, seen: store.SeenDraft, mending: Mending): Promise<MendDraftResult> {
  return sql.begin(async (tx): Promise<MendDraftResult> => {
    const draft = await store.lockDraft(tx, seen)
    if (draft === null) return { kind: 'refused', code: 'gone' }
    if (draft.version !== seen.version) return { kind: 'refused', code: 'changed' }
    await store.updateLines(tx, seen, mendLines(draft.lines, mending))
    return { kind: 'mended' }
  })
}

/** Pure. */
export function mendLines(lines: readonly DraftLine[], { cells, dropped }: Mending): DraftLine[] {
  return lines.filter(({ line }) => !dropped.has(line)).map((line) => mendLine(line, cells.get(line.line) ?? {}))
}

/** The typed cells of a line that changed meanwhile, laid over it. */
export type MetCells = {
  /** The line with what this person changed; every other cell is as the draft has it now. */
  readonly cells: MendedCells
  /** Of a cell that changed meanwhile: its text now. `typed`: this person changed it as well, to another text. */
  readonly changed: Partial<Readonly<Record<DraftColumn, { now: string; was: string; typed: boolean }>>>
}

/**
 * Lays what a person typed over a line that changed meanwhile. Pure.
 * @param typed the cells of their page
 * @param was the same cells as the page showed them first: a cell that is as it was, nobody typed
 */
export function meetChanges(line: DraftLine, typed: MendedCells, was: MendedCells): MetCells {
  const cells: Partial<Record<DraftColumn, string>> = {}
  const changed: Partial<Record<DraftColumn, { now: string; was: string; typed: boolean }>> = {}
  for (const column of draftColumns) {
    const text = typed[column]
    if (text === undefined) continue
    const [now, before] = [line.cells[column] ?? '', was[column] ?? '']
    const mine = text !== before
    cells[column] = mine ? text : now
    if (now !== before && now !== text) changed[column] = { now, was: before, typed: mine }
  }
  return { cells, changed }
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
