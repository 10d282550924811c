import type { SoloOutcome, SoloRefusal } from '../values/solo-approval.ts'
import type { Say, Words } from './say.ts'

// The words for approvals by one person, in mails, in the console and on the desk. Each is the end of a sentence.

/** The end of an approval by one person. */
const outcomes: Readonly<Record<SoloOutcome, Words>> = {
  carried_out: ['il a pris effet', 'it took effect'],
  stopped: ['une personne l’a arrêté', 'a person stopped it'],
  decided: ['une autre personne a approuvé', 'another person approved'],
  rejected: ['une autre personne a refusé', 'another person declined'],
  expired: ['la demande a expiré', 'the request expired'],
  cancelled: ['le lot a été annulé', 'the batch was cancelled'],
  revoked: ['la clé a été révoquée', 'the key was revoked'],
  refused: ['il ne pouvait plus être exécuté', 'it could not be carried out any more'],
  leave_ended: [
    'l’équipe du service ne laisse plus décider seul',
    'the team of the service no longer lets one person decide',
  ],
  not_alone: ['une deuxième personne peut approuver maintenant', 'a second person may approve now'],
  right_lost: [
    'la personne n’a plus ce droit, ou est revenue avec de nouveaux moyens d’entrer',
    'the person has this right no more, or came back with new ways to sign in',
  ],
}

/** The reason why an approval was not carried out on its day. */
export const aloneRefusals: Readonly<Record<SoloRefusal, Words>> = {
  insufficient_funds: ['le solde d’envoi ne suffit pas', 'the payout balance is too low'],
  merchant_inactive: ['le compte du marchand est suspendu', 'the merchant’s account is suspended'],
  unchecked: ['le dossier du marchand n’est pas encore vérifié', 'the merchant’s file is not checked yet'],
  beneficiary_archived: ['le bénéficiaire n’est plus au carnet', 'the recipient is no longer in the address book'],
}

/** Writes the end of an approval, with the reason if it was not carried out. */
export function writeAloneEnd(say: Say, outcome: SoloOutcome, refusal: SoloRefusal | null): string {
  const how = say(outcomes[outcome])
  const wasHeld = refusal !== null && (outcome === 'refused' || outcome === 'expired')
  return wasHeld ? `${how} (${say(aloneRefusals[refusal])})` : how
}
