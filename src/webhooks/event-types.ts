/** Every event type, in the order of the interface's resources. */
export const eventTypes = [
  'payment.pending',
  'payment.succeeded',
  'payment.failed',
  'payment.expired',
  'payment.refunded',
  'payment.partially_refunded',
  'payout.processing',
  'payout.succeeded',
  'payout.failed',
  'payout.indeterminate',
  'payout_request.approved',
  'payout_request.rejected',
  'payout_request.expired',
  'payout_batch.finished',
  'checkout_session.paid',
  'checkout_session.expired',
  'settlement.validated',
  'settlement.paid',
  'settlement.rejected',
  'endpoint.test',
] as const

export type EventType = (typeof eventTypes)[number]

/** Whether a text is an event type. */
export function isEventType(text: string): text is EventType {
  return (eventTypes as readonly string[]).includes(text)
}
