import type { Resolution } from '../../anomalies/anomaly.ts'
import type { DecideResolutionResult } from '../../anomalies/decide-resolution.ts'
import type { OpenAnomalyResult } from '../../anomalies/open-anomaly.ts'
import type { ProposeResult } from '../../anomalies/propose-resolution.ts'
import type { Words } from '../../console/say.ts'

type Code<Result> = Extract<Result, { kind: 'refused' }> extends { code: infer Name } ? Name & string : never

/** The effect of each resolution, in words for the two people. */
export const resolutionWords: Readonly<Record<Resolution, Words>> = {
  as_proven: ['L’opération a réussi : l’opérateur a bougé l’argent', 'It succeeded: the operator moved the money'],
  as_refused: ['L’opération a échoué : rien n’a bougé', 'It failed: nothing moved'],
  credit_available: ['Devoir davantage au marchand', 'Owe the merchant more'],
  debit_available: ['Devoir moins au marchand', 'Owe the merchant less'],
  returned_by_hand: ['L’opérateur a rendu l’argent au payeur', 'The operator gave the payer the money back'],
  nothing: ['Ne rien faire et clore', 'Do nothing and close'],
}

/** The loss if a resolution is wrong. */
export const riskWords: Readonly<Record<Resolution, Words>> = {
  as_proven: [
    'Si c’est faux, le marchand est crédité d’un argent qui n’est pas venu, ou un envoi manque à son destinataire.',
    'If it is wrong, the merchant is credited money that never came, or a payout never reaches its recipient.',
  ],
  as_refused: [
    'Si c’est faux, l’argent a bougé deux fois dès que le marchand recommence.',
    'If it is wrong, the money moves twice as soon as the merchant tries again.',
  ],
  credit_available: ['Si c’est faux, nous perdons cette somme.', 'If it is wrong, we lose this sum.'],
  debit_available: ['Si c’est faux, le marchand perd cette somme.', 'If it is wrong, the merchant loses this sum.'],
  returned_by_hand: [
    'Si c’est faux, le payeur n’a pas son argent et le marchand non plus.',
    'If it is wrong, neither the payer nor the merchant has the money.',
  ],
  nothing: [
    'Si c’est faux, ce qui ne va pas n’est plus devant personne.',
    'If it is wrong, nobody looks at the mismatch any longer.',
  ],
}

const GONE: Words = ['Il n’y a rien à cette adresse.', 'There is nothing at this address.']
const NOT_A_PERSON: Words = ['Il faut une personne.', 'A person has to do it.']

export const whyNotOpened: Readonly<Record<Code<OpenAnomalyResult>, Words>> = {
  not_a_person: NOT_A_PERSON,
  resource_not_found: GONE,
  not_open: [
    'Ce n’est plus en doute : c’est fini, ou jamais parti.',
    'This is no longer in doubt: it has ended, or never left.',
  ],
  too_early: [
    'L’opérateur peut encore répondre. Attendez la fin du délai : quinze minutes après l’envoi.',
    'The operator may still answer. Wait until its time is over: fifteen minutes after the send.',
  ],
  opened_before: ['Une anomalie est déjà ouverte à ce sujet.', 'A mismatch about this is open already.'],
}

export const whyNotProposed: Readonly<Record<Exclude<Code<ProposeResult>, 'too_early'>, Words>> = {
  not_a_person: NOT_A_PERSON,
  resource_not_found: GONE,
  already_closed: ['Cette affaire est finie.', 'This case is closed.'],
  already_proposed: ['Une proposition attend déjà d’être décidée.', 'A proposal already waits to be decided.'],
  unknown_merchant: ['Aucun marchand n’a ce numéro.', 'No merchant has this number.'],
  does_not_fit: [
    'Cela ne convient plus : l’opération a changé entre-temps. Choisissez de nouveau.',
    'This does not fit any more: the operation has changed meanwhile. Choose again.',
  ],
  amount_needed: ['Écrivez combien de francs.', 'Write how many francs.'],
  amount_not_taken: ['Ce choix ne prend pas de montant. Effacez-le.', 'This choice takes no amount. Erase it.'],
  merchant_needed: ['Écrivez le numéro du marchand à créditer.', 'Write the number of the merchant to credit.'],
  merchant_not_taken: [
    'Ce choix ne prend pas de marchand : l’affaire a déjà le sien.',
    'This choice takes no merchant: the case already has its own.',
  ],
}

export const tooEarly = [
  'Envoyé il y a moins de {minutes} minutes : cela peut encore arriver. Proposez l’échec après.',
  'Sent less than {minutes} minutes ago: it may still arrive. Propose the failure after that.',
] as const satisfies Words

export const whyNotDecided: Readonly<Record<Code<DecideResolutionResult>, Words>> = {
  resource_not_found: GONE,
  not_proposed: [
    'Cette proposition n’attend plus : une autre personne a décidé.',
    'This proposal waits no longer: another person decided.',
  ],
  same_person: [
    'Vous avez proposé, ou vous avez fait entrer qui l’a fait depuis moins de 90 jours : une autre personne confirme.',
    'You proposed it, or let in within 90 days the person who did: another person confirms.',
  ],
  does_not_fit: [
    'La proposition ne convient plus : l’opération a fini autrement depuis, ou est repartie. Contestez-la, et proposez de nouveau.',
    'The proposal no longer fits: the operation has ended otherwise since, or left again. Dispute it, and propose anew.',
  ],
  insufficient_funds: [
    'Le solde disponible du marchand ne couvre pas encore cette somme. La proposition attend.',
    'The merchant’s available balance does not cover this sum yet. The proposal waits.',
  ],
}
