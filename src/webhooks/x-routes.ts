import Type from 'typebox'
import { defineRoute } from '../platform/http/route.ts'
import type { Db, Sql } from '../platform/postgres/database.ts'
import { expecting, objectField, onlyThese, pageCursor, pageLimit, timeOrNull } from '../values/fields.ts'
import { idPattern } from '../values/ids.ts'
import { Event, FeedEvent, readableTypes } from './event.ts'
import { eventTypes } from './event-types.ts'
import { type FollowFeed, isAfter, WAIT_SECONDS_MAX } from './feed/follow-feed.ts'
import { findEvent, findEvents } from './find-events.ts'
import { hasEvent } from './journal-store.ts'
import { replayEvent } from './replay.ts'

/** Events of one page: the default, and the maximum. */
const PAGE_DEFAULT = 20
const PAGE_MAX = 100

const EventList = Type.Object(
  {
    object: objectField('list'),
    data: Type.Array(Event, { description: 'Newest first. Fewer than `limit` when more would exceed 1 MB.' }),
    limit: Type.Integer({ description: 'As it was applied.' }),
    has_more: Type.Boolean({ description: 'Whether older events follow this page.' }),
  },
  { $id: 'EventList', description: 'A page of events, without `after`.' },
)

const EventFeed = Type.Object(
  {
    object: objectField('feed'),
    data: Type.Array(FeedEvent, {
      description:
        'In the order of the feed. Fewer than `limit` when more would exceed 1 MB. Empty when nothing followed in time.',
    }),
    next: Type.String({ description: 'The `after` of the next call. Keep it when you have handled `data`.' }),
    has_more: Type.Boolean({ description: 'Whether the next call should follow at once.' }),
    restored_at: timeOrNull(
      'When an older state of the database was restored, told once to a reader who had read events that it does not have. Otherwise null.',
    ),
  },
  { $id: 'EventFeed', description: 'A part of the feed, with `after`.' },
)

const eventParam = { event_id: 'The `id` of an event, with prefix `evt_`, as the list and webhooks have it.' }

/** Milliseconds for reading, besides the wait. */
const READ_MS = 10_000

const WAIT_ALONE = 'wait belongs to after. Send after too: a cursor, begin, now, or a moment.'
const TWO_PLACES =
  'after and starting_after exclude each other. Send after for the feed, or starting_after for the list.'

const wrongAfter = {
  unknown_cursor:
    'after is no cursor of this merchant and mode. Send the next of an earlier answer, begin, now, or a moment.',
  not_offered:
    'after is not offered here yet: this installation keeps merchants on several machines. Leave it out, and read the list.',
} as const

function explainDeleted(go_on_from: Date): string {
  return `Events after this place were deleted because of their age. Go on from after=${go_on_from.toISOString()}.`
}

/** An extension: the events behind webhooks, for a merchant that missed some or wants to know how one was delivered. */
export const listEvents = defineRoute({
  auth: 'api',
  method: 'GET',
  path: '/x/events',
  operation: 'listEvents',
  summary: 'Read what happened, newest first, and how your endpoints were told; or follow it as a feed',
  description:
    'Without `after`: a list, newest first. With `after`: the feed, which gives every event once, in an order that is the same for every reader ' +
    'and never changes. Call it with `next` of the answer before, again and again.',
  tags: ['Extensions'],
  query: Type.Object(
    {
      type: Type.Optional(Type.Enum([...eventTypes], { description: 'Only events of this kind.' })),
      subject_id: Type.Optional(
        expecting(
          'the id of a resource, such as txn_1',
          Type.String({ pattern: '^[0-9A-Za-z_-]{1,80}$', description: 'Only events about this resource, by its id.' }),
        ),
      ),
      limit: pageLimit(PAGE_DEFAULT, PAGE_MAX),
      starting_after: pageCursor(
        'The id of the last event of the page before.',
        idPattern('evt'),
        'the id of an event, with the prefix evt_',
      ),
      after: Type.Optional(
        Type.Refine(
          Type.String({
            description:
              'Asks for the feed behind this place: a cursor, `begin` for the oldest event that is kept, `now`, or a moment, from which the feed ' +
              'begins up to ten minutes early. Not with `starting_after`.',
          }),
          isAfter,
          () => 'a cursor, begin, now, or a moment such as 2026-08-25T09:30:00Z',
        ),
      ),
      wait: Type.Optional(
        expecting(
          'a whole number of seconds',
          Type.String({
            pattern: '^[0-9]{1,9}$',
            description: `Seconds to wait for an event when there is none, 0 when absent, ${WAIT_SECONDS_MAX} at most. Only with \`after\`.`,
          }),
        ),
      ),
    },
    onlyThese,
  ),
  replies: { 200: Type.Union([EventList, EventFeed]) },
  errors: { 400: ['invalid_request'], 409: ['cursor_expired'], 500: ['payment_failed'] },
  invalid: { otherwise: 'invalid_request' },
  fault: 'payment_failed',
  deadlineMs: WAIT_SECONDS_MAX * 1_000 + READ_MS,
  async handle(
    { caller: { merchant_id, livemode, scope }, query, turn, reply, refuse },
    deps: { reads: Db; followFeed: FollowFeed },
  ) {
    const { after, wait, starting_after } = query
    const types = readableTypes(scope).filter((type) => query.type === undefined || type === query.type)
    const subject_id = query.subject_id ?? null
    const limit = Math.min(Number(query.limit ?? PAGE_DEFAULT), PAGE_MAX)
    if (after === undefined) {
      if (wait !== undefined) return refuse('invalid_request', { message: WAIT_ALONE })
      const wanted = { merchant_id, livemode, types, subject_id, before: starting_after ?? null, limit }
      const { events, has_more } = await findEvents(deps.reads, wanted)
      return reply(200, { object: 'list', data: events, limit, has_more })
    }
    if (starting_after !== undefined) return refuse('invalid_request', { message: TWO_PLACES })
    const tenant = { merchant_id, livemode }
    const followed = await deps.followFeed(
      { tenant, after, types, subject_id, limit, wait_seconds: Number(wait ?? 0) },
      turn,
    )
    if (followed.kind === 'found') return reply(200, followed.body)
    if (followed.kind !== 'deleted') return refuse('invalid_request', { message: wrongAfter[followed.kind] })
    return refuse('cursor_expired', { message: explainDeleted(followed.go_on_from) })
  },
})

export const getEvent = defineRoute({
  auth: 'api',
  method: 'GET',
  path: '/x/events/:event_id',
  operation: 'getEvent',
  summary: 'Read an event and how your endpoints were told',
  tags: ['Extensions'],
  params: { event_id: 'evt' },
  paramDescriptions: eventParam,
  replies: { 200: Event },
  errors: { 404: ['resource_not_found'], 422: ['invalid_id'], 500: ['payment_failed'] },
  fault: 'payment_failed',
  async handle({ caller: { merchant_id, livemode, scope }, params, reply, refuse }, deps: { sql: Sql }) {
    const wanted = { merchant_id, livemode, id: params.event_id, types: readableTypes(scope) }
    const event = await findEvent(deps.sql, wanted)
    return event === null ? refuse('resource_not_found') : reply(200, event)
  },
})

/** Takes no `Idempotency-Key`, because no money moves: a second call sends the event again, with the same id. */
export const replayEventRoute = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/x/events/:event_id/replay',
  operation: 'replayEvent',
  summary: 'Have an event sent again to every endpoint that it was meant for',
  description:
    'Each delivery begins a whole new schedule with the same event id and the same bytes, newly signed, whatever became of ' +
    'it before; that of a disabled endpoint is `held` until it is enabled. No body.',
  tags: ['Extensions'],
  params: { event_id: 'evt' },
  paramDescriptions: eventParam,
  replies: { 200: Event },
  errors: {
    404: ['resource_not_found'],
    409: ['event_not_deliverable'],
    422: ['invalid_id'],
    500: ['payment_failed'],
  },
  fault: 'payment_failed',
  async handle({ caller: { merchant_id, livemode, scope }, params, reply, refuse }, deps: { sql: Sql }) {
    const wanted = { merchant_id, livemode, id: params.event_id, types: readableTypes(scope) }
    if (!(await hasEvent(deps.sql, wanted))) return refuse('resource_not_found')
    // Events and their deliveries are written together, so only an event that no endpoint subscribed to has none.
    const replayed = await replayEvent(deps.sql, wanted, wanted.id)
    if (replayed.kind === 'refused') return refuse('event_not_deliverable')
    const event = await findEvent(deps.sql, wanted)
    return reply(200, event!)
  },
})
