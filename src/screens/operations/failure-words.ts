import type { Say, Words } from '../../console/say.ts'
import { type FailureCode, failureMessages } from '../../values/failure-codes.ts'

/** The reason of a failure, in words for merchants. */
export const failureWords: Readonly<Record<FailureCode, Words>> = {
  payer_insufficient_funds: ['Le client n’a pas assez d’argent.', 'The payer does not have enough money.'],
  payer_declined: ['Le client a refusé.', 'The payer declined.'],
  payer_timeout: ['Le client n’a pas accepté à temps.', 'The payer did not approve in time.'],
  payer_not_found: ['Ce numéro n’a pas de compte chez l’opérateur.', 'This number has no wallet with the operator.'],
  payer_limit_reached: [
    'Le client a atteint un plafond de son compte.',
    'The payer has reached a limit of the wallet.',
  ],
  payer_account_blocked: ['Le compte du client est bloqué.', 'The payer’s wallet is blocked.'],
  payer_wrong_code: ['Le client a tapé un mauvais code.', 'The payer typed a wrong code.'],
  payment_in_progress: ['Un autre paiement attend ce client.', 'Another payment is waiting for this payer.'],
  recipient_not_found: [
    'Ce numéro n’a pas de compte chez l’opérateur.',
    'This number has no wallet with the operator.',
  ],
  recipient_limit_reached: [
    'Cette personne a atteint un plafond de son compte.',
    'The recipient has reached a limit of the wallet.',
  ],
  recipient_account_blocked: [
    'Le compte de cette personne ne peut pas recevoir.',
    'The recipient’s wallet cannot receive money.',
  ],
  amount_out_of_bounds: ['L’opérateur n’accepte pas ce montant.', 'The operator does not take this amount.'],
  invalid_number: ['L’opérateur n’accepte pas ce numéro.', 'The operator does not accept this number.'],
  operator_float_insufficient: [
    'Notre compte chez l’opérateur manque d’argent.',
    'Our account with the operator is short of money.',
  ],
  operator_account_blocked: ['Notre compte chez l’opérateur est bloqué.', 'Our account with the operator is blocked.'],
  operator_configuration: [
    'Cet opérateur n’a pas pu être joint avec ce qui était indiqué.',
    'This operator could not be reached with what was given.',
  ],
  operator_unavailable: ['L’opérateur est en panne.', 'The operator is unavailable.'],
  operator_refused: ['L’opérateur refuse sans dire pourquoi.', 'The operator refused without a reason.'],
  cancelled: ['Annulé avant d’être fait.', 'Cancelled before it was carried out.'],
}

/** Returns the possible reasons of a failure for a kind: those of payers or of recipients, and those of operators. */
export function reasonsOfKind(kind: 'payment' | 'payout' | 'refund'): readonly FailureCode[] {
  const others = kind === 'payment' ? /^recipient_/ : /^payer_|^payment_/
  return (Object.keys(failureMessages) as FailureCode[]).filter((code) => !others.test(code))
}

/** Writes a reason without its full stop, for lists. */
export function sayReason(say: Say, code: FailureCode): string {
  return say(failureWords[code]).replace(/\.$/, '')
}
