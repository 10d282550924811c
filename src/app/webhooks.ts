import Type, { type TSchema } from 'typebox'
import { CheckoutSession } from '../checkout/session.ts'
import { Payment } from '../payments/payment.ts'
import { BatchWithoutLines, PayoutBatch } from '../payout-batches/batch.ts'
import { Payout } from '../payouts/payout.ts'
import { PayoutRequest } from '../payouts/payout-request.ts'
import type { DescribedWebhook } from '../platform/http/openapi-webhooks.ts'
import { Settlement } from '../settlements/settlement.ts'
import { TestedEndpoint } from '../webhooks/endpoints/test-endpoint.ts'
import { webhookBody } from '../webhooks/event.ts'
import { type EventType, eventSentences, eventTypes } from '../webhooks/event-types.ts'

/** The resource that an event of each kind is about: the part of its type before the dot. */
type Subject<Type extends EventType = EventType> = Type extends `${infer Noun}.${string}` ? Noun : never

/** The `data` of events about each resource. */
const dataOf: Readonly<Record<Subject, TSchema>> = {
  payment: Payment,
  payout: Payout,
  payout_request: PayoutRequest,
  payout_batch: Type.Union([PayoutBatch, BatchWithoutLines], {
    description: 'The batch, without its lines if they make the event longer than 64 000 bytes.',
  }),
  checkout_session: CheckoutSession,
  settlement: Settlement,
  endpoint: TestedEndpoint,
}

/** Every kind of event, as OpenAPI describes the webhook that carries it. */
export const webhooks: readonly DescribedWebhook[] = eventTypes.map((type) => ({
  type,
  summary: eventSentences[type],
  body: webhookBody(type, dataOf[type.split('.')[0] as Subject]),
}))
