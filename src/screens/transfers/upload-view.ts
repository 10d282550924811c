import { backLink, miniTable, pageHead, panel } from '../../console/components.ts'
import { choices, errorList, type FieldError, nonceField, select, textArea } from '../../console/forms.ts'
import type { Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { type BankColumn, bankColumns } from '../../settlements/bank/columns.ts'
import {
  BANK_FILE_MAX_BYTES,
  BANK_LINES_MAX,
  type BankFileHead,
  type BankFileRefusal,
} from '../../settlements/bank/read-lines.ts'
import { writeFrancs } from '../../values/read-typed.ts'
import { sayOtherForm } from '../file-form-words.ts'

type Request = ScreenRequest<'desk'>

export const columnWords: Readonly<Record<BankColumn, Words>> = {
  debit: ['Débit : ce qui est sorti', 'Debit: what left'],
  credit: ['Crédit : ce qui est entré', 'Credit: what came in'],
  amount: ['Montant, si une seule colonne a les deux', 'Amount, where one column has both'],
  direction: ['Sens : D ou C', 'Direction: D or C'],
  date: ['Date de l’opération', 'Date of the operation'],
  value_date: ['Date de valeur', 'Value date'],
  reference: ['Référence de la banque', 'The bank’s reference'],
  label: ['Libellé', 'Label'],
  account: ['Compte ou IBAN du bénéficiaire', 'The beneficiary’s account or IBAN'],
  holder: ['Nom du bénéficiaire', 'The beneficiary’s name'],
}

export type UploadRefusal = BankFileRefusal | { readonly code: 'no_file' | 'nothing_chosen' }

/** The page to choose or paste a bank's file. If its columns are unknown, a person assigns them. */
export function uploadView(request: Request, refusal: UploadRefusal | null): ScreenView {
  const { say, at, fields } = request
  const about = refusal?.code === 'direction_unknown' ? 'minus' : 'file'
  const errors: FieldError[] = refusal === null ? [] : [{ field: about, text: sayFileRefusal(request, refusal) }]
  const ofFile = errors.filter(({ field }) => field === 'file')
  const title = say(['Virements de la banque', 'Transfers of the bank'])
  const lead = say([
    'Un fichier CSV de la banque. Vous voyez chaque ligne avant que rien ne soit inscrit.',
    'A CSV file of the bank. You see each line before anything is entered.',
  ])
  const size = { mb: BANK_FILE_MAX_BYTES / 1024 / 1024, lines: writeFrancs(BANK_LINES_MAX) }
  const wrong = ofFile.length > 0
  const limits = say(
    ['{mb} Mo et {lines} lignes au plus. Il n’est pas gardé.', '{mb} MB and {lines} lines at most. It is not kept.'],
    size,
  )
  const label = html`<label for="file">${say(['Fichier CSV', 'CSV file'])}</label><p class="hint" id="file-h">${limits}</p>`
  const why = ofFile.map(({ text }) => html`<p class="error" id="file-e">${text}</p>`)
  const described = html` aria-describedby="file-h${wrong && ' file-e'}"${wrong && html` aria-invalid="true"`}`
  const input = html`<input id="file" name="file" type="file" accept=".csv,.txt,.tsv"${described}>`
  const file = html`<div class="drop">${label}${why}${input}</div>`
  const pasted = textArea({
    name: 'pasted',
    label: say(['Ou collez les lignes, titres compris', 'Or paste the lines, titles included']),
    value: fields.text('pasted'),
    more: { rows: '4', maxlength: '16000' },
  })
  const to = at('/settlements/transfers')
  const isPasted = fields.text('pasted') !== ''
  const questions =
    (refusal?.code === 'columns_unknown' || refusal?.code === 'direction_unknown') &&
    columnFields(request, refusal, errors)
  const part = (content: Html, asks: Piece, button: Html) =>
    html`${nonceField(request.nonce)}<div class="stack">${content}${asks}</div><div>${button}</div>`
  const readFile = html`<button class="wide">${say(['Lire le fichier', 'Read the file'])}</button>`
  const readLines = html`<button class="wide second">${say(['Lire ces lignes', 'Read these lines'])}</button>`
  const ofWholeFile = part(file, !isPasted && questions, readFile)
  const ofPasted = part(pasted, isPasted && questions, readLines)
  const back = backLink(at('/settlements?status=validated'), say(['Reversements', 'Settlements']))
  const main = html`${back}${pageHead({ title, lead })}${errorList(say, errors)}
<div class="two"><div class="stack"><form class="slip" method="post" action="${to}" enctype="multipart/form-data">${ofWholeFile}</form>
<form class="slip" method="post" action="${to}">${ofPasted}</form></div>
${columnsPanel(request)}</div>`
  const facts = { error: refusal }
  const status = refusal === null ? 200 : refusal.code === 'too_large' ? 413 : 422
  return { kind: 'view', status, title, main, facts }
}

/** The questions about a file: the column of each field, whether the first line is a transfer, and the meaning of a minus. */
function columnFields(
  request: Request,
  { found, known, starts_at_once, code }: BankFileHead & { readonly code: string },
  errors: readonly FieldError[],
) {
  const { say, fields } = request
  const none = { value: '', label: say(['Aucune', 'None']) }
  const columns = found.map((text, place) => {
    const number = say(['Colonne {n}', 'Column {n}'], { n: place + 1 })
    // Without titles the text of the first line identifies a column.
    return { value: String(place), label: text === '' ? number : starts_at_once ? `${number} : ${text}` : text }
  })
  const places = bankColumns.map((column) => {
    const typed = fields.text(columnField(column))
    const value = typed === '' ? String(known[column] ?? '') : typed
    return select({ name: columnField(column), label: say(columnWords[column]), value, choices: [none, ...columns] })
  })
  const first_line = fields.text('first_line')
  const first = select({
    name: 'first_line',
    label: say(['La première ligne a', 'The first line has']),
    value: first_line === '' && starts_at_once ? 'transfer' : first_line,
    choices: [
      { value: 'titles', label: say(['Les titres', 'The titles']) },
      { value: 'transfer', label: say(['Déjà un virement', 'A transfer already']) },
    ],
  })
  const asksFirst = code === 'columns_unknown' || first_line !== ''
  const again = say(['Choisissez aussi le fichier de nouveau.', 'Choose the file again, too.'])
  const hint = fields.text('pasted') === '' && html`<p class="hint">${again}</p>`
  const legend = html`<legend>${say(['Quelle colonne a quoi', 'Each column and its content'])}</legend>`
  const asked = html`<div class="stack">${asksFirst && first}${places}</div>`
  return html`<fieldset>${legend}${hint}${asked}</fieldset>${minusField(request, errors)}`
}

function minusField({ say, fields }: Request, errors: readonly FieldError[]) {
  const declared = {
    name: 'minus',
    legend: say(['Dans le montant, un moins veut dire', 'In the amount, a minus means']),
    kind: 'radio',
    chosen: [fields.text('minus')],
    choices: [
      {
        value: 'left',
        label: say(['De l’argent sorti', 'Money that left']),
        hint: say(['Sans moins, l’argent est entré.', 'Without a minus, money came in.']),
      },
      {
        value: 'came_back',
        label: say(['Un virement annulé ou revenu', 'A transfer that was taken back']),
        hint: say(['Sans moins, l’argent est sorti.', 'Without a minus, money left.']),
      },
    ],
  } as const
  return choices(declared, errors)
}

/** Returns the name of the field in which a person assigns a column. */
export function columnField(column: BankColumn): string {
  return `column_${column}`
}

function columnsPanel({ say }: Request) {
  const rows: readonly (readonly [string, string])[] = [
    [say(['débit', 'debit']), '1 250 000'],
    [say(['date', 'date']), '25/11/2026'],
    [say(['référence', 'reference']), 'VIR-2026-0042'],
    [say(['libellé', 'label']), 'stl_01jd3c…'],
    [say(['iban bénéficiaire', 'beneficiary iban']), 'CI93 CI00 8011…'],
    [say(['bénéficiaire', 'beneficiary']), 'Boutique Awa'],
  ]
  const hint = say([
    'Le débit, ou un montant avec son signe ou son sens (D ou C) ; la référence ; et l’un des trois derniers. Le libellé que porte notre fichier pour la banque est le plus sûr : sans lui, il faut la date.',
    'The debit, or an amount with its sign or direction (D or C); the reference; and one of the last three. The label of our file for the bank is the surest: without it the date is needed.',
  ])
  const lines = rows.map(([column, example]) => html`<tr><td>${column}</td><td>${example}</td></tr>`)
  const table = miniTable({ texts: [say(['Colonne', 'Column']), say(['Exemple', 'Example'])] }, lines)
  return panel(say(['Les colonnes', 'The columns']), html`${table}<p class="hint gap">${hint}</p>`)
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
      return say(['Ce fichier n’est pas un CSV.', 'This file is not CSV.'])
    case 'workbook':
      return say([
        'C’est un classeur Excel. Enregistrez-le en CSV, puis choisissez ce CSV.',
        'This is an Excel workbook. Save it as CSV, and choose that CSV.',
      ])
    case 'other_form':
      return sayOtherForm(say, refusal.form, ['CSV', 'CSV'])
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
        'Nous ne reconnaissons pas toutes les colonnes : dites laquelle est le débit ou le montant, laquelle la référence, et laquelle le libellé.',
        'We do not know all the columns: say which is the debit or the amount, which the reference, and which the label.',
      ])
    case 'direction_unknown':
      return say([
        'Rien ne dit si ces montants sont sortis ou entrés : nommez la colonne du sens, ou dites ce que veut dire un moins.',
        'Nothing says whether these amounts left or came in: name the column of the direction, or say what a minus means.',
      ])
  }
}
