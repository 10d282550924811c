import { linkButton } from '../../console/components.ts'
import { html } from '../../platform/http/html.ts'
import { listScreens } from '../lists/list-screens.ts'
import { readStopsFor, stopNotes } from '../stop-note.ts'
import { batchList, paymentList, payoutList, refundList } from './operation-lists.ts'

/** The lists of a merchant's operations. Settlements have their own folder, because people also request them there (`settlements/`). */
export const listConsoleScreens = [
  ...listScreens(paymentList, {
    summary: 'Payments of a merchant, newest first',
    menu: {
      group: 'received',
      icon: 'in',
      words: ['Paiements', 'Payments'],
      dock: ['Paiements', 'Payments'],
    },
    lead: ({ say, at }) => html`<a href="${at('/refunds')}">${say(['Voir les remboursements', 'See the refunds'])}</a>`,
  }),
  ...listScreens(refundList, {
    summary: 'Refunds of a merchant, newest first',
    lead: ({ say, at }) => html`<a href="${at('/payments')}">${say(['Voir les paiements', 'See the payments'])}</a>`,
  }),
  ...listScreens(payoutList, {
    summary: 'Payouts of a merchant, newest first',
    note: async (request, db) => stopNotes(request, await readStopsFor(db, request.tenant)),
    menu: {
      group: 'sent',
      icon: 'out',
      words: ['Envois et lots', 'Payouts and batches'],
      dock: ['Envois', 'Payouts'],
    },
    lead: ({ say, at }) =>
      html`<a href="${at('/batches')}">${say(['Voir les lots', 'See the batches'])}</a> · <a href="${at('/fill')}">${say(['Argent pour vos envois', 'Money for payouts'])}</a>`,
    acts: ({ say, at, can }) =>
      can('payouts.make') &&
      html`${linkButton(at('/send'), say(['Envoyer de l’argent', 'Send money']))}${linkButton(at('/batches/new'), say(['À plusieurs (fichier)', 'To several (file)']), 'second')}`,
  }),
  ...listScreens(batchList, {
    summary: 'Batches of a merchant, newest first',
    lead: ({ say, at }) => html`<a href="${at('/payouts')}">${say(['Voir les envois', 'See the payouts'])}</a>`,
    acts: ({ say, at, can }) =>
      can('payouts.make') &&
      linkButton(at('/batches/new'), say(['Nouveau lot depuis un fichier', 'New batch from a file']), ''),
  }),
]
