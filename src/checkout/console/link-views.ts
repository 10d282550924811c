import { linkButton, pageHead, panel } from '../../console/components.ts'
import { choices, errorList, type FieldError, field, form } from '../../console/forms.ts'
import type { ReadList } from '../../console/lists/define-list.ts'
import { drawList } from '../../console/lists/draw-list.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import type { ShownLink } from '../find-links.ts'
import { linkFields } from '../link-fields.ts'
import { linkList } from './link-list.ts'

type Request = ScreenRequest<'console'>

export type TypedLink = {
  readonly description: string
  readonly amount: string
  readonly reusable: boolean
  readonly until: string
  readonly reference: string
  readonly whatsapp: string
}

export const nothingTyped: TypedLink = {
  ...{ description: '', amount: '', reusable: false, until: '', reference: '', whatsapp: '' },
}

type LinksShown = {
  readonly links: ReadList<ShownLink>
  readonly typed: TypedLink
  readonly errors: readonly FieldError[]
}

/** The links of a merchant that the filters match, and the form of a new link. */
export function linksView(request: Request, { links, typed, errors }: LinksShown): ScreenView {
  const { say, can } = request
  const { chosen, page } = links
  const title = say(linkList.title)
  const manage = can('links.manage')
  const acts = manage && linkButton('#new', say(['Nouveau lien', 'New link']), 'second')
  const { filters, chips, rows, turns } = drawList(request, linkList, links)
  const listed = panel(null, rows, { flush: page.rows.length > 0 })
  const main = html`${pageHead({ title, acts })}${errorList(say, errors)}
<div class="${manage ? 'two' : 'stack'}"><div>${filters}${chips}${listed}${turns}</div>${manage && newLink(request, typed, errors)}</div>`
  return {
    kind: 'view',
    status: errors.length > 0 ? 422 : 200,
    title,
    main,
    facts: { chosen, links: page.rows, after: page.after, errors },
  }
}

function newLink(request: Request, typed: TypedLink, errors: readonly FieldError[]): Html {
  const { say, at } = request
  const label = say(['Jusqu’au (facultatif)', 'Until (optional)'])
  const until = field({ name: 'until', label, type: 'date', value: typed.until }, errors)
  const fields = html`<div class="stack"><h2 id="new">${say(['Nouveau lien', 'New link'])}</h2>${field(
    {
      name: 'description',
      label: say(['Pour quoi', 'What for']),
      hint: say(['Le client lira ces mots.', 'The payer will read these words.']),
      value: typed.description,
      more: { maxlength: '1000' },
    },
    errors,
  )}${field(
    {
      name: 'amount',
      label: say(['Montant, F CFA', 'Amount, F CFA']),
      hint: say(['Vide : le client choisit.', 'Leave empty to let the payer choose.']),
      value: typed.amount,
      more: { inputmode: 'numeric' },
    },
    errors,
  )}${choices({
    name: 'reusable',
    legend: say(['Combien de fois', 'Use']),
    kind: 'checkbox',
    chosen: typed.reusable ? ['yes'] : [],
    choices: [
      {
        value: 'yes',
        label: say(['Réutilisable', 'Reusable']),
        hint: say(['Plusieurs personnes paient avec le même lien.', 'Several people pay with the same link.']),
      },
    ],
  })}${until}${seldomTyped(request, typed, errors)}</div>`
  const content = html`${fields}<div><button class="wide">${say(['Créer le lien', 'Create the link'])}</button></div>`
  return form(request, at('/links'), content, { class: 'slip' })
}

/** The fields that few links need, folded unless one of them was typed. */
function seldomTyped({ say }: Request, typed: TypedLink, errors: readonly FieldError[]): Html {
  const fields = (['reference', 'whatsapp'] as const).map((name) => {
    const { label, hint, longest } = linkFields[name].form
    const more = { maxlength: String(longest), autocomplete: 'off' }
    return field({ name, label: say(label), value: typed[name], more, ...(hint && { hint: say(hint) }) }, errors)
  })
  const open = typed.reference !== '' || typed.whatsapp !== ''
  const head = html`<summary>${say(['Référence, WhatsApp', 'Reference, WhatsApp'])}</summary>`
  return html`<details${open && html` open`}>${head}<div class="stack gap">${fields}</div></details>`
}
