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
    subject: ['la somme du jour', 'the sum of the day'],
    text: [
      '{place} : {amount} encaissés le {day} jusqu’à {at}. Nombre de paiements : {count}.',
      '{place}: {amount} taken on {day} until {at}. Number of payments: {count}.',
    ],
    page: () => '/payments',
  },
} as const satisfies Record<string, MailWords>
