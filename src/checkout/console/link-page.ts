import {
  backLink,
  blank,
  id,
  linkButton,
  pageHead,
  panel,
  rows,
  status,
  toast,
  toCopy,
} from '../../console/components.ts'
import { form } from '../../console/forms.ts'
import { list, moneyCell, pages, rowLink } from '../../console/list.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { html } from '../../platform/http/html.ts'
import { writeDate, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Page } from '../../values/page.ts'
import type { ShownLink } from '../find-links.ts'
import type { PaidSession } from '../link-store.ts'
import { amountWords, linkStatuses } from './link-list.ts'

type OneLink = Omit<ShownLink, 'paid_count' | 'paid_amount'>

/**
 * One link: how to share it, and its payers, the newest first; each row leads to its payment.
 * @param refused the reason why an act was refused
 */
export function linkView(
  request: ScreenRequest<'console'>,
  { link, paid, refused }: { link: OneLink; paid: Page<PaidSession>; refused?: string },
): ScreenView {
  const { say, at, language, query, can } = request
  const title = link.description ?? say(['Lien de paiement', 'Payment link'])
  const [shape, word] = linkStatuses[link.status]
  const facts = rows([
    { name: say(['État', 'State']), value: status(shape, say(word)) },
    { name: say(['Montant', 'Amount']), value: amountWords(say, link) },
    {
      name: say(['Combien de fois', 'Use']),
      value: link.reusable ? say(['réutilisable', 'reusable']) : say(['une fois', 'once']),
    },
    link.expires_at !== null && {
      name: say(['Jusqu’au', 'Until']),
      value: writeDate(new Date(link.expires_at), language),
    },
    { name: say(['Numéro du lien', 'Identifier']), value: id(link.link_id) },
  ])
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
  const none = blank('link', {
    title: say(['Personne n’a encore payé par ce lien', 'Nobody has paid through this link yet']),
  })
  const path = `/links/${link.link_id}`
  const turn = pages(say, {
    newer: query.has('after') ? at(path) : null,
    older: paid.after === null ? null : at(`${path}?after=${paid.after}`),
  })
  const all = say(['Voir toutes les pages ouvertes par ce lien', 'Show all payment pages opened from this link'])
  const opened = html`<a href="${at(`/sessions?link=${link.link_id}`)}">${all}</a>`
  const open = link.status === 'open'
  const close = html`<button class="stop small">${say(['Fermer le lien', 'Close the link'])}</button>`
  const closing = open && can('links.manage') && form(request, at(`${path}/close`), close, { class: '' })
  const acts = html`${linkButton(link.url, say(['Ouvrir la page', 'Open the page']), 'second')}${closing}`
  const poster = linkButton(`${link.url}/poster`, say(['Affiche à imprimer', 'Poster to print']), 'second')
  const copy = toCopy(link.url, { say, words: say(['Copier le lien', 'Copy the link']), beside: poster })
  const share = open && panel(say(['À partager', 'Share it']), html`<div class="stack">${copy}</div>`)
  const paidPanel = panel(say(['Payés', 'Paid']), paid.rows.length === 0 ? none : table, {
    flush: paid.rows.length > 0,
  })
  const back = backLink(at('/links'), say(['Liens de paiement', 'Payment links']))
  const main = html`${refused !== undefined && toast(refused, 'bad', say)}${back}${pageHead({ title, lead: opened, acts })}
<div class="two"><div class="stack">${share}${paidPanel}${turn}</div>${panel(say(['Les faits', 'Details']), facts)}</div>`
  const answered = refused === undefined ? 200 : 409
  return { kind: 'view', status: answered, title, main, facts: { link, paid: paid.rows, after: paid.after } }
}
