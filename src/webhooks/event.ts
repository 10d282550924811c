import Type, { type Static, type TSchema } from 'typebox'
import type { Scope } from '../values/caller.ts'
import { livemode, objectField, time, timeOrNull } from '../values/fields.ts'
import { type EventType, eventSentences, eventTypes } from './event-types.ts'

const deliveryStatuses = ['pending', 'delivered', 'failed', 'held'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The state of an event's delivery to one endpoint. */
export const DeliverySummary = Type.Object(
  {
    id: Type.String({ description: 'Prefix `dlv_`.' }),
    endpoint_id: Type.String({ description: 'Prefix `whe_`.' }),
    status: Type.Enum([...deliveryStatuses], {
      description: '`held`: the endpoint is disabled. `failed`: every attempt of the schedule was made.',
    }),
    attempts: Type.Integer({ description: 'How many attempts were made so far, those before a replay included.' }),
    last_response_status: Type.Union([Type.Integer(), Type.Null()], {
      description: "Your server's answer to the last attempt; null when there was none, or no attempt was made.",
    }),
    next_attempt_at: timeOrNull('When it is tried next; null when no more attempts are due.'),
  },
  { $id: 'DeliverySummary', description: 'The state of the delivery of an event to one endpoint.' },
)
export type DeliverySummary = Static<typeof DeliverySummary>

/** The fields of an event as endpoints get it. */
const fields = {
  id: Type.String({ description: 'Prefix `evt_`.' }),
  object: objectField('event'),
  type: Type.Enum([...eventTypes], { description: 'The event type.' }),
  api_version: Type.String({ description: 'The version of the interface that `data` follows.' }),
  created_at: time('When it happened.'),
  livemode,
  data: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The resource as its GET gave it at that moment, with its new `status`.',
  }),
}

/** An event as endpoints get it, with its deliveries. */
export const Event = Type.Object(
  {
    ...fields,
    deliveries: Type.Array(DeliverySummary, { description: 'One for each endpoint that wanted it, in no webhook.' }),
  },
  { $id: 'Event', description: 'An event as webhooks have it, with its deliveries.' },
)
export type Event = Static<typeof Event>

/** An event as endpoints get it, with its place in the feed. */
export const FeedEvent = Type.Object(
  {
    ...fields,
    cursor: Type.String({
      description: 'The place of this event in the feed: as `after` it begins behind it. In no webhook.',
    }),
  },
  { $id: 'FeedEvent', description: 'An event as webhooks have it, with its place in the feed.' },
)
export type FeedEvent = Static<typeof FeedEvent>

/**
 * The body of a webhook of one type.
 * @param data the resource of its events, as their `data` has it
 */
export function webhookBody(type: EventType, data: TSchema) {
  const name = type.replace(/(?:^|[._])(.)/g, (_, letter: string) => letter.toUpperCase())
  return Type.Object(
    { ...fields, type: Type.Literal(type, { description: `Always \`${type}\`.` }), data },
    { $id: `${name}Event`, description: eventSentences[type] },
  )
}

/** The event types of money out. They hold beneficiaries' numbers in full where a request named them. */
const ofMoneyOut = /^(?:payout|payout_request|payout_batch)\./
/** The event types of money in. */
const ofMoneyIn = /^(?:payment|checkout_session)\./

/**
 * The event types that a key may read: those of its own scope, and those of settlements and endpoints with any key. Otherwise a key in
 * a shop's till could list everyone who was ever paid.
 */
export function readableTypes(scope: Scope): readonly EventType[] {
  const hidden = scope === 'collect' ? ofMoneyOut : ofMoneyIn
  return eventTypes.filter((type) => !hidden.test(type))
}

/** An event for its reader: the exact body, and its deliveries. */
export function viewEvent(body: string, deliveries: readonly DeliverySummary[]): Event {
  return { ...(JSON.parse(body) as Omit<Event, 'deliveries'>), deliveries: [...deliveries] }
}

/** An event of the feed for its reader: the exact body, and its cursor. */
export function viewFeedEvent(body: string, cursor: string): FeedEvent {
  return { ...(JSON.parse(body) as Omit<FeedEvent, 'cursor'>), cursor }
}
