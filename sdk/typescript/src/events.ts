import type { EventsByType, FeedEvent } from './types.ts'

/** The kinds of events that this package knows. */
export type EventType = keyof EventsByType

/** An event of one kind. Of a kind that is newer than this package `data` has no type. */
export type EventOf<Type extends string> = Type extends EventType
  ? EventsByType[Type]
  : Omit<FeedEvent, 'cursor' | 'type'> & { readonly type: Type }

/**
 * An event, as webhooks and the feed tell it. `type` decides the type of `data`. The service may send kinds that are newer than this package:
 * give a `switch` over `type` a `default` that does nothing.
 */
export type WebhookEvent = EventsByType[EventType]
