import { backLink, blank, figures, id, panel, rows, status, toast } from '../../console/components.ts'
import { form } from '../../console/forms.ts'
import { icon } from '../../console/icons.ts'
import { list, moneyCell, pages, rowLink } from '../../console/list.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { shareButtons, whatsApp } from '../../console/share.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawQr } from '../../platform/http/pages/draw-qr.ts'
import { drawAmount, writeDate, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Page } from '../../values/page.ts'
import type { ShownLink } from '../find-links.ts'
import type { PaidSession } from '../link-store.ts'
import { cashiersPanel, type TillTeam, takingsPanel } from './cashiers-panel.ts'
import { amountWords, linkStatuses } from './link-list.ts'
import { phonesPanel, type ShownPhone } from './phones-panel.ts'

type OneLink = Omit<ShownLink, 'paid_count' | 'paid_amount'>
type Request = ScreenRequest<'console'>

/**
 * One link: its code, WhatsApp, copy and poster, then its payers, the newest first, each leading to their payment; closing it last.
 * @param refused the reason why an act was refused
 */
export function linkView(
  request: Request,
  {
    link,
    paid,
    phones,
    team,
    refused,
  }: {
    link: OneLink
    paid: Page<PaidSession>
    phones: readonly ShownPhone[] | null
    team: TillTeam | null
    refused?: string
  },
): ScreenView {
  const { say, at, can } = request
  const title = link.description ?? say(['Lien de paiement', 'Payment link'])
  const back = can('payments.read')
    ? backLink(at('/links'), say(['Liens de paiement', 'Payment links']))
    : backLink(at(''), say(['Accueil', 'Home']))
  const why = refused !== undefined && toast(refused, 'bad', say)
  const takings = team !== null && takingsPanel(request, team)
  const people = team !== null && link.status === 'open' && cashiersPanel(request, link.link_id, team)
  const till = phones !== null && link.status === 'open' && phonesPanel(request, link.link_id, phones)
  const payers = can('payments.read') && paidPanel(request, link, paid)
  const main = html`${why}${back}
<div class="two">${shareSlip(request, link)}
<div class="stack">${takings}${payers}${people}${till}${detailsPanel(request, link)}</div></div>`
  return {
    kind: 'view',
    status: refused === undefined ? 200 : 409,
    title,
    main,
    facts: { link, ...(can('payments.read') && { paid: paid.rows, after: paid.after }), phones: phones ?? [], team },
    moving: link.status === 'busy' || (link.status === 'open' && 'open'),
  }
}

/** The code to scan, and the ways to send it. A link that nobody can pay has only its amount and its state. */
function shareSlip({ say, merchant_name }: Request, link: OneLink): Html {
  const amount = amountWords(say, link)
  const sum = link.amount === null ? html`<span class="say">${amount}</span>` : drawAmount(link.amount)
  const head = html`<h1>${link.description ?? say(['Lien de paiement', 'Payment link'])} ${sum}</h1>`
  const [shape, word] = linkStatuses[link.status]
  if (link.status !== 'open') {
    return html`<article class="slip middle"><header>${head}<p>${status(shape, say(word))}</p></header></article>`
  }
  const qr = drawQr(
    link.url,
    say(['Code à scanner pour payer {amount}', 'Code to scan and pay {amount}'], { amount }),
    'L',
  )
  const text = say(['{merchant} : {amount}{what}. Payer : {url}', '{merchant}: {amount}{what}. Pay: {url}'], {
    ...{ merchant: merchant_name, amount, url: link.url },
    what: link.description === null ? '' : `, ${link.description}`,
  })
  const send = whatsApp(say(['Envoyer par WhatsApp', 'Send by WhatsApp']), text, 'wide')
  return html`<article class="slip middle less"><header>${head}${qr}</header>
<div class="stack">${send}${shareButtons(say, link.url)}${addressHint(say, link)}</div></article>`
}

/** How a seller writes an order into the address of a link whose payers choose the amount. */
function addressHint(say: Request['say'], link: OneLink): Html | false {
  const text = say([
    'Pour une commande, ajoutez à l’adresse son montant et sa référence :',
    'For an order, add its amount and its reference to the address:',
  ])
  return link.amount === null && html`<p class="hint">${text} <code>?amount=12500&amp;ref=CMD-417</code></p>`
}

function paidPanel({ say, at, language, query }: Request, link: OneLink, paid: Page<PaidSession>): Html {
  const title = say(['Qui a payé', 'Who has paid'])
  const path = `/links/${link.link_id}`
  const turn = pages(say, {
    newer: query.has('after') ? at(path) : null,
    older: paid.after === null ? null : at(`${path}?after=${paid.after}`),
  })
  const all = say(['Voir toutes les pages ouvertes par ce lien', 'Show all payment pages opened from this link'])
  const opened = html`<p class="hint gap"><a href="${at(`/sessions?link=${link.link_id}`)}">${all}</a></p>`
  if (paid.rows.length === 0) {
    const none = say(['Personne encore', 'Nobody yet'])
    const soon = say(['Le paiement s’affiche ici tout seul.', 'The payment shows here by itself.'])
    const text = link.status === 'open' ? { title: none, text: soon } : { title: none }
    return html`${panel(title, blank('link', text))}${opened}${turn}`
  }
  const table = list<PaidSession>({
    caption: say(['Paiements par ce lien', 'Payments through this link']),
    size: 'few',
    rows: paid.rows,
    columns: [
      {
        title: say(['Payé', 'Paid']),
        kind: 'k',
        cell: ({ payment_id, paid_at }) =>
          rowLink(at(`/payments/${payment_id}`), writeShortDate(paid_at, language), id(payment_id)),
      },
      { title: say(['Montant, F CFA', 'Amount, F CFA']), kind: 'm', cell: ({ amount }) => moneyCell(amount) },
    ],
  })
  return html`${panel(title, table, { flush: true })}${opened}${turn}`
}

/** The facts of a link, and closing it, which nothing takes back. */
function detailsPanel(request: Request, link: OneLink): Html {
  const { say, at, language, can } = request
  const [shape, word] = linkStatuses[link.status]
  const facts = rows([
    { name: say(['État', 'State']), value: status(shape, say(word)) },
    { name: say(['Montant', 'Amount']), value: amountWords(say, link) },
    {
      name: say(['Sert', 'Use']),
      value: link.reusable ? say(['plusieurs fois', 'several times']) : say(['une fois', 'once']),
    },
    link.reference !== null && { name: say(['Votre référence', 'Your reference']), value: id(link.reference) },
    link.whatsapp !== null && { name: 'WhatsApp', value: figures(`+${link.whatsapp}`) },
    link.expires_at !== null && {
      name: say(['Jusqu’au', 'Until']),
      value: writeDate(new Date(link.expires_at), language),
    },
    { name: say(['Numéro du lien', 'Identifier']), value: id(link.link_id) },
  ])
  const button = html`<button class="stop">${icon('x')}${say(['Fermer le lien', 'Close the link'])}</button>`
  const closed = say([
    'Fermé, il ne peut plus être payé. Rien d’autre ne change.',
    'Once closed it cannot be paid. Nothing else changes.',
  ])
  const closing =
    link.status === 'open' &&
    can('links.close') &&
    html`${form(request, at(`/links/${link.link_id}/close`), button, { class: 'acts' })}<p class="hint gap">${closed}</p>`
  return panel(say(['Détails', 'Details']), html`${facts}${closing}`)
}
