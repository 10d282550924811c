import type { StatusShape } from '../../console/components.ts'
import { linkButton } from '../../console/components.ts'
import type { ListPage } from '../../console/lists/define-list.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import type { ListedOperation, OperationKind } from '../../listings/listed-operation.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { listScreens } from '../lists/list-screens.ts'
import { readStopsFor, stopNotes } from '../stop-note.ts'
import { drawSum, readSum } from './list-sum.ts'
import { batchList, paymentList, payoutList, refundList } from './operation-lists.ts'
import { openShapes } from './operation-page.ts'

type Request = ScreenRequest<'console'>

/** Whether one of these operations has not ended. */
function isUnderWay(kind: 'payout' | 'batch' | 'refund', rows: readonly Pick<ListedOperation, 'status'>[]): boolean {
  const words: Readonly<Record<string, readonly [StatusShape, unknown]>> = statusWords[kind]
  return rows.some(({ status }) => openShapes.has(words[status]?.[0] ?? 'off'))
}

/** The sum of a list of operations over its period. */
function sumOfList(kind: OperationKind): NonNullable<ListPage<ListedOperation>['sum']> {
  return async (request, db, read, today) => {
    const sum = await readSum(db, request.tenant, kind, read, today)
    return sum === null ? null : { drawn: drawSum(request, kind, read.chosen, sum, today), facts: sum }
  }
}

/** The ways from the list of payouts to the batches and to the balance. */
function payoutLead({ say, at }: Request): Html {
  const batches = html`<a href="${at('/batches')}">${say(['Voir les lots', 'See the batches'])}</a>`
  const money = html`<a href="${at('/fill')}">${say(['Argent pour vos envois', 'Money for payouts'])}</a>`
  return html`${batches} · ${money}`
}

function payoutActs({ say, at, can }: Request): Html | false {
  if (!can('payouts.make')) return false
  const one = linkButton(at('/send'), say(['Envoyer de l’argent', 'Send money']))
  const several = linkButton(at('/batches/new'), say(['À plusieurs (fichier)', 'To several (file)']), 'second')
  return html`${one}${several}`
}

/** The lists of a merchant's operations. Settlements have their own folder, because people also request them there (`settlements/`). */
export const listConsoleScreens = [
  ...listScreens(paymentList, {
    summary: 'Payments of a merchant, newest first',
    sum: sumOfList('payment'),
    menu: {
      group: 'received',
      icon: 'in',
      words: ['Paiements', 'Payments'],
      dock: ['Paiements', 'Payments'],
    },
    // The newest page gets each new payment; an older one does not change by itself.
    moves: ({ query }) => !query.has('after') && !query.has('starting_after') && 'open',
    lead: ({ say, at }) => html`<a href="${at('/refunds')}">${say(['Voir les remboursements', 'See the refunds'])}</a>`,
  }),
  ...listScreens(refundList, {
    summary: 'Refunds of a merchant, newest first',
    sum: sumOfList('refund'),
    moves: (_, rows) => isUnderWay('refund', rows),
    lead: ({ say, at }) => html`<a href="${at('/payments')}">${say(['Voir les paiements', 'See the payments'])}</a>`,
  }),
  ...listScreens(payoutList, {
    summary: 'Payouts of a merchant, newest first',
    sum: sumOfList('payout'),
    note: async (request, db) => stopNotes(request, await readStopsFor(db, request.tenant)),
    menu: {
      group: 'sent',
      icon: 'out',
      words: ['Envois et lots', 'Payouts and batches'],
      dock: ['Envois', 'Payouts'],
    },
    moves: (_, rows) => isUnderWay('payout', rows),
    lead: payoutLead,
    acts: payoutActs,
  }),
  ...listScreens(batchList, {
    summary: 'Batches of a merchant, newest first',
    moves: (_, rows) => isUnderWay('batch', rows),
    lead: ({ say, at }) => html`<a href="${at('/payouts')}">${say(['Voir les envois', 'See the payouts'])}</a>`,
    acts: ({ say, at, can }) =>
      can('payouts.make') &&
      linkButton(at('/batches/new'), say(['Nouveau lot depuis un fichier', 'New batch from a file']), ''),
  }),
]
