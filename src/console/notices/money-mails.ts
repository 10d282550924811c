import type { MailWords } from './stopped-mail.ts'

/** The mails to the staff about money at operators that our books do not know. */
export const moneyMails = {
  moved_after_refusal: {
    subject: ['de l’argent a bougé après un refus', 'money moved after a refusal'],
    text: [
      'Un opérateur avait refusé un ordre, et dit maintenant que l’argent a bougé. Nos livres n’en savent rien : deux personnes décident. Ne refaites rien avant.',
      'An operator had refused an order, and now says that the money moved. Our books do not know of it: two people decide. Send nothing again before.',
    ],
    page: (id) => `/cases/${id}`,
  },
  statement_missing: {
    subject: ['un relevé manque', 'a statement is missing'],
    text: [
      'L’opérateur n’a pas donné le relevé d’un jour, ou personne ne peut le lire. Importez son fichier avec bandama reconcile import.',
      'The operator did not give the statement of a day, or nobody can read it. Import its file with bandama reconcile import.',
    ],
    page: () => '/',
  },
} as const satisfies Record<string, MailWords>
