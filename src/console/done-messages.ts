import type { Html } from '../platform/http/html.ts'
import { stopRefusals } from '../values/solo-approval.ts'
import { toast } from './components.ts'
import { type Say, sayWords, type Words } from './say.ts'

/** The message after an act, by the value of `?done=…` in the address. */
const doneMessages = {
  saved: ['C’est enregistré.', 'Saved.'],
  key_waits: [
    'C’est enregistré. La clé sert de plus d’adresses : une deuxième personne la confirme de nouveau.',
    'Saved. The key may be used from more addresses: a second person confirms it anew.',
  ],
  approved: ['Approuvé.', 'Approved.'],
  approved_alone: ['Accord donné. Il prend effet dans 24 heures.', 'Approval given. It takes effect in 24 hours.'],
  declined: ['Refusé.', 'Declined.'],
  batch_waits: ['Le lot attend l’accord d’une autre personne.', 'The batch waits for another person.'],
  erased: ['Le fichier est effacé.', 'The file is erased.'],
  withdrawn: ['Retiré.', 'Withdrawn.'],
  invited: ['L’invitation est prête.', 'The invitation is ready.'],
  confirmed: ['Confirmé.', 'Confirmed.'],
  connector_set: [
    'Les réglages valent dans une seconde. Vérifiez-les maintenant.',
    'The settings are in force within a second. Check them now.',
  ],
  removed: ['Retiré.', 'Removed.'],
  command_line_agreed: ['Accepté. La ligne de commande continue.', 'Approved. The command line continues.'],
  command_line_refused: [
    'Refusé. La commande s’arrête sans rien faire. Si elle n’était pas de vous, fermez les sessions que vous ne reconnaissez pas.',
    'Refused. The command stops without doing anything. If it was not yours, end the sessions that you do not recognize.',
  ],
  batch_made: ['Le lot est créé. Rien n’est encore parti.', 'The batch is made. Nothing has left yet.'],
  draft_beside: [
    'Le fichier est lu. Quelqu’un avait changé l’ancien brouillon : il reste à côté.',
    'The file is read. Somebody had changed the old draft: it stays beside it.',
  ],
  created: ['Créé.', 'Created.'],
  till_ready: ['Le code est prêt : affichez-le ou imprimez-le.', 'The code is ready: show it or print it.'],
  phone_invited: [
    'Le téléphone est prêt à relier : montrez-lui le code.',
    'The phone is ready to pair: show it the code.',
  ],
  cashier_placed: ['La personne est à cette caisse.', 'The person is at this till.'],
  cashier_off: ['La personne n’est plus à cette caisse.', 'The person is off this till.'],
  phone_ended: ['Le téléphone est arrêté.', 'The phone is ended.'],
  revoked: ['Révoqué.', 'Revoked.'],
  closed: ['Fermé.', 'Closed.'],
  batch_cancelled: ['Le lot est annulé. Rien n’est parti.', 'The batch is cancelled. Nothing has left.'],
  launched: ['L’envoi est lancé.', 'Sending has begun.'],
  sent: ['Envoyé.', 'Sent.'],
  replayed: ['C’est reparti.', 'Sent again.'],
  ...stopRefusals,
  stopped: ['Arrêté.', 'Stopped.'],
  taken: ['L’affaire est à vous.', 'The case is yours.'],
  given_back: ['L’affaire n’est plus à personne.', 'The case is assigned to nobody again.'],
  operator_asked: [
    'L’opérateur est interrogé. Sa réponse s’ajoute aux preuves dans un instant.',
    'The operator is being asked. Its answer joins the evidence in a moment.',
  ],
  opened: [
    'L’anomalie est ouverte. Proposez maintenant ce qu’il faut faire.',
    'The mismatch is open. Now propose what to do.',
  ],
  own_chosen: [
    'C’est choisi. Ce numéro sert après le délai, et vous êtes prévenu par mail.',
    'Chosen. This number can be used after the delay, and you are told by mail.',
  ],
  called: ['L’appel est noté : une autre personne confirme.', 'The call is noted: another person confirms.'],
  company_calls: [
    'Proposé : l’équipe du service vous rappelle pour confirmer.',
    'Proposed: the team of the service calls you back to confirm.',
  ],
  proposed: ['Proposé. Une deuxième personne décide.', 'Proposed. A second person decides.'],
  resolved: ['Confirmé. L’affaire est finie.', 'Confirmed. The case is closed.'],
  disputed: [
    'Contesté. L’affaire reste ouverte pour une autre proposition.',
    'Disputed. The case stays open for another proposal.',
  ],
  added: ['Ajouté au carnet.', 'Added to the address book.'],
  in_book: [
    'Ce numéro est déjà au carnet : rien n’est changé.',
    'This number is in the address book already: nothing is changed.',
  ],
  archived: ['Archivé. Plus aucun nouvel envoi n’y part.', 'Archived. No new payout goes there.'],
  refund_wanted: [
    'Demandé : le service vérifie, et sa réponse se lit ici.',
    'Asked for: the service checks it, and its answer shows here.',
  ],
  settlement_asked: ['Demandé. Notre équipe valide, puis verse.', 'Requested. Our team validates it, then pays.'],
  schedule_set: [
    'C’est enregistré : le retrait se demande tout seul.',
    'Saved: the withdrawal is requested by itself.',
  ],
  schedule_off: ['C’est arrêté : vous demandez vous-même.', 'Stopped: you ask yourself.'],
  settlement_validated: ['Validé. Une autre personne paie.', 'Validated. Another person pays.'],
  settlement_paid: ['Payé. Le marchand le sait.', 'Paid. The merchant has been notified.'],
  settlement_rejected: ['Rejeté. L’argent est revenu au marchand.', 'Rejected. The money is back with the merchant.'],
  resumed: ['Rouvert : les envois qui attendaient partent.', 'Resumed: the payouts that waited are sent.'],
  given_up: ['Abandonné : l’argent est revenu au marchand.', 'Given up: the money is back with the merchant.'],
  refund_asked: [
    'Le remboursement est demandé. Sa page dit où il en est.',
    'The refund is requested. Its page shows its status.',
  ],
  paid_back: ['Rendu. Le marchand le sait.', 'Refunded. The merchant has been notified.'],
  deposited: ['Le dépôt est inscrit.', 'The deposit is booked.'],
  looking: ['Vous pouvez lire sa console.', 'You can read its console.'],
  look_ended: ['La lecture est finie.', 'The visit has ended.'],
  asked_team: [
    'Demandé. L’équipe du service confirme ou dit pourquoi non.',
    'Requested. The team of the service confirms it, or says why not.',
  ],
  asked: ['Demandé. Une deuxième personne doit encore confirmer.', 'Requested. A second person still has to confirm.'],
} as const satisfies Record<string, Words>

/** The messages of acts that came too late and did nothing. They are no successes. */
const nothingDone: ReadonlySet<string> = new Set(Object.keys(stopRefusals))

/** The message that an address names in `done`. Null when it names none, as `constructor`, which every object has. */
export function doneToast(word: string, say: Say): Html | null {
  if (!Object.hasOwn(doneMessages, word)) return null
  const words: Words = doneMessages[word as keyof typeof doneMessages]
  return toast(sayWords(say, words), nothingDone.has(word) ? 'care' : '', say)
}
