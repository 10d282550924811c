import { FILE_MAX_BYTES } from '../../batch-files/batch-draft.ts'
import type { Replaced } from '../../batch-files/keep-draft.ts'
import type { ListedDraft } from '../../batch-files/store.ts'
import { backLink, miniTable, pageHead, panel } from '../../console/components.ts'
import { errorList, type FieldError, field, hiddenField, nonceField } from '../../console/forms.ts'
import { list, rowLink } from '../../console/list.ts'
import type { Say } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { LINES_MAX } from '../../payout-batches/batch.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import { sayLines } from './fault-words.ts'
import { versionField } from './typed-lines.ts'

type Request = ScreenRequest<'console'>

/** The page to choose a file, with the open drafts. */
export function uploadView(
  request: Request,
  facts: {
    drafts: readonly ListedDraft[]
    /** The name as typed. */
    name: string
    /** The draft that the file replaces. */
    replaces: Replaced | null
    refused: { code: string; text: string; status: number } | null
  },
): ScreenView {
  const { say, at } = request
  const { drafts, name, replaces, refused } = facts
  const errors: FieldError[] = refused === null ? [] : [{ field: 'file', text: refused.text }]
  const title = say(['Envoyer un lot', 'Send a batch'])
  const hidden = html`${nonceField(request.nonce)}${replaces !== null && replacedFields(replaces)}`
  const replacing = say([
    'Ce fichier remplacera le brouillon. Les corrections faites à l’écran n’y sont pas : faites-les aussi dans le fichier.',
    'This file will replace the draft. It does not contain the corrections made on the screen: make them in the file too.',
  ])
  const main = html`${backLink(at('/batches'), say(['Lots', 'Batches']))}
${pageHead({
  title,
  lead: say(
    [
      'Un fichier, jusqu’à {n} lignes. Rien ne part avant votre accord.',
      'One file, up to {n} lines. Nothing leaves before you agree.',
    ],
    { n: LINES_MAX },
  ),
})}
${errorList(say, errors)}
<div class="two">
<form class="slip" method="post" action="${at('/batches/new')}" enctype="multipart/form-data">${hidden}
<div class="stack">
${replaces !== null && html`<p>${replacing}</p>`}
${nameField(say, name)}
${fileField(say, refused)}
</div>
<div><button class="wide">${say(['Lire le fichier', 'Read the file'])}</button></div>
</form>
<div class="stack">
${columnsPanel(request)}
${drafts.length > 0 && draftsPanel(request, drafts)}
</div>
</div>`
  const known = { drafts, refused: refused && { code: refused.code, message: refused.text } }
  return { kind: 'view', ...(refused !== null && { status: refused.status }), title, main, facts: known }
}

function columnsPanel({ say, at }: Request) {
  const rows: readonly (readonly [string, string])[] = [
    [say(['nom', 'name']), 'Yves Kouadio'],
    [say(['numero', 'number']), '07 84 33 20 51'],
    [say(['operateur', 'operator']), say(['wave (facultatif)', 'wave (may be empty)'])],
    [say(['montant', 'amount']), '16000'],
    [say(['reference', 'reference']), say(['SAL-11-07 (facultatif)', 'SAL-11-07 (may be empty)'])],
    [
      say(['carnet', 'book']),
      say([
        'l’entrée du carnet, à la place du nom et du numéro',
        'the entry of the address book, instead of name and number',
      ]),
    ],
  ]
  const lines = rows.map(([column, example]) => html`<tr><td>${column}</td><td>${example}</td></tr>`)
  const heads = miniTable({ texts: [say(['Colonne', 'Column']), say(['Exemple', 'Example'])] }, lines)
  const others = say([
    'En français ou en anglais, dans l’ordre que vous voulez. Nous laissons de côté les autres colonnes. Avec d’autres titres, ou sans titres, nous vous demandons ce que contient chaque colonne, et nous le retenons.',
    'In French or English, in any order. Other columns are ignored. With other titles, or none, we ask you what each column holds, and remember it.',
  ])
  const table = html`${heads}
<p class="hint gap">${others}</p>`
  return panel(say(['Les colonnes', 'The columns']), table, {
    id: 'cols',
    more: html`<a href="${at('/batches/template')}">${say(['Le modèle vide', 'The empty template'])}</a>`,
  })
}

function draftsPanel({ say, at, language }: Request, drafts: readonly ListedDraft[]) {
  const table = list({
    caption: say(['Brouillons', 'Drafts']),
    size: 'few',
    rows: drafts,
    columns: [
      {
        title: say(['Lot', 'Batch']),
        kind: 'k',
        all: true,
        cell: ({ id, name, line_count, columns_unknown }) =>
          rowLink(
            at(`/batches/drafts/${id}`),
            name,
            columns_unknown ? say(['Colonnes à nommer', 'Columns to name']) : sayLines(say, line_count),
          ),
      },
      {
        title: say(['Expire', 'Expires']),
        kind: 't',
        label: say(['Expire', 'Expires']),
        cell: ({ expires_at }) => writeShortDate(expires_at, language),
      },
    ],
  })
  return panel(say(['Brouillons', 'Drafts']), table, { flush: true })
}

function replacedFields(replaces: Replaced): Html {
  return html`${hiddenField('replaces', replaces.draft_id)}${versionField(replaces)}`
}

function nameField(say: Say, value: string): Html {
  return field({
    name: 'name',
    label: say(['Nom du lot', 'Name of the batch']),
    hint: say(['Vide : celui du fichier.', 'Leave empty to use the name of the file.']),
    value,
    more: { maxlength: '255', autocomplete: 'off' },
  })
}

function fileField(say: Say, refused: { readonly text: string } | null): Html {
  const limits = say(
    ['De notre modèle ou de votre tableur. {n} Mo au plus.', 'Our template or your spreadsheet. {n} MB at most.'],
    { n: FILE_MAX_BYTES / 1024 / 1024 },
  )
  const label = html`<label for="file">${say(['Fichier CSV ou Excel', 'CSV or Excel file'])}</label>`
  const error = refused !== null && html`<p class="error" id="file-e">${refused.text}</p>`
  const invalid = refused !== null && html` aria-invalid="true"`
  const described = html` aria-describedby="file-h${refused !== null && ' file-e'}"${invalid}`
  const input = html`<input id="file" name="file" type="file" accept=".csv,.txt,.tsv,.xlsx"${described}>`
  return html`<div class="drop">${label}<p class="hint" id="file-h">${limits}</p>${error}${input}</div>`
}
