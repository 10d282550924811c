import { blank, linkButton, pageHead, panel, type StatusShape, status } from '../../console/components.ts'
import { choices, errorList, type FieldError, field, form, select } from '../../console/forms.ts'
import {
  chips,
  filteredAddress,
  filters,
  leftOut,
  list,
  moneyCell,
  pages,
  rowLink,
  unreadFilters,
} from '../../console/list.ts'
import type { Say, Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Page } from '../../values/page.ts'
import type { ShownLink } from '../find-links.ts'
import { type LinkSituation, linkSituations } from '../link.ts'
import type { ChosenLinks } from './link-filters.ts'

type Request = ScreenRequest<'console'>

/** The shape and the word of each status of a link. */
export const linkStatuses: Readonly<Record<LinkSituation, readonly [StatusShape, Words]>> = {
  open: ['ok', ['Ouvert', 'Open']],
  busy: ['going', ['Un paiement est en cours', 'A payment is under way']],
  paid: ['ok', ['Payé', 'Paid']],
  closed: ['off', ['Fermé', 'Closed']],
  expired: ['off', ['Expiré', 'Expired']],
}

export type TypedLink = {
  readonly description: string
  readonly amount: string
  readonly reusable: boolean
  readonly until: string
}

export const nothingTyped: TypedLink = { description: '', amount: '', reusable: false, until: '' }

type LinksShown = {
  readonly chosen: ChosenLinks
  readonly links: Page<ShownLink>
  readonly typed: TypedLink
  readonly errors: readonly FieldError[]
}

/** The links of a merchant that the filters match with the sums collected through each, and the form of a new link. */
export function linksView(request: Request, { chosen, links, typed, errors }: LinksShown): ScreenView {
  const { say, at, can, query } = request
  const path = at('/links')
  const on = filtersOn(request, chosen)
  const title = say(['Liens de paiement', 'Payment links'])
  const manage = can('links.manage')
  const none =
    on.length > 0
      ? blank('link', {
          title: say(['Aucun lien ici', 'No link here']),
          text: say(['Retirez un filtre pour en voir plus.', 'Remove a filter to see more.']),
          acts: linkButton(path, say(['Tout voir', 'Show all']), 'second'),
        })
      : blank('link', {
          title: say(['Aucun lien pour le moment', 'No link yet']),
          text: say([
            'Un lien se partage dans un message ou s’imprime en affiche.',
            'A link is shared in a message or printed as a poster.',
          ]),
        })
  const content = links.rows.length === 0 ? none : linkList(request, links.rows)
  const acts = manage && linkButton('#new', say(['Nouveau lien', 'New link']), 'second')
  const head = pageHead({ title, acts })
  const turn = pages(say, {
    newer: query.has('after') ? filteredAddress(path, chosen) : null,
    older: links.after === null ? null : filteredAddress(path, { ...chosen, after: links.after }),
  })
  const fileOf = (format: string) => filteredAddress(`${path}/export`, { ...chosen, format })
  const search = filters(say, say(['État, texte, période', 'State, text, period']), filterFields(request, chosen))
  const main = html`${head}${errorList(say, errors)}
<div class="${manage ? 'two' : 'stack'}"><div>${search}${leftOut(say, unreadFilters(request, chosen))}${chips(say, on, can('exports.take') && links.rows.length > 0 ? fileOf : null)}${panel(null, content, { flush: links.rows.length > 0 })}${turn}</div>${manage && newLink(request, typed, errors)}</div>`
  return {
    kind: 'view',
    status: errors.length > 0 ? 422 : 200,
    title,
    main,
    facts: { chosen, links: links.rows, after: links.after, errors },
  }
}

/** The filters in force, each with the address of the list without it. */
function filtersOn(request: Request, chosen: ChosenLinks): { text: string; without: string }[] {
  const { say, at } = request
  const without = (name: keyof ChosenLinks) => filteredAddress(at('/links'), { ...chosen, [name]: '' })
  const words = {
    status: chosen.status && say(linkStatuses[chosen.status][1]),
    from: chosen.from && say(['depuis le {day}', 'from {day}'], { day: chosen.from }),
    to: chosen.to && say(['jusqu’au {day}', 'to {day}'], { day: chosen.to }),
    text: chosen.text,
  }
  const on = (Object.keys(words) as (keyof ChosenLinks)[]).map((name) => ({
    text: words[name],
    without: without(name),
  }))
  return on.filter(({ text }) => text !== '')
}

function filterFields({ say }: Request, chosen: ChosenLinks): Html {
  const states = linkSituations.map((value) => ({ value, label: say(linkStatuses[value][1]) }))
  return html`${select({ name: 'status', label: say(['État', 'State']), value: chosen.status, choices: [{ value: '', label: say(['Tous', 'All']) }, ...states] })}
${field({ name: 'text', label: say(['Texte ou numéro du lien', 'Text or identifier']), value: chosen.text, more: { spellcheck: 'false', autocapitalize: 'none' } })}
${field({ name: 'from', label: say(['Du', 'From']), type: 'date', value: chosen.from })}
${field({ name: 'to', label: say(['Au', 'To']), type: 'date', value: chosen.to })}`
}

/** The amount of a link, or its bounds where the payer chooses. */
export function amountWords(
  say: Say,
  { amount, min_amount, max_amount }: Pick<ShownLink, 'amount' | 'min_amount' | 'max_amount'>,
): string {
  if (amount !== null) return writeAmount(amount)
  return say(['de {least} à {most}', '{least} to {most}'], {
    least: writeAmount(min_amount ?? 0),
    most: writeAmount(max_amount ?? 0),
  })
}

function linkList(request: Request, links: readonly ShownLink[]): Html {
  const { say, at } = request
  return list<ShownLink>({
    caption: say(['Liens', 'Links']),
    size: 'few',
    rows: links,
    columns: [
      {
        title: say(['Lien', 'Link']),
        kind: 'k',
        cell: (link) =>
          rowLink(
            at(`/links/${link.link_id}`),
            link.description ?? say(['Sans description', 'No description']),
            html`${amountWords(say, link)}${link.reusable ? say([', réutilisable', ', reusable']) : say([', une fois', ', once'])}`,
          ),
      },
      {
        title: say(['État', 'State']),
        kind: 's',
        cell: (link) => {
          const [shape, word] = linkStatuses[link.status]
          return status(shape, say(word))
        },
      },
      {
        title: say(['Payés', 'Paid']),
        kind: '',
        label: say(['Payés', 'Paid']),
        cell: ({ paid_count }) => paid_count,
      },
      { title: say(['Reçu, F CFA', 'Received, F CFA']), kind: 'm', cell: ({ paid_amount }) => moneyCell(paid_amount) },
    ],
  })
}

function newLink(request: Request, typed: TypedLink, errors: readonly FieldError[]): Html {
  const { say, at } = request
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
  })}${field({ name: 'until', label: say(['Jusqu’au (facultatif)', 'Until (optional)']), type: 'date', value: typed.until }, errors)}</div>`
  const content = html`${fields}<div><button class="wide">${say(['Créer le lien', 'Create the link'])}</button></div>`
  return form(request, at('/links'), content, { class: 'slip' })
}
