import type { Words } from './say.ts'

/** What has just been done, by the word that the address carries after an act (`?done=…`). */
export const doneMessages = {
  saved: ['C’est enregistré.', 'Saved.'],
  approved: ['Approuvé.', 'Approved.'],
  declined: ['Refusé.', 'Declined.'],
  invited: ['L’invitation est prête.', 'The invitation is ready.'],
  confirmed: ['Confirmé.', 'Confirmed.'],
  removed: ['Retiré.', 'Removed.'],
  created: ['Créé.', 'Created.'],
  revoked: ['Révoqué.', 'Revoked.'],
  stopped: ['Arrêté.', 'Stopped.'],
  asked: ['Demandé. Une deuxième personne doit encore confirmer.', 'Asked. A second person still has to confirm.'],
} as const satisfies Record<string, Words>
