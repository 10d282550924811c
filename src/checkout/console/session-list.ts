import { rowLink } from '../../console/list.ts'
import { amount, moment, plain, state, wordsOf } from '../../console/lists/columns.ts'
import { byId, defineList } from '../../console/lists/define-list.ts'
import { days, ofResource, states } from '../../console/lists/filters.ts'
import type { Say } from '../../console/say.ts'
import { statusWords } from '../../console/words.ts'
import { looksLikeId } from '../../values/ids.ts'
import { findSessionsOf } from '../find-sessions.ts'
import { amountSource } from '../link-address.ts'
import type { ListedSession } from '../session-list-store.ts'

/** The reference of a page, and how its payer came to it. */
function under(say: Say, { reference, link_id }: ListedSession): string {
  const by = link_id === null ? null : say(['par un lien', 'by a link'])
  return [reference, by].filter((text) => text !== null).join(', ')
}

/** The hosted payment pages of a merchant. */
export const sessionList = defineList({
  name: 'sessions',
  path: '/sessions',
  right: 'payments.read',
  title: ['Pages de paiement', 'Payment pages'],
  filters: [
    states('status', {
      label: ['État', 'State'],
      all: ['Toutes', 'All'],
      words: wordsOf(statusWords.link),
      part: (status) => ({ status }),
    }),
    days,
    ofResource('link', {
      reads: (typed) => looksLikeId('lnk', typed),
      chip: ['par un lien', 'by one link'],
      part: (link_id) => ({ link_id }),
    }),
  ],
  filtered: ['Période', 'Period'],
  cursor: byId('starting_after', 'cs'),
  read: findSessionsOf,
  columns: [
    ({ say, at }) => ({
      title: say(['Pour quoi', 'What for']),
      kind: 'k',
      cell: (row) =>
        rowLink(
          at(`/sessions/${row.id}`),
          row.description ?? say(['Page de paiement', 'Payment page']),
          under(say, row),
        ),
    }),
    state(({ status }) => status, statusWords.link),
    plain(['Essais', 'Attempts'], ({ attempts }) => attempts),
    moment(({ created_at }) => created_at),
    amount(['Montant, F CFA', 'Amount, F CFA'], (row) => row.amount),
  ],
  size: 'few',
  none: {
    icon: 'shop',
    title: ['Aucune page de paiement ici', 'No payment page here'],
    text: [
      'Une page est créée quand un client ouvre un de vos liens, ou quand votre site en demande une.',
      'One is created when a payer opens one of your links, or when your site requests one.',
    ],
  },
  file: {
    created_at: (row) => row.created_at,
    id: (row) => row.id,
    status: (row) => row.status,
    amount: (row) => row.amount,
    attempts: (row) => row.attempts,
    description: (row) => row.description,
    link_id: (row) => row.link_id,
    payment_id: (row) => row.payment_id,
    expires_at: (row) => row.expires_at,
    paid_at: (row) => row.paid_at,
    reference: (row) => row.reference,
    amount_source: (row) => amountSource(row),
  },
  worded: { status: wordsOf(statusWords.link) },
})
