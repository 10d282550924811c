import { actFields } from '../../console/acts/act-fields.ts'
import { backLink, note, pageHead, panel, rows } from '../../console/components.ts'
import { errorList, type FieldError, form, hiddenField } from '../../console/forms.ts'
import { list } from '../../console/list.ts'
import { sayWords } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { fileFacts, writeFact } from '../../merchant-files/file-fields.ts'
import { fileColumns, type Owner } from '../../merchant-files/merchant-file.ts'
import { addOwner, writeShare } from '../../merchant-files/owners.ts'
import { setFile } from '../../merchant-files/set-file.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeDay } from '../../platform/http/pages/write-values.ts'
import { isDay } from '../../values/period.ts'
import { documentsPanel } from './document-view.ts'
import type { FileFacts } from './file-facts.ts'

type Request = ScreenRequest<'desk'>

/** The file of one merchant: its business, and its owners. */
export function fileView(request: Request, facts: FileFacts, errors: readonly FieldError[]): ScreenView {
  const { say, at } = request
  const { merchant } = facts
  const title = say(['Dossier', 'File'])
  const head = html`${backLink(at(`/merchants/${merchant.merchant_id}`), merchant.name)}${pageHead({ title, lead: merchant.name })}`
  const { documents: known, now } = facts
  const documents = documentsPanel(request, { merchant_id: merchant.merchant_id, documents: known, now }, errors)
  const main = html`${head}${errorList(say, errors)}
<div class="two">${businessPanel(request, facts)}${ownersPanel(request, facts, errors)}</div>
${documents}`
  const status = errors.length > 0 ? 422 : 200
  return { kind: 'view', status, title: `${title} · ${merchant.name}`, main, facts: { ...factsFor(facts), errors } }
}

/** The facts for a program, without the hashes of files. */
function factsFor({ documents, ...facts }: FileFacts) {
  return { ...facts, documents: documents.map(({ hash: _, ...document }) => document) }
}

function businessPanel(request: Request, { merchant, file, same_tax_number }: FileFacts): Html {
  const { say, at, can, language } = request
  const shown = fileColumns.map((column) => {
    const value = file[column] ?? ''
    const written = isDay(value)
      ? writeDay(new Date(value), language)
      : sayWords(say, writeFact(fileFacts[column], value))
    return { name: sayWords(say, fileFacts[column].name), value: written }
  })
  const edit = html`<a href="${at(`/merchants/${merchant.merchant_id}/file/edit`)}">${say(['Corriger', 'Change'])}</a>`
  const same =
    same_tax_number > 0 &&
    note(
      'care',
      null,
      say(['{count} autre(s) marchand(s) ont ce NCC.', '{count} other merchant(s) have this NCC.'], {
        count: same_tax_number,
      }),
    )
  const trade = { name: say(['Enseigne', 'Trade name']), value: merchant.name }
  return panel(say(['Identité', 'Identity']), html`${same}${rows([trade, ...shown])}`, {
    ...(can('merchants.manage') && { more: edit }),
  })
}

function ownersPanel(request: Request, { merchant, owners }: FileFacts, errors: readonly FieldError[]): Html {
  const { say, at, can, language } = request
  const title = say(['Bénéficiaires effectifs', 'Beneficial owners'])
  const manages = can('merchants.manage')
  const end = ({ id, name }: Owner) => {
    const button = html`<button class="stop small">${say(['Retirer', 'Remove'])}<span class="sr"> ${name}</span></button>`
    const content = html`${hiddenField('merchant', merchant.merchant_id)}${button}`
    return form(request, at(`/merchants/owners/${id}/end`), content, { class: 'inline' })
  }
  const known =
    owners.length === 0
      ? html`<p class="soft">${say(['Personne n’est noté au-dessus de 25 %.', 'Nobody is noted above 25 %.'])}</p>`
      : list<Owner>({
          caption: title,
          rows: owners,
          size: 'few',
          columns: [
            { title: say(['Personne', 'Person']), kind: 'k', all: true, cell: ({ name }) => name },
            {
              title: say(['Part', 'Share']),
              kind: '',
              label: say(['Part', 'Share']),
              cell: ({ share_basis_points }) => sayWords(say, writeShare(share_basis_points)),
            },
            { title: say(['Noté le', 'Noted on']), kind: 't', cell: ({ added_at }) => writeDay(added_at, language) },
            ...(manages ? [{ title: say(['Faire', 'Act']), kind: 's', cell: end } as const] : []),
          ],
        })
  const button = html`<button class="second">${say(['Ajouter', 'Add'])}</button>`
  const add =
    manages &&
    form(
      request,
      at(`/merchants/${merchant.merchant_id}/file/owners`),
      html`<h3>${say(['Ajouter une personne', 'Add a person'])}</h3>${actFields(request, addOwner.fields, errors)}${button}`,
    )
  const listed = panel(title, known, { flush: owners.length > 0 })
  return html`<div class="stack">${listed}${add && panel(say(['Plus de 25 %', 'Above 25 %']), add)}</div>`
}

/** The form of the facts of a business, filled with what is known. */
export function fileEditView(request: Request, facts: FileFacts, errors: readonly FieldError[]): ScreenView {
  const { say, at } = request
  const { merchant, file } = facts
  const to = at(`/merchants/${merchant.merchant_id}/file`)
  const title = say(['Corriger le dossier', 'Change the file'])
  // A refused form keeps what was typed.
  const typed =
    errors.length > 0 ? request.fields : { ...request.fields, text: (name: string) => knownText(file, name) }
  const content = html`<div class="stack"><h1>${title}</h1>${actFields({ say, fields: typed }, setFile.fields, errors)}</div>
<div><button class="wide">${say(['Continuer', 'Continue'])}</button></div>`
  const slip = form(request, to, content, { class: 'slip' })
  const main = html`${backLink(to, merchant.name)}<div class="narrow wider">${errorList(say, errors)}${slip}</div>`
  const status = errors.length > 0 ? 422 : 200
  return { kind: 'view', status, title: `${title} · ${merchant.name}`, main, facts: { ...factsFor(facts), errors } }
}

function knownText(file: FileFacts['file'], name: string): string {
  return Object.entries(file).find(([column]) => column === name)?.[1] ?? ''
}
