import { type BatchDraft, type DraftColumn, type DraftLine, draftColumns } from '../../batch-files/batch-draft.ts'
import { judgeLine, operatorIn } from '../../batch-files/judge-line.ts'
import { type MendedCells, type MetCells, meetChanges, mendLines } from '../../batch-files/mend-draft.ts'
import { note } from '../../console/components.ts'
import type { FormFields } from '../../console/read-fields.ts'
import type { Say } from '../../console/say.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { operatorNames } from '../../values/operators.ts'
import type { DraftFacts, DraftLineFacts } from './draft-facts.ts'
import { columnWords } from './fault-words.ts'

/** The lines of a form as typed. */
export type TypedLines = {
  readonly cells: ReadonlyMap<number, MendedCells>
  /** The same cells as the page first showed them. */
  readonly was: ReadonlyMap<number, MendedCells>
  readonly dropped: ReadonlySet<number>
}

/** A line of the form. `late`: it was typed on an outdated page, and `now` is the draft's text. */
export type FormLine = DraftLineFacts & {
  readonly late?: MetCells & { readonly now: DraftLine['cells']; readonly dropped: boolean }
}

/** Returns the name of the hidden field with a cell's text at the time of the page. */
export function wasName(column: DraftColumn, line: number): string {
  return `was_${column}${line}`
}

/** Reads the lines of a form. */
export function typedLines(fields: FormFields): TypedLines {
  const lines = fields.all('line').map(Number)
  const cellsNamed = (name: (column: DraftColumn, line: number) => string) =>
    new Map(
      lines.map((line): [number, MendedCells] => [
        line,
        Object.fromEntries(
          draftColumns.flatMap((column) => {
            const [text] = fields.all(name(column, line))
            return text === undefined ? [] : [[column, text]]
          }),
        ),
      ]),
    )
  return {
    cells: cellsNamed((column, line) => `${column}${line}`),
    was: cellsNamed(wasName),
    dropped: new Set(fields.all('drop').map(Number)),
  }
}

/** Returns the cells that a person changed. Unchanged ones are left out, so that characters that a field cannot show survive. */
export function changedCells({ cells, was }: TypedLines): ReadonlyMap<number, MendedCells> {
  return new Map(
    [...cells].map(([line, typed]) => [
      line,
      Object.fromEntries(draftColumns.flatMap((column) => changedCell(column, typed, was.get(line) ?? {}))),
    ]),
  )
}

function changedCell(column: DraftColumn, typed: MendedCells, was: MendedCells): [DraftColumn, string][] {
  const text = typed[column]
  return text === undefined || text === was[column] ? [] : [[column, text]]
}

/** Returns the lines of a late form as typed, each with its current text, and the lines that another person removed meanwhile. */
export function meetLines(
  { lines }: DraftFacts,
  { cells, was, dropped }: TypedLines,
): { lines: readonly FormLine[]; gone: readonly (readonly [line: number, typed: MendedCells])[] } {
  const late = lines.flatMap((line): FormLine[] => {
    const typed = cells.get(line.line)
    if (typed === undefined) return []
    const met = meetChanges(line, typed, was.get(line.line) ?? {})
    const [written] = mendLines([line], { cells: new Map([[line.line, met.cells]]), dropped: new Set() })
    return [{ ...line, ...judgeLine(written!), late: { ...met, now: line.cells, dropped: dropped.has(line.line) } }]
  })
  const left = new Set(lines.map(({ line }) => line))
  return { lines: late, gone: [...cells].filter(([line]) => !left.has(line)) }
}

/** The note at a cell that changed meanwhile, with its current or earlier text. */
export function changedNote(say: Say, line: FormLine, column: DraftColumn): Html {
  const changed = line.late?.changed[column]
  if (changed === undefined) return html``
  const { now, was, typed } = changed
  const shown = (text: string) => writeCell(column, text)
  const text = typed
    ? say(
        [
          'changé entre-temps en {now}. Vous aviez écrit {mine}.',
          'changed meanwhile to {now}. You had written {mine}.',
        ],
        {
          now: quoted(say, shown(now)),
          mine: quoted(say, shown(line.cells[column] ?? '')),
        },
      )
    : say(['changé entre-temps : {was} est devenu {now}.', 'changed meanwhile: {was} has become {now}.'], {
        was: quoted(say, shown(was)),
        now: quoted(say, shown(now)),
      })
  return html`<p class="note care gap" id="${changeId(line, column)}">${say(columnWords[column])}${say([' : ', ': '])}${text}</p>`
}

/** Returns the id of the note about a changed cell, to which its field refers. */
export function changeId({ line }: FormLine, column: DraftColumn): string {
  return `${column}${line}-c`
}

/** The note about lines that another person removed meanwhile, with the typed text. */
export function goneNote(say: Say, gone: readonly (readonly [line: number, typed: MendedCells])[]): Html {
  if (gone.length === 0) return html``
  const told = gone.map(([line, typed]) => {
    const had = draftColumns.flatMap((column) =>
      typed[column] ? [`${say(columnWords[column])}${say([' : ', ': '])}${typed[column]}`] : [],
    )
    return html`<br>${say(['Ligne {line}', 'Line {line}'], { line })} · ${had.join(', ')}`
  })
  return note(
    'care',
    say(['Retirées du brouillon entre-temps', 'Taken out of the draft meanwhile']),
    html`${say(['Vous aviez écrit :', 'You had written:'])}${told}`,
  )
}

/** Writes a cell as its field shows it: an operator by name. */
function writeCell(column: DraftColumn, text: string): string {
  const operator = column === 'operator' ? operatorIn(text) : null
  return operator === null ? text : operatorNames[operator]
}

function quoted(say: Say, text: string): string {
  return text === '' ? say(['vide', 'empty']) : say(['« {text} »', '“{text}”'], { text })
}

/** The hidden field with a draft's version, in every form that changes the draft. */
export function versionField({ version }: Pick<BatchDraft, 'version'>): Html {
  return html`<input type="hidden" name="version" value="${version}">`
}

/** Counts the lines that a person corrected. */
export function mendedIn({ lines }: Pick<BatchDraft, 'lines'>): number {
  return lines.filter(({ mended }) => mended).length
}
