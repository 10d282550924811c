import type { CheckoutSession, FeedEvent, Payment, Payout, PayoutBatch, PayoutRequest, Settlement } from './types.ts'

type Known<T> = T extends string ? (string extends T ? never : T extends string & {} ? T : never) : never

/** The resource of an event, by the beginning of its type. */
type Subjects = {
  payment: Payment
  payout: Payout
  payout_request: PayoutRequest
  payout_batch: PayoutBatch
  checkout_session: CheckoutSession
  settlement: Settlement
}

/** The kinds of events that this package knows. */
export type EventType = Known<FeedEvent['type']>

/** An event of one kind. */
export type EventOf<Type extends string> = Omit<FeedEvent, 'cursor' | 'type' | 'data'> & {
  readonly type: Type
  readonly data: Type extends `${infer Subject}.${string}`
    ? Subject extends keyof Subjects
      ? Subjects[Subject]
      : Record<string, unknown>
    : Record<string, unknown>
}

/**
 * An event, as webhooks and the feed tell it. `type` decides the type of `data`. The service may send kinds that are newer than this package:
 * give a `switch` over `type` a `default` that does nothing.
 */
export type WebhookEvent = { [Type in EventType]: EventOf<Type> }[EventType]
