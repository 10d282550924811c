/**
 * Every error code of the interface, with the sentence that explains it to a person. Codes are stable and messages
 * may change (interface, Errors); the HTTP status stands beside the code in each route, because some codes answer
 * with another status on some routes.
 */
export const errorMessages = {
  idempotency_key_required: 'Send an Idempotency-Key header of 8 to 255 characters.',
  invalid_body: 'The body cannot be read: a JSON object with fields of the documented types is expected.',
  invalid_request: 'The request cannot be read.',
  authentication_required: 'Send your secret key in the header Authorization: Bearer <key>.',
  invalid_api_key: 'This key is not valid here.',
  merchant_inactive: 'This account cannot operate for the moment.',
  insufficient_scope: 'This key does not have the scope that this route needs.',
  resource_not_found: 'There is nothing here.',
  method_not_allowed: 'This address exists but does not take this method.',
  idempotency_in_progress: 'An identical request is still running; try again in a moment with the same key.',
  idempotency_key_reused: 'This Idempotency-Key was already used for a different request.',
  duplicate_reference: 'This merchant_reference was already used.',
  invalid_amount: 'amount must be a whole number of francs, written as a JSON integer of at least 1.',
  invalid_currency: 'The only currency is XOF.',
  invalid_id: 'This does not look like an identifier of this kind of object.',
  invalid_msisdn: 'A ten-digit Ivorian mobile number is expected.',
  invalid_operator: 'This operator is not known.',
  amount_above_limit: 'This amount is above the limit for one payment.',
  rate_limit_exceeded: 'Too many requests; wait for the number of seconds given by Retry-After.',
  too_many_attempts: 'Too many recent attempts; try again later.',
  invalid_beneficiary:
    'The destination cannot be read: a book entry, or a number of ten digits with its operator and a name.',
  insufficient_funds: 'The transfer balance does not cover this.',
  invalid_lines: 'lines must be an array of 1 to 500 lines, each with an amount and a destination.',
  too_many_lines: 'A batch has at most 500 lines.',
  batch_pending_approval: 'This batch waits for approval in the console.',
  batch_not_executable: 'This batch was executed, cancelled or finished already.',
  batch_not_cancellable: 'There is no batch here that can be cancelled.',
  destination_introuvable: 'There is no such destination in your book.',
  destination_non_designee: 'This is not the destination that is designated for your settlements.',
  destination_trop_recente: 'This destination was designated too recently.',
  sous_le_plancher: 'This amount is below the smallest settlement.',
  montant_non_eligible: 'The available balance does not cover this.',
  settlement_failed: 'The service failed; try again with the same Idempotency-Key.',
  invalid_period: 'from and to must be days, written YYYY-MM-DD, and from must not be after to.',
  statement_failed: 'The service failed; try again.',
  payout_failed: 'The service failed; try again with the same Idempotency-Key.',
  payment_creation_failed: 'The service failed; try again with the same Idempotency-Key.',
  payment_failed: 'The service failed; try again.',
} as const

export type ErrorCode = keyof typeof errorMessages
