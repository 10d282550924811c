import type { MailWords } from './stopped-mail.ts'

/** The mails about received payments. Only people who asked for them get them, since they have an amount. */
export const paymentMails = {
  payment_received: {
    subject: ['un paiement est arrivé', 'a payment has arrived'],
    text: ['{place} : +{amount} à {at}.', '{place}: +{amount} at {at}.'],
    page: (id) => `/payments/${id}`,
  },
  payments_received: {
    subject: ['des paiements sont arrivés', 'payments have arrived'],
    text: ['{place} : {count} paiements, +{amount}.', '{place}: {count} payments, +{amount}.'],
    page: () => '/payments',
  },
  day_taken: {
    subject: ['encaissé aujourd’hui', 'taken today'],
    text: [
      '{place} : {amount} encaissés aujourd’hui jusqu’à 20:00. Nombre de paiements : {count}.',
      '{place}: {amount} taken today until 20:00. Number of payments: {count}.',
    ],
    page: () => '/payments',
  },
} as const satisfies Record<string, MailWords>
