import type { Words } from './say.ts'

/** What has just been done, by the word that the address carries after an act (`?done=…`). */
export const doneMessages = {
  saved: ['C’est enregistré.', 'Saved.'],
  approved: ['Approuvé.', 'Approved.'],
  declined: ['Refusé.', 'Declined.'],
  invited: ['L’invitation est prête.', 'The invitation is ready.'],
  confirmed: ['Confirmé.', 'Confirmed.'],
  removed: ['Retiré.', 'Removed.'],
  batch_made: ['Le lot est créé. Rien n’est encore parti.', 'The batch is made. Nothing has left yet.'],
  created: ['Créé.', 'Created.'],
  revoked: ['Révoqué.', 'Revoked.'],
  closed: ['Fermé.', 'Closed.'],
  launched: ['L’envoi est lancé.', 'Sending has begun.'],
  sent: ['Envoyé.', 'Sent.'],
  replayed: ['C’est reparti.', 'Sent again.'],
  stopped: ['Arrêté.', 'Stopped.'],
  taken: ['L’affaire est à vous.', 'The case is yours.'],
  given_back: ['L’affaire n’est plus à personne.', 'The case is nobody’s again.'],
  operator_asked: [
    'L’opérateur est interrogé. Sa réponse s’ajoute aux preuves dans un instant.',
    'The operator is being asked. Its answer joins the evidence in a moment.',
  ],
  opened: [
    'L’anomalie est ouverte. Proposez maintenant ce qu’il faut faire.',
    'The mismatch is open. Now propose what to do.',
  ],
  proposed: ['Proposé. Une deuxième personne décide.', 'Proposed. A second person decides.'],
  resolved: ['Confirmé. L’affaire est finie.', 'Confirmed. The case is closed.'],
  disputed: [
    'Contesté. L’affaire reste ouverte pour une autre proposition.',
    'Disputed. The case stays open for another proposal.',
  ],
  added: ['Ajouté au carnet.', 'Added to the book.'],
  in_book: [
    'Ce numéro est déjà au carnet : rien n’est changé.',
    'This number is in the book already: nothing is changed.',
  ],
  archived: ['Archivé. Plus aucun nouvel envoi n’y part.', 'Archived. No new payout goes there.'],
  settlement_asked: ['Demandé. Notre équipe valide, puis verse.', 'Asked for. Our team validates, then pays.'],
  settlement_validated: ['Validé. Une autre personne paie.', 'Validated. Another person pays.'],
  settlement_paid: ['Payé. Le marchand le sait.', 'Paid. The merchant has been told.'],
  settlement_rejected: ['Rejeté. L’argent est revenu au marchand.', 'Rejected. The money is back with the merchant.'],
  resumed: ['Rouvert : les envois qui attendaient partent.', 'Resumed: the payouts that waited are sent.'],
  given_up: ['Abandonné : l’argent est revenu au marchand.', 'Given up: the money is back with the merchant.'],
  paid_back: ['Rendu. Le marchand le sait.', 'Given back. The merchant has been told.'],
  asked: ['Demandé. Une deuxième personne doit encore confirmer.', 'Asked. A second person still has to confirm.'],
} as const satisfies Record<string, Words>
