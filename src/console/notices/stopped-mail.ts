import type { Words } from '../say.ts'

/**
 * The subject of a mail, its sentence, and the page of its link below the merchant's, or below the desk for the staff. Null: the person's own
 * account. `offers`: the page of offers, which every person has.
 */
export type MailWords = {
  readonly subject: Words
  readonly text: Words
  readonly page: ((subject: string) => string) | 'offers' | null
}

/** The mail about a stop of payouts by the company. It names no person and no reason, as the note on the screens. */
export const stoppedMail: MailWords = {
  subject: ['des envois sont arrêtés', 'payouts are stopped'],
  text: [
    'Le service a arrêté des envois de {place}, le temps de vérifier. Rien n’est perdu : ceux qui attendent partent à la reprise. Ne refaites rien.',
    'The service has stopped payouts of {place} while it checks. Nothing is lost: those that wait leave when it resumes. Send nothing again.',
  ],
  page: () => '/payouts',
}
