/** One sentence about each event for a merchant's developers, in the order of the interface's resources. */
export const eventSentences = {
  'payment.pending': 'The payment left for its operator. Its outcome is uncertain.',
  'payment.succeeded': 'The operator confirmed the payment, and its net amount is credited, also after `expired`.',
  'payment.failed': 'The service established that the payment failed: `failure_code` says why.',
  'payment.expired': 'The payer did not answer in time. A late confirmation is still credited.',
  'payment.refunded': 'The whole payment was refunded.',
  'payment.partially_refunded': 'A part of the payment was refunded: `amount_refunded` is the sum so far.',
  'payout.processing': 'The payout left for its operator, also one that is a line of a batch.',
  'payout.succeeded': 'The operator confirmed the payout.',
  'payout.failed': 'The payout failed, and its amount and fee are back: `failure_code` says why.',
  'payout.indeterminate':
    'The operator has not confirmed the payout. Never pay again: the beneficiary may have the money.',
  'payout_request.approved': 'A person approved the request: `payout_id` is its payout.',
  'payout_request.rejected': 'A person rejected the request. No money left.',
  'payout_request.expired': 'Nobody decided the request in time. No money left.',
  'payout_batch.finished': 'Every line of the batch has an outcome: read `status`, then the lines.',
  'checkout_session.paid': 'A payment on the page succeeded: `payment_id` names it.',
  'checkout_session.expired': 'The time of the page ended without a payment.',
  'settlement.validated': 'The staff validated the settlement.',
  'settlement.paid': 'The transfer of the settlement was made.',
  'settlement.rejected': 'The staff rejected the settlement, and its amount is back: `rejection_reason` says why.',
  'endpoint.test': 'A test of one endpoint, sent to it alone, also if it subscribes to other types only.',
} as const

export type EventType = keyof typeof eventSentences

/** Every event type, in the same order. */
export const eventTypes = Object.keys(eventSentences) as readonly EventType[]

/** Whether a text is an event type. */
export function isEventType(text: string): text is EventType {
  return Object.hasOwn(eventSentences, text)
}
