import type { FailureCode } from '../../values/failure-codes.ts'

import type { Sentence } from './sentences.ts'

/** The cause of a failed payment, for its payer. Codes of payouts and our own faults have general sentences, because no payer can correct them. */
export const failureSentences: Record<FailureCode, Sentence> = {
  payer_insufficient_funds: ['Il n’y a pas assez d’argent sur ce compte.', 'There is not enough money in this wallet.'],
  payer_declined: ['La demande a été refusée sur le téléphone.', 'The request was declined on the phone.'],
  payer_timeout: ['La demande n’a pas été confirmée à temps.', 'The request was not approved in time.'],
  payer_not_found: ['Ce numéro n’a pas de compte chez cet opérateur.', 'This number has no wallet with this operator.'],
  payer_limit_reached: [
    'Ce compte a atteint sa limite chez l’opérateur.',
    'This wallet has reached its limit with the operator.',
  ],
  payer_account_blocked: [
    'L’opérateur n’autorise pas ce compte à payer.',
    'The operator does not allow this wallet to pay.',
  ],
  payer_wrong_code: ['Le code tapé n’était pas le bon.', 'The code typed was wrong.'],
  payment_in_progress: [
    'Un autre paiement attend déjà sur ce téléphone.',
    'Another payment is already waiting on this phone.',
  ],
  recipient_not_found: ['L’opérateur a refusé ce paiement.', 'The operator refused this payment.'],
  recipient_limit_reached: ['L’opérateur a refusé ce paiement.', 'The operator refused this payment.'],
  recipient_account_blocked: ['L’opérateur a refusé ce paiement.', 'The operator refused this payment.'],
  amount_out_of_bounds: ['Cet opérateur ne prend pas ce montant.', 'This operator does not take this amount.'],
  invalid_number: ['Cet opérateur n’accepte pas ce numéro.', 'This operator does not accept this number.'],
  operator_float_insufficient: [
    'L’opérateur n’a pas pu prendre ce paiement.',
    'The operator could not take this payment.',
  ],
  operator_account_blocked: [
    'L’opérateur n’a pas pu prendre ce paiement.',
    'The operator could not take this payment.',
  ],
  operator_configuration: ['Cet opérateur n’est pas disponible ici.', 'This operator is not available here.'],
  operator_unavailable: ['L’opérateur est en panne pour le moment.', 'The operator is down for the moment.'],
  operator_refused: ['L’opérateur a refusé sans dire pourquoi.', 'The operator refused without saying why.'],
  cancelled: ['Le paiement a été annulé.', 'The payment was cancelled.'],
}
