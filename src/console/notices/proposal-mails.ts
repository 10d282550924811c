import type { MailWords } from './stopped-mail.ts'

/** The mails about what waits for a second person, and about a proposal on which nobody decided in time. */
export const proposalMails = {
  request_waits: {
    subject: ['un envoi attend votre accord', 'a payout waits for your approval'],
    text: [
      'Chez {place}, un envoi dépasse un plafond et attend votre accord. Rien n’est parti.',
      'At {place}, a payout exceeds a cap and waits for your approval. Nothing has left.',
    ],
    page: (id) => `/approvals/${id}`,
  },
  batch_waits: {
    subject: ['un lot attend votre accord', 'a batch waits for your approval'],
    text: [
      'Chez {place}, un lot d’envois dépasse un plafond et attend votre accord. Rien n’est parti.',
      'At {place}, a batch of payouts exceeds a cap and waits for your approval. Nothing has left.',
    ],
    page: (id) => `/approvals/${id}`,
  },
  key_waits: {
    subject: ['une clé attend votre accord', 'a key waits for your approval'],
    text: [
      'Chez {place}, une clé laissera un programme envoyer de l’argent. Elle ne sert pas avant l’accord d’une deuxième personne. Si vous n’étiez pas au courant, révoquez-la.',
      'At {place}, a key will let a program send money. It works once a second person agrees. If you did not expect it, revoke it.',
    ],
    page: () => '/keys',
  },
  proposal_lapsed: {
    subject: ['votre proposition s’est éteinte', 'your proposal has lapsed'],
    text: [
      '{act} : personne n’a décidé en {days} jours, et rien n’est fait. Si c’est encore utile, proposez de nouveau.',
      '{act}: nobody decided within {days} days, and nothing is done. If it is still needed, propose it again.',
    ],
    // Of a merchant's person: the first page of the console.
    page: (id) => (id === '' ? '' : `/search?q=${id}`),
  },
} as const satisfies Record<string, MailWords>
