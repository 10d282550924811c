import { backLink, pageHead, panel } from '../../console/components.ts'
import { errorList, type FieldError, nonceField, select, textArea } from '../../console/forms.ts'
import { writeFrancs } from '../../console/read-typed.ts'
import type { Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { html } from '../../platform/http/html.ts'
import {
  BANK_FILE_MAX_BYTES,
  BANK_LINES_MAX,
  type BankColumn,
  type BankFileRefusal,
  bankColumns,
} from '../../settlements/read-bank-lines.ts'

type Request = ScreenRequest<'desk'>

export const columnWords: Readonly<Record<BankColumn, Words>> = {
  amount: ['Montant', 'Amount'],
  reference: ['Référence de la banque', 'The bank’s reference'],
  label: ['Libellé', 'Label'],
  account: ['Compte ou IBAN', 'Account or IBAN'],
  holder: ['Titulaire', 'Holder'],
}

export type UploadRefusal = BankFileRefusal | { readonly code: 'no_file' | 'nothing_chosen' }

/** The page on which a bank's file is chosen or pasted; where its columns are not known, a person names them. */
export function uploadView(request: Request, refusal: UploadRefusal | null): ScreenView {
  const { say, at, fields } = request
  const errors: FieldError[] = refusal === null ? [] : [{ field: 'file', text: sayFileRefusal(request, refusal) }]
  const title = say(['Virements de la banque', 'Transfers of the bank'])
  const lead = say([
    'Un fichier CSV de la banque. Vous voyez chaque ligne avant que rien ne soit inscrit.',
    'A CSV file of the bank. You see each line before anything is entered.',
  ])
  const size = { mb: BANK_FILE_MAX_BYTES / 1024 / 1024, lines: writeFrancs(BANK_LINES_MAX) }
  const file = html`<div class="drop"><label for="file">${say(['Fichier CSV', 'CSV file'])}</label><p class="hint" id="file-h">${say(['{mb} Mo et {lines} lignes au plus. Il n’est pas gardé.', '{mb} MB and {lines} lines at most. It is not kept.'], size)}</p>${errors.map(({ text }) => html`<p class="error" id="file-e">${text}</p>`)}<input id="file" name="file" type="file" accept=".csv,.txt,.tsv" aria-describedby="file-h${errors.length > 0 && ' file-e'}"${errors.length > 0 && html` aria-invalid="true"`}></div>`
  const pasted = textArea({
    name: 'pasted',
    label: say(['Ou collez les lignes, titres compris', 'Or paste the lines, titles included']),
    value: fields.text('pasted'),
    more: { rows: '4', maxlength: '16000' },
  })
  const main = html`${backLink(at('/settlements?status=validated'), say(['Reversements', 'Settlements']))}${pageHead({ title, lead })}${errorList(say, errors)}
<div class="two"><form class="slip" method="post" action="${at('/settlements/transfers')}" enctype="multipart/form-data">${nonceField(request.nonce)}<div class="stack">${file}${pasted}${refusal?.code === 'columns_unknown' && columnFields(request, refusal)}</div><div><button class="wide">${say(['Lire le fichier', 'Read the file'])}</button></div></form>
${columnsPanel(request)}</div>`
  const facts = { error: refusal }
  const status = refusal === null ? 200 : refusal.code === 'too_large' ? 413 : 422
  return { kind: 'view', status, title, main, facts }
}

/** For each thing that we read, the column that has it. */
function columnFields(request: Request, { found, known }: Extract<BankFileRefusal, { code: 'columns_unknown' }>) {
  const { say, fields } = request
  const none = { value: '', label: say(['Aucune', 'None']) }
  const columns = found.map((text, place) => ({
    value: String(place),
    label: text === '' ? say(['Colonne {n}', 'Column {n}'], { n: place + 1 }) : text,
  }))
  return html`<fieldset><legend>${say(['Quelle colonne a quoi', 'Each column and its content'])}</legend><p class="hint">${say(['Choisissez aussi le fichier de nouveau.', 'Choose the file again, too.'])}</p><div class="stack">${bankColumns.map(
    (column) => {
      const typed = fields.text(columnField(column))
      const value = typed === '' ? String(known[column] ?? '') : typed
      return select({ name: columnField(column), label: say(columnWords[column]), value, choices: [none, ...columns] })
    },
  )}</div></fieldset>`
}

/** The name of the field in which a person names a column. */
export function columnField(column: BankColumn): string {
  return `column_${column}`
}

function columnsPanel({ say }: Request) {
  const rows: readonly (readonly [string, string])[] = [
    [say(['montant ou débit', 'amount or debit']), '1 250 000'],
    [say(['référence', 'reference']), 'VIR-2026-0042'],
    [say(['libellé', 'label']), 'stl_01jd3c…'],
    ['iban', 'CI93 CI00 8011…'],
    [say(['bénéficiaire', 'beneficiary']), 'Boutique Awa'],
  ]
  const hint = say([
    'Le montant, la référence, et l’un des trois autres. Le libellé que porte notre fichier pour la banque est le plus sûr.',
    'The amount, the reference, and one of the other three. The label of our file for the bank is the surest.',
  ])
  return panel(
    say(['Les colonnes', 'The columns']),
    html`<table class="mini"><thead><tr><th scope="col">${say(['Colonne', 'Column'])}</th><th scope="col">${say(['Exemple', 'Example'])}</th></tr></thead><tbody>${rows.map(([column, example]) => html`<tr><td>${column}</td><td>${example}</td></tr>`)}</tbody></table><p class="hint gap">${hint}</p>`,
  )
}

function sayFileRefusal({ say }: Request, refusal: UploadRefusal): string {
  switch (refusal.code) {
    case 'no_file':
      return say(['Choisissez un fichier, ou collez ses lignes.', 'Choose a file, or paste its lines.'])
    case 'nothing_chosen':
      return say([
        'Aucun virement n’est choisi. Lisez le fichier de nouveau.',
        'No transfer is chosen. Read the file again.',
      ])
    case 'too_large':
      return say(['Ce fichier est trop grand : {mb} Mo au plus.', 'This file is too large: {mb} MB at most.'], {
        mb: BANK_FILE_MAX_BYTES / 1024 / 1024,
      })
    case 'empty':
      return say(['Ce fichier est vide.', 'This file is empty.'])
    case 'not_a_table':
      return say(['Ce fichier n’est pas un CSV.', 'This file is no CSV.'])
    case 'unclosed_quote':
      return say(
        [
          'Un guillemet s’ouvre à la ligne {line} et ne se ferme pas.',
          'A quotation mark opens on line {line} and closes nowhere.',
        ],
        { line: refusal.line },
      )
    case 'too_many_lines':
      return say(['{count} lignes, {max} au plus.', '{count} lines, {max} at most.'], {
        count: refusal.count,
        max: writeFrancs(BANK_LINES_MAX),
      })
    case 'columns_unknown':
      return say([
        'Nous ne reconnaissons pas toutes les colonnes : dites lesquelles sont le montant, la référence et le libellé.',
        'We do not know all the columns: say which are the amount, the reference and the label.',
      ])
  }
}
