/**
 * The reasons why a payment or payout failed: the closed list of `failure_code`, the same for every operator, with the sentence of
 * `failure_message`. The operator's own code and text stay in the evidence of the instruction.
 */
export const failureMessages = {
  payer_insufficient_funds: 'The payer does not have enough money in the wallet.',
  payer_declined: 'The payer declined the payment.',
  payer_timeout: 'The payer did not approve the payment in time.',
  payer_not_found: 'This number has no wallet with the operator.',
  payer_limit_reached: 'The payer has reached a limit of the wallet.',
  payer_account_blocked: "The payer's wallet is blocked or not allowed to pay.",
  payer_wrong_code: 'The payer typed a wrong secret code.',
  payment_in_progress: 'Another payment is waiting for this payer; try again later.',
  recipient_not_found: 'The recipient has no wallet with the operator.',
  recipient_limit_reached: 'The recipient has reached a limit of the wallet.',
  recipient_account_blocked: "The recipient's wallet cannot receive money.",
  amount_out_of_bounds: 'The operator does not take this amount.',
  invalid_number: 'The operator does not accept this number.',
  operator_float_insufficient: "The service's account with the operator is short of money.",
  operator_account_blocked: "The service's account with the operator is blocked.",
  operator_configuration: 'This operator is not set up on the service.',
  operator_unavailable: 'The operator is unavailable and did not take the payment; try again later.',
  operator_refused: 'The operator refused without giving a reason.',
  cancelled: 'Cancelled before the operator carried it out.',
} as const

/**
 * The `failure_message` of `operator_configuration` for a payment without a payer's number: one without an operator, and one with.
 */
export const missingPayerMessages = {
  nobody:
    'Nobody could be asked: neither the number of the payer nor an operator was given. Send `counterparty.msisdn`.',
  number:
    'This operator could not be asked without the number of the payer, or is not set up on the service. Send `counterparty.msisdn`.',
} as const

export type FailureCode = keyof typeof failureMessages

/** Whether a text is a failure code. */
export function isFailureCode(text: string): text is FailureCode {
  return Object.hasOwn(failureMessages, text)
}
