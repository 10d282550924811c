import type { MailWords } from './stopped-mail.ts'

/** A telephone is paired with a till. */
export const phonePairedMail: MailWords = {
  subject: ['un téléphone est relié à une caisse', 'a phone was paired with a till'],
  text: [
    'Un autre téléphone voit maintenant les paiements d’une caisse de {place}. Si vous n’étiez pas au courant, arrêtez-le sur cette page.',
    'Another phone now sees the payments of a till of {place}. If you did not expect it, end it on this page.',
  ],
  page: (id) => `/links/${id}`,
}
