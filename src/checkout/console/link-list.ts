import { rowLink } from '../../console/list.ts'
import { amount, plain, type StateWords, state, wordsOf } from '../../console/lists/columns.ts'
import { byId, defineList } from '../../console/lists/define-list.ts'
import { choice, days, text } from '../../console/lists/filters.ts'
import type { Say } from '../../console/say.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Addresses } from '../addresses.ts'
import { type ShownLink, showLinks } from '../find-links.ts'
import type { LinkSituation } from '../link.ts'

/** The shape and the word of each status of a link. */
export const linkStatuses: StateWords<LinkSituation> = {
  open: ['ok', ['Ouvert', 'Open']],
  busy: ['going', ['Un paiement est en cours', 'A payment is under way']],
  paid: ['ok', ['Payé', 'Paid']],
  closed: ['off', ['Fermé', 'Closed']],
  expired: ['off', ['Expiré', 'Expired']],
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

/** The payment links of a merchant, with the sums that each brought. Its page has the form of a new link too (`link-views.ts`). */
export const linkList = defineList({
  name: 'links',
  path: '/links',
  right: 'payments.read',
  title: ['Liens de paiement', 'Payment links'],
  filters: [
    choice('status', {
      label: ['État', 'State'],
      all: ['Tous', 'All'],
      words: wordsOf(linkStatuses),
      part: (situation) => ({ situation }),
    }),
    text('text', {
      label: ['Texte ou numéro du lien', 'Text or identifier'],
      option: { says: 'only those with this part of a description, or this id' },
      part: (typed) => ({ text: typed }),
    }),
    days,
  ],
  filtered: ['État, texte, période', 'State, text, period'],
  cursor: byId('after', 'lnk'),
  read: (db, tenant, wanted, page, { links }: { readonly links: { readonly addresses: Addresses } }) =>
    showLinks({ sql: db, addresses: links.addresses }, tenant, wanted, page),
  columns: [
    ({ say, at }) => ({
      title: say(['Lien', 'Link']),
      kind: 'k',
      cell(link) {
        const often = link.reusable ? say([', réutilisable', ', reusable']) : say([', une fois', ', once'])
        const name = link.description ?? say(['Sans description', 'No description'])
        return rowLink(at(`/links/${link.link_id}`), name, `${amountWords(say, link)}${often}`)
      },
    }),
    state(({ status }) => status, linkStatuses),
    plain(['Payés', 'Paid'], ({ paid_count }) => paid_count),
    amount(['Reçu, F CFA', 'Received, F CFA'], ({ paid_amount }) => paid_amount),
  ],
  size: 'few',
  none: {
    icon: 'link',
    title: ['Aucun lien ici', 'No link here'],
    text: [
      'Un lien se partage dans un message ou s’imprime en affiche.',
      'A link is shared in a message or printed as a poster.',
    ],
  },
  file: {
    created_at: (row) => row.created_at,
    id: (row) => row.link_id,
    status: (row) => row.status,
    description: (row) => row.description,
    amount: (row) => row.amount,
    min_amount: (row) => row.min_amount,
    max_amount: (row) => row.max_amount,
    reusable: (row) => String(row.reusable),
    expires_at: (row) => row.expires_at,
    paid_count: (row) => row.paid_count,
    paid_amount: (row) => row.paid_amount,
    url: (row) => row.url,
    reference: (row) => row.reference,
  },
  worded: { status: wordsOf(linkStatuses), reusable: { true: ['oui', 'yes'], false: ['non', 'no'] } },
})
