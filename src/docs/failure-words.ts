import type { FailureCode } from '../values/failure-codes.ts'
import type { Words } from '../values/language.ts'

/** The remedy for each `failure_code`, for a developer or a payer. The failure itself is final: no money moved and none will. */
export const failureWords: Readonly<Record<FailureCode, Words>> = {
  payer_insufficient_funds: [
    'Le client n’a pas assez sur son compte : qu’il recharge, ou paie autrement.',
    'The customer has too little money: let them top up, or pay otherwise.',
  ],
  payer_declined: ['Le client a refusé : proposez de réessayer.', 'The customer declined: offer to try again.'],
  payer_timeout: [
    'Le client n’a pas approuvé à temps : proposez de réessayer.',
    'The customer did not approve in time: offer to try again.',
  ],
  payer_not_found: [
    'Ce numéro n’a pas de compte chez cet opérateur : demandez l’opérateur.',
    'This number has no wallet with this operator: ask for the operator.',
  ],
  payer_limit_reached: [
    'Le compte du client a atteint un plafond : un autre compte, ou demain.',
    'The customer’s wallet reached a limit: another wallet, or tomorrow.',
  ],
  payer_account_blocked: [
    'Le compte du client est bloqué : qu’il voie son opérateur.',
    'The customer’s wallet is blocked: let them see their operator.',
  ],
  payer_wrong_code: [
    'Le client s’est trompé de code secret : proposez de réessayer.',
    'The customer typed a wrong secret code: offer to try again.',
  ],
  payment_in_progress: [
    'Une autre demande attend déjà sur ce téléphone : attendez qu’elle finisse.',
    'Another request waits on this phone: wait for its end.',
  ],
  recipient_not_found: [
    'Le destinataire n’a pas de compte chez cet opérateur : vérifiez numéro et opérateur.',
    'The recipient has no wallet with this operator: check number and operator.',
  ],
  recipient_limit_reached: [
    'Le compte du destinataire est plein : payez moins, ou plus tard, avec une nouvelle clé.',
    'The recipient’s wallet is full: pay less, or later, with a new key.',
  ],
  recipient_account_blocked: [
    'Le compte du destinataire ne peut pas recevoir : demandez-lui un autre numéro.',
    'The recipient’s wallet cannot receive: ask for another number.',
  ],
  amount_out_of_bounds: [
    'L’opérateur ne prend pas ce montant : voyez `operator_limits` dans `GET /x/operators`.',
    'The operator does not take this amount: see `operator_limits` in `GET /x/operators`.',
  ],
  invalid_number: [
    'L’opérateur n’accepte pas ce numéro : vérifiez-le.',
    'The operator does not accept this number: check it.',
  ],
  operator_float_insufficient: [
    'Le compte du service chez l’opérateur est à court : prévenez le support, réessayez plus tard.',
    'The service’s account with the operator is short: tell support, try later.',
  ],
  operator_account_blocked: [
    'Le compte du service chez l’opérateur est bloqué : prévenez le support.',
    'The service’s account with the operator is blocked: tell support.',
  ],
  operator_configuration: [
    'Cet opérateur n’est pas raccordé, ou le numéro manquait : lisez `failure_message`.',
    'This operator is not set up, or the number was missing: read `failure_message`.',
  ],
  operator_unavailable: [
    'L’opérateur est en panne et n’a rien pris : proposez un autre opérateur.',
    'The operator is down and took nothing: offer another operator.',
  ],
  operator_refused: [
    'L’opérateur a refusé sans dire pourquoi : essayez autrement.',
    'The operator refused without a reason: try otherwise.',
  ],
  cancelled: ['Annulé avant que l’opérateur ne l’exécute.', 'Cancelled before the operator carried it out.'],
}
