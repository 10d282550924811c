/**
 * Every error code of the interface, with a sentence for people. Codes are stable, messages may change (interface, Errors). Each route
 * declares the HTTP status of its codes, because some codes have different statuses on different routes.
 */
export const errorMessages = {
  idempotency_key_required:
    'The header Idempotency-Key is missing. Send 8 to 255 characters that name this operation and no other.',
  invalid_body: 'The body cannot be read. Send a JSON object with fields of the documented types.',
  invalid_request: 'Malformed request. Check the method, path, headers and query.',
  authentication_required: 'Send your secret key in the header Authorization: Bearer <key>.',
  invalid_api_key:
    'Unknown, revoked or restricted API key. Check that it is complete, and used from an allowed address.',
  merchant_inactive: 'This account is not active. Contact the service.',
  insufficient_scope: 'This key does not have the scope that this route needs. Use a key with that scope.',
  resource_not_found: 'No such resource for this key and mode. Check the id, and whether it is a test or a live key.',
  method_not_allowed: 'This address does not take this method. Use one of those in the header Allow.',
  idempotency_in_progress:
    'An identical request is still running. Wait a moment, then send it again with the same key.',
  idempotency_key_reused: 'This Idempotency-Key was used for a different request. Send a new key for a new operation.',
  duplicate_reference: 'This merchant_reference was already used. Read that payment, or send another reference.',
  invalid_amount: 'amount must be a whole number of francs, written as a JSON integer of at least 1.',
  invalid_currency: 'The only currency is XOF. Send XOF, or leave currency out.',
  invalid_expires_at: 'expires_at must be a moment in the future, such as 2027-01-01T00:00:00Z.',
  invalid_id: 'This does not look like an id of this kind of resource. Check its prefix.',
  invalid_msisdn: 'The number cannot be read. Send an Ivorian mobile number: ten digits, or +225 and ten digits.',
  invalid_operator: 'This operator is not known. Send one of orange_ci, mtn_ci, moov_ci and wave_ci, or leave it out.',
  amount_above_limit: 'amount is above the limit for one payment.',
  rate_limit_exceeded: 'Too many requests. Wait for the number of seconds in the header Retry-After.',
  too_many_attempts: 'Too many recent attempts; try again later.',
  invalid_beneficiary:
    'The destination cannot be read. Send either beneficiary_id, or beneficiary with msisdn and name.',
  insufficient_funds:
    'The transfer balance does not cover the amount and its fee. Fill it, then send the request again.',
  invalid_lines: 'lines must be an array of 1 to 500 objects, each with an amount and a destination.',
  too_many_lines: 'lines has more than 500 objects. Send the rest in another batch.',
  batch_pending_approval: 'This batch waits for approval in the console. Execute it once a person has approved it.',
  batch_not_executable: 'This batch was executed or cancelled already. Read it to see how its lines ended.',
  batch_not_cancellable: 'No batch with this id can be cancelled. Check the id; what was executed cannot be cancelled.',
  destination_introuvable: 'No such destination in your book. Check the id, and whether it is a test or a live key.',
  destination_non_designee:
    'This is not the destination that is designated for your settlements. Send the id of the one that is.',
  destination_trop_recente: 'This destination was designated too recently.',
  sous_le_plancher: 'amount is below the smallest settlement.',
  montant_non_eligible: 'The available balance does not cover this amount.',
  settlement_failed: 'The service failed. Send the same request again with the same Idempotency-Key.',
  invalid_period: 'from and to must be days, written YYYY-MM-DD, and from must not be after to.',
  statement_failed: 'The service failed. Send the request again.',
  payout_failed: 'The service failed. Send the same request again with the same Idempotency-Key.',
  invalid_return_url: 'return_url must be an absolute https address, without a name or password in it.',
  amount_too_small: 'amount is below the least that can be paid here.',
  amount_too_large: 'amount is above the most that can be paid here.',
  session_expired: 'The time for this payment is over. Create a new session.',
  session_closed: 'This session was paid or closed already. Create a new session for another payment.',
  lien_indisponible: 'This link is closed, has expired, was paid, or is being paid by somebody. Ask for a new link.',
  bornes_illisibles: 'The bounds of this link cannot be read. This is a fault of the service.',
  checkout_creation_failed: 'The service failed. Send the same request again with the same Idempotency-Key.',
  payment_creation_failed: 'The service failed. Send the same request again with the same Idempotency-Key.',
  payment_failed: 'The service failed. Send the request again.',
  payment_not_cancellable: 'This payment has been sent to its operator, or has ended. Read it to see how it stands.',
  payment_code_not_expected:
    'This payment waits for no code. Read it: its next_action says what its payer has to do, and its status how it ended.',
  link_not_closable: 'This link is already paid or closed. Read it to see how it stands.',
  payout_not_cancellable: 'This payout has been sent to its operator, or has ended. Read it to see how it stands.',
  cursor_expired:
    'Events after this place were deleted because of their age. Go on from the moment that the message names.',
  event_not_deliverable: 'This event has no endpoint to go to. Register an endpoint; later events will be sent there.',
} as const

export type ErrorCode = keyof typeof errorMessages
