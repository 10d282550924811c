import type { Sql } from '../platform/postgres/database.ts'
import { type Ask, CELL_MAX, type DraftColumn, type DraftLine, draftColumns } from './batch-draft.ts'
import * as store from './store.ts'

/** The cells of a line as a person wrote them. An absent column stays as it was. */
export type MendedCells = Partial<Readonly<Record<DraftColumn, string>>>

export type Mending = {
  /** The corrected cells by the line of the file. Lines that the draft does not have are ignored. */
  readonly cells: ReadonlyMap<number, MendedCells>
  readonly dropped: ReadonlySet<number>
  /** The questions that a person answered: all that have this key, and all of these lines. */
  readonly right?: ReadonlySet<string>
  readonly right_lines?: ReadonlySet<number>
}

export type MendDraftResult =
  | { kind: 'mended' }
  /** `gone`: the draft was deleted or became a batch. `changed`: its version is not the one that the person saw. */
  | { kind: 'refused'; code: 'gone' | 'changed' }

/** Corrects a draft in the version that the person saw. A draft that changed meanwhile stays as it is, so that nobody overwrites an unseen change. */
export function mendDraft(sql: Sql, seen: store.SeenDraft, mending: Mending): Promise<MendDraftResult> {
  return sql.begin(async (tx): Promise<MendDraftResult> => {
    const draft = await store.lockDraft(tx, seen)
    if (draft === null) return { kind: 'refused', code: 'gone' }
    if (draft.version !== seen.version) return { kind: 'refused', code: 'changed' }
    await store.updateLines(tx, seen, mendLines(draft.lines, mending))
    return { kind: 'mended' }
  })
}

/** Returns the lines with the corrected cells and the answered questions, and without the dropped lines. Pure. */
export function mendLines(lines: readonly DraftLine[], mending: Mending): DraftLine[] {
  const { cells, dropped, right = new Set(), right_lines = new Set() } = mending
  return lines
    .filter(({ line }) => !dropped.has(line))
    .map((line) => {
      const { asks, ...mended } = mendLine(line, cells.get(line.line) ?? {})
      if (asks === undefined || asks.length === 0) return mended
      const isRight = (ask: Ask) => ask.answered || right_lines.has(line.line) || right.has(askKey(ask))
      return { ...mended, asks: asks.map((ask) => (isRight(ask) ? { ...ask, answered: true as const } : ask)) }
    })
}

/** Returns the key of a question. Equal questions about several lines have one key, and are answered together. Case does not count. */
export function askKey({ code, title = '', text = '' }: Ask): string {
  return JSON.stringify([code, title, text.toLowerCase()])
}

/** The cells that a person typed, merged with a line that changed meanwhile. */
export type MetCells = {
  /** The cells that this person changed, and the draft's current text of the others. */
  readonly cells: MendedCells
  /** The cells that changed meanwhile, with their current text. `typed`: this person changed the cell as well, to another text. */
  readonly changed: Partial<Readonly<Record<DraftColumn, { now: string; was: string; typed: boolean }>>>
}

/**
 * Merges the cells that a person typed with a line that changed meanwhile. Pure.
 * @param typed the cells that the form sent
 * @param was the same cells as the page first showed them: a cell with equal text was not typed
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

/** Returns the line with the typed cells, or the same object when no cell differs. A cell with a new text is no longer a formula. */
function mendLine(line: DraftLine, typed: MendedCells): DraftLine {
  const cells: Partial<Record<DraftColumn, string>> = { ...line.cells }
  const unread = { ...line.unread }
  let differs = false
  for (const column of draftColumns) {
    const text = typed[column]?.slice(0, CELL_MAX).toWellFormed().trim()
    if (text === undefined) continue
    const same = text === (cells[column] ?? '')
    // An unchanged formula stays a formula.
    if (same) continue
    differs = true
    delete unread[column]
    if (text === '') delete cells[column]
    else cells[column] = text
  }
  if (!differs) return line
  // A question about a cell is gone with the text that it was about.
  const asks = line.asks?.filter(({ column }) => column === undefined || cells[column] === line.cells[column])
  // The text after the last title no longer matters once a person has corrected the cell from which it was split.
  const shifted = ['amount', 'reference'].every(
    (column) => cells[column as DraftColumn] === line.cells[column as DraftColumn],
  )
  return {
    line: line.line,
    cells,
    mended: true,
    ...(Object.keys(unread).length > 0 && { unread }),
    ...(asks !== undefined && { asks }),
    ...(shifted && line.beyond !== undefined && { beyond: line.beyond }),
  }
}
