import { blank, linkButton, pageHead, panel, status } from '../../console/components.ts'
import { errorList, type FieldError, field, form } from '../../console/forms.ts'
import { list, moneyCell, pages, rowLink } from '../../console/list.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import type { Page } from '../../values/page.ts'
import type { ShownLink } from '../find-links.ts'
import { linkStatuses } from './link-list.ts'

type Request = ScreenRequest<'console'>
/** A till with the names of its cashiers, and its takings of today in francs. */
type ListedTill = ShownLink & { readonly people: readonly string[]; readonly today: number }

/** The permanent codes of a merchant, of the shop and of each till, and the form of a new one. A code's page is that of its link. */
export function tillsView(request: Request, tills: Page<ListedTill>, errors: readonly FieldError[] = []): ScreenView {
  const { say, at, can, query } = request
  const title = say(['Boutiques et caisses', 'Shops and tills'])
  const lead = say([
    'Un nom et un code permanent chacune : le client scanne, tape le montant, paie. L’argent va au même endroit.',
    'Each has a name and a permanent code: the payer scans it, types the amount, pays. The money goes to the same place.',
  ])
  const manage = can('links.manage')
  const acts = manage && linkButton('#description', say(['Ajouter', 'Add']), 'second')
  const turn = pages(say, {
    newer: query.has('after') ? at('/tills') : null,
    older: tills.after === null ? null : at(`/tills?after=${tills.after}`),
  })
  const listed = tills.rows.length === 0 ? none(request) : panel(null, table(request, tills.rows), { flush: true })
  const main = html`${pageHead({ title, lead, acts })}${errorList(say, errors)}
<div class="${manage ? 'two' : 'stack'}"><div>${listed}${turn}</div>${manage && newTill(request, errors)}</div>`
  return {
    kind: 'view',
    status: errors.length > 0 ? 422 : 200,
    title,
    main,
    facts: { tills: tills.rows, after: tills.after, errors },
  }
}

function none({ say }: Request): Html {
  const title = say(['Aucun code encore', 'No code yet'])
  const text = say(['Donnez un nom : le code est prêt.', 'Give it a name, and the code is ready.'])
  return panel(null, blank('shop', { title, text }))
}

function table({ say, at }: Request, tills: readonly ListedTill[]): Html {
  return list<ListedTill>({
    caption: say(['Caisses', 'Tills']),
    rows: tills,
    size: 'few',
    columns: [
      {
        title: say(['Caisse', 'Till']),
        kind: 'k',
        cell: ({ link_id, description }) =>
          rowLink(at(`/links/${link_id}`), description ?? say(['Sans nom', 'No name'])),
      },
      {
        title: say(['État', 'State']),
        kind: 's',
        cell: (till) => {
          const [shape, words] = linkStatuses[till.status]
          return status(shape, say(words))
        },
      },
      { title: say(['Qui', 'Who']), kind: '', cell: ({ people }) => people.join(', ') || say(['personne', 'nobody']) },
      { title: say(['Aujourd’hui, F CFA', 'Today, F CFA']), kind: 'm', cell: ({ today }) => moneyCell(today) },
    ],
  })
}

function newTill(request: Request, errors: readonly FieldError[]): Html {
  const { say, at, fields } = request
  const name = field(
    {
      name: 'description',
      label: say(['Nom de la caisse', 'Name of the till']),
      hint: say(['Le client le lit sur sa page et son reçu.', 'The payer reads it on their page and receipt.']),
      value: fields.text('description'),
      more: { maxlength: '80', autocomplete: 'off' },
    },
    errors,
  )
  const button = html`<button class="wide">${say(['Créer le code', 'Create the code'])}</button>`
  return form(request, at('/tills'), html`<div class="stack">${name}</div><div>${button}</div>`, { class: 'slip' })
}
