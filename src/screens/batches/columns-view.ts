import { type AssignedColumns, type BatchDraft, type DraftColumn, draftColumns } from '../../batch-files/batch-draft.ts'
import { type FileTable, widestTitles } from '../../batch-files/file-table.ts'
import { isMisread } from '../../batch-files/impossible-letters.ts'
import type { FileRefusal } from '../../batch-files/read-file.ts'
import { backLink, note, pageHead } from '../../console/components.ts'
import { choices, errorList, type FieldError, hiddenField, nonceField, select } from '../../console/forms.ts'
import { quoted, type Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { refusedNote } from '../approvals/parts.ts'
import { sayAdvice } from './ask-words.ts'
import { columnWords, sayLines, sayRefusal } from './fault-words.ts'
import { mendedIn, versionField } from './typed-lines.ts'

type Request = ScreenRequest<'console'>

/** The reason why the file was not read by these columns. `changed`: the draft's version is not that of the page. */
export type ColumnsRefused = FileRefusal | { code: 'changed' }

/** The number of example texts of a column, and the letters of each. */
const EXAMPLES = 3
const EXAMPLE_MAX = 40

/** The choices for a column. They say more than its title, because nothing else explains the column here. */
const choiceWords: Readonly<Record<DraftColumn, Words>> = {
  ...columnWords,
  msisdn: ['Numéro de téléphone', 'Phone number'],
  amount: ['Montant en F CFA', 'Amount in F CFA'],
  name: ['Nom du bénéficiaire', 'Name of the beneficiary'],
  reference: ['Votre référence', 'Your reference'],
  beneficiary_id: ['Entrée du carnet', 'Entry of the address book'],
}

/** The page of a file's columns, each with texts of the first lines and its choice. */
export function columnsView(
  request: Request,
  facts: {
    draft: BatchDraft
    table: FileTable
    named: Pick<AssignedColumns, 'titles' | 'at'>
    refused?: ColumnsRefused
  },
): ScreenView {
  const { say, at } = request
  const { draft, table, named, refused } = facts
  const errors = refused === undefined ? [] : errorsOf(request, named, refused)
  const title = say(['Que contient chaque colonne ?', 'What is in each column?'])
  const mended = mendedIn(draft)
  const { sheet } = table.reading
  const path = at(`/batches/drafts/${draft.id}/columns`)
  const unknown = draft.reading.columns === 'unknown'
  const choicesOf = [
    { value: '', label: say(['Laisser de côté', 'Ignore']) },
    ...draftColumns.map((column) => ({ value: column, label: say(choiceWords[column]) })),
  ]
  const fields = columnsOf(table, named.titles).map(({ title: written, examples }, place) =>
    select(
      {
        name: `column${place}`,
        label: `${say(['Colonne {n}', 'Column {n}'], { n: place + 1 })}${written === '' ? '' : ` · ${written}`}${table.hidden_columns.has(place) ? say([' (masquée)', ' (hidden)']) : ''}`,
        hint: examples.length > 0 ? html`<span class="n">${examples.join(' · ')}</span>` : say(['Vide', 'Empty']),
        value: named.at[place] ?? '',
        choices: choicesOf,
      },
      errors,
    ),
  )
  const back = unknown
    ? backLink(
        at(`/batches/new?replaces=${draft.id}&version=${draft.version}`),
        say(['Autre fichier', 'Choose another file']),
      )
    : backLink(at(`/batches/drafts/${draft.id}`), say(['Le brouillon', 'The draft']))
  const lead = unknown
    ? say(
        [
          '« {name} » : {lines}. Les titres ne nous le disent pas. Dites-le une fois : nous le retenons pour le prochain fichier.',
          '“{name}”: {lines}. The titles do not tell us. Tell us once, and we remember it for the next file.',
        ],
        { name: draft.name, lines: sayLines(say, table.count) },
      )
    : say(['« {name} » : {lines}.', '“{name}”: {lines}.'], { name: draft.name, lines: sayLines(say, table.count) })
  const changed = {
    title: say(['Rien n’est encore changé', 'Nothing is changed yet']),
    text: say([
      'Quelqu’un a changé le brouillon entre-temps. Vos choix sont encore là. Regardez le brouillon, puis envoyez-les de nouveau.',
      'Somebody changed the draft meanwhile. Your choices are still here. Look at the draft, then send them again.',
    ]),
  }
  const redo = say([
    'Les lignes sont relues du fichier : ce qui y a été corrigé ici est à refaire.',
    'The lines are read from the file again: make your corrections again.',
  ])
  const isOtherPage = widestTitles(table).some(isMisread)
  const ofSheet = sheet !== undefined && hiddenField('sheet', sheet)
  const hidden = html`${nonceField(request.nonce)}${versionField(draft)}${ofSheet}`
  const main = html`${back}
${pageHead({ title, lead })}
${refused?.code === 'changed' && refusedNote(changed)}
${errorList(say, errors)}
${mended > 0 && note('care', null, redo)}${isOtherPage && note('care', null, sayAdvice(say, { code: 'name_letters' }))}
<form class="slip" method="post" action="${path}">${hidden}
<div class="stack">
${sheetLinks(request, path, table)}${choices({
  name: 'titles',
  legend: say(['La première ligne', 'The first line']),
  kind: 'radio',
  chosen: [named.titles ? 'yes' : 'no'],
  choices: [
    { value: 'yes', label: say(['Les titres des colonnes', 'The titles of the columns']) },
    { value: 'no', label: say(['Déjà une ligne à payer', 'A line to pay already']) },
  ],
})}
<div class="columns">${fields}</div>
</div>
<div><button class="wide">${say(['Lire le fichier ainsi', 'Read the file like this'])}</button></div>
</form>`
  const known = { draft, named, refused: refused && { code: refused.code } }
  return { kind: 'view', ...(refused !== undefined && { status: statusOf(refused) }), title, main, facts: known }
}

/** Says which sheet of a workbook was read, with links to read another one. */
function sheetLinks({ say }: Request, path: string, { reading: { sheet = '', other_sheets = [] } }: FileTable): Html {
  if (other_sheets.length === 0) return html``
  const read = say(['Feuille lue : {sheet}. Les autres :', 'Sheet read: {sheet}. The others:'], {
    sheet: say(quoted, { text: sheet }),
  })
  const links = other_sheets.map(
    (one, nth) => html`${nth > 0 && ', '}<a href="${path}?sheet=${encodeURIComponent(one)}">${one}</a>`,
  )
  return html`<p>${read} ${links}</p>`
}

function statusOf({ code }: ColumnsRefused): number {
  return code === 'changed' ? 409 : 422
}

/** Returns the columns of a file: the title of each, if the first line has titles, and the texts below. */
function columnsOf(table: FileTable, titles: boolean): { title: string; examples: readonly string[] }[] {
  const short = (text: string) => (text.length > EXAMPLE_MAX ? `${text.slice(0, EXAMPLE_MAX)}…` : text).toWellFormed()
  const rows = table.rows.slice(titles ? 1 : 0, 20)
  return widestTitles(table).map((written, place) => ({
    title: titles ? short(written.trim()) : '',
    examples: rows
      .map(({ cells }) => (cells[place]?.text || (cells[place]?.shown ?? '')).replace(/\s+/g, ' ').trim())
      .filter((text) => text !== '')
      .slice(0, EXAMPLES)
      .map(short),
  }))
}

/** Returns the errors of the assigned columns, each at the first column that can correct it. */
function errorsOf(
  { say }: Request,
  { at }: Pick<AssignedColumns, 'at'>,
  refused: ColumnsRefused,
): readonly FieldError[] {
  switch (refused.code) {
    case 'changed':
      return []
    case 'missing_columns': {
      const place = Math.max(0, at.indexOf(null))
      return refused.missing.map((column) => ({
        field: `column${place}`,
        text: say(['Dites quelle colonne est : {column}.', 'Say which column is: {column}.'], {
          column: say(choiceWords[column]),
        }),
      }))
    }
    case 'column_twice': {
      const text = say(['Deux colonnes sont : {column}. Gardez-en une.', 'Two columns are: {column}. Keep one.'], {
        column: say(choiceWords[refused.column]),
      })
      return [{ field: `column${at.lastIndexOf(refused.column)}`, text }]
    }
    default:
      return [{ field: 'titles', text: sayRefusal(say, refused) }]
  }
}
