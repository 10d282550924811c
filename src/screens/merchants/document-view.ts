import { actFields } from '../../console/acts/act-fields.ts'
import { backLink, linkButton, pageHead, panel, rows, type StatusShape, status } from '../../console/components.ts'
import { errorList, type FieldError, form, nonceField } from '../../console/forms.ts'
import { list, rowLink } from '../../console/list.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { documentKinds, type FileRefusal, type MerchantDocument, stateOf } from '../../merchant-files/document.ts'
import { askDocument, checkDocument, eraseDocument, refuseDocument } from '../../merchant-files/documents.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeDate, writeDay, writeShortDay } from '../../platform/http/pages/write-values.ts'
import type { Words } from '../../values/language.ts'

type Request = ScreenRequest<'desk'>
type State = ReturnType<typeof stateOf>

const stateWords: Readonly<Record<State, readonly [StatusShape, Words]>> = {
  asked: ['wait', ['Demandé', 'Asked for']],
  received: ['wait', ['À vérifier', 'To check']],
  checked: ['ok', ['Vérifié', 'Checked']],
  refused: ['bad', ['Refusé', 'Refused']],
  erased: ['bad', ['Refusé, effacé', 'Refused, erased']],
  expired: ['bad', ['Expiré', 'Expired']],
}

export const fileRefusals: Readonly<Record<FileRefusal, Words>> = {
  no_file: ['Choisissez un fichier.', 'Choose a file.'],
  too_large: ['Le fichier dépasse 8 Mo.', 'The file is larger than 8 MB.'],
  other_type: ['Un PDF, ou une photo JPEG, PNG ou WebP.', 'A PDF, or a photo as JPEG, PNG or WebP.'],
  cut_off: ['Il manque la fin du fichier. Envoyez-le encore.', 'The end of the file is missing. Send it again.'],
}

const statusOf = ({ say }: Request, document: MerchantDocument, now: Date): Html => {
  const [shape, words] = stateWords[stateOf(document, now)]
  return status(shape, say(words))
}

/** The documents of a merchant with their states, and the form that asks for one. */
export function documentsPanel(
  request: Request,
  { merchant_id, documents, now }: { merchant_id: number; documents: readonly MerchantDocument[]; now: Date },
  errors: readonly FieldError[],
): Html {
  const { say, at, can, language } = request
  const title = say(['Documents', 'Documents'])
  const known =
    documents.length === 0
      ? html`<p class="soft">${say(['Aucun document.', 'No document.'])}</p>`
      : list<MerchantDocument>({
          caption: title,
          rows: documents,
          size: 'few',
          columns: [
            {
              title: say(['Document', 'Document']),
              kind: 'k',
              all: true,
              cell: ({ id, kind, about }) =>
                rowLink(at(`/merchants/documents/${id}`), say(documentKinds[kind]), about ?? ''),
            },
            { title: say(['État', 'State']), kind: 's', cell: (document) => statusOf(request, document, now) },
            {
              title: say(['Vérifié par', 'Checked by']),
              kind: '',
              label: say(['Vérifié par', 'Checked by']),
              cell: ({ status, decided_by }) => (status === 'checked' ? decided_by : say(['personne', 'nobody'])),
            },
            {
              title: say(['Reçu', 'Received']),
              kind: 't',
              cell: ({ received_at }) => (received_at === null ? '–' : writeShortDay(received_at, language)),
            },
          ],
        })
  const button = html`<button class="second">${say(['Demander', 'Ask'])}</button>`
  const content = html`${actFields(request, askDocument.fields, errors)}${button}`
  const ask =
    can('merchants.manage') &&
    panel(
      say(['Demander un document', 'Ask for a document']),
      form(request, at(`/merchants/${merchant_id}/file/documents`), content),
    )
  return html`<div class="two">${panel(title, known, { flush: documents.length > 0 })}${ask}</div>`
}

/** One document: its state, its file, and the decision. */
export function documentView(
  request: Request,
  facts: { document: MerchantDocument; name: string; now: Date },
  errors: readonly FieldError[],
): ScreenView {
  const { say, at, can } = request
  const { document, name, now } = facts
  const { merchant_id, kind, about } = document
  const title = say(documentKinds[kind])
  const lead = html`${statusOf(request, document, now)}${about !== null && html` ${about}`}`
  const acts = can('merchants.manage') && actsOf(request, document, errors)
  const main = html`${backLink(at(`/merchants/${merchant_id}/file`), name)}${pageHead({ title, lead })}${errorList(say, errors)}
<div class="two">${factsPanel(request, document)}${acts}</div>`
  const { hash: _, ...shown } = document
  const told = { document: shown, state: stateOf(document, now), errors }
  return { kind: 'view', status: errors.length > 0 ? 422 : 200, title: `${title} · ${name}`, main, facts: told }
}

function factsPanel({ say, language }: Request, document: MerchantDocument): Html {
  const by = (person: string | null, at: Date | null) => at !== null && `${person}, ${writeDate(at, language)}`
  const row = (words: Words, value: string | false | null) =>
    value !== null && value !== false && { name: say(words), value }
  const { valid_until, bytes, file_type, decided_by, decided_at, refusal } = document
  const size = bytes !== null && `${file_type!.toUpperCase()}, ${Math.ceil(bytes / 1024)} ${say(['ko', 'kB'])}`
  const decided = by(decided_by, decided_at)
  return panel(
    say(['Détails', 'Details']),
    rows([
      row(['Demandé par', 'Asked by'], by(document.asked_by, document.asked_at)),
      row(['Reçu par', 'Received by'], by(document.received_by, document.received_at)),
      row(['Fichier', 'File'], size),
      row(refusal !== null ? ['Refusé par', 'Refused by'] : ['Vérifié par', 'Checked by'], decided),
      row(['Valable jusqu’au', 'Valid until'], valid_until && writeDay(new Date(valid_until), language)),
      row(['Pourquoi', 'Why'], refusal),
      row(['Effacé par', 'Erased by'], by(document.erased_by, document.erased_at)),
      row(['Pourquoi effacé', 'Why erased'], document.erasure_reason),
    ]),
  )
}

function actsOf(request: Request, { id, status: state }: MerchantDocument, errors: readonly FieldError[]): Html {
  const { say, at } = request
  const to = at(`/merchants/documents/${id}`)
  if (state === 'asked') return uploadPanel(request, to, errors)
  if (state === 'erased') return html``
  const open = html`<p class="acts">${linkButton(`${to}/file`, say(['Télécharger le fichier', 'Download the file']), 'second')}</p>`
  if (state === 'checked') return panel(say(['Fichier', 'File']), open)
  if (state === 'refused') {
    const button = html`<button class="stop">${say(['Effacer le fichier', 'Erase the file'])}</button>`
    const erase = html`${actFields(request, eraseDocument.fields, errors)}${button}`
    return panel(say(['Fichier', 'File']), html`${open}${form(request, `${to}/erase`, erase)}`)
  }
  const check = html`${actFields(request, checkDocument.fields, errors)}<button>${say(['Vérifié', 'Checked'])}</button>`
  const no = html`${actFields(request, refuseDocument.fields, errors)}<button class="stop">${say(['Refuser', 'Refuse'])}</button>`
  const decide = html`${open}${form(request, `${to}/check`, check)}`
  const checking = panel(say(['Vérifier', 'Check']), decide)
  const refusing = panel(say(['Refuser', 'Refuse']), form(request, `${to}/refuse`, no))
  return html`<div class="stack">${checking}${refusing}</div>`
}

function uploadPanel({ say, nonce }: Request, to: string, errors: readonly FieldError[]): Html {
  const why = errors
    .filter(({ field }) => field === 'file')
    .map(({ text }) => html`<p class="error" id="file-e">${text}</p>`)
  const described = html` aria-describedby="file-h${why.length > 0 && ' file-e'}"${why.length > 0 && html` aria-invalid="true"`}`
  const hint = say(['PDF, JPEG, PNG ou WebP, 8 Mo au plus.', 'PDF, JPEG, PNG or WebP, 8 MB at most.'])
  const label = html`<label for="file">${say(['Fichier', 'File'])}</label><p class="hint" id="file-h">${hint}</p>`
  const input = html`<input id="file" name="file" type="file" accept=".pdf,.jpg,.jpeg,.png,.webp"${described}>`
  const drop = html`<div class="drop">${label}${why}${input}</div>`
  const button = html`<button class="wide">${say(['Garder le fichier', 'Keep the file'])}</button>`
  const kept = html`${nonceField(nonce)}${drop}${button}`
  const content = html`<form class="stack" method="post" action="${to}" enctype="multipart/form-data">${kept}</form>`
  return panel(say(['Recevoir', 'Receive']), content)
}
