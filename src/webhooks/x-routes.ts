import Type from 'typebox'
import { defineRoute } from '../platform/http/route.ts'
import type { Db, Sql } from '../platform/postgres/database.ts'
import { expecting, objectField, onlyThese, pageCursor, pageLimit } from '../values/fields.ts'
import { looksLikeId } from '../values/ids.ts'
import { Event, readableTypes } from './event.ts'
import { eventTypes } from './event-types.ts'
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
  { $id: 'EventList' },
)

const eventParam = { event_id: 'The `id` of an event, with prefix `evt_`, as the list and webhooks have it.' }

/** An extension: the events behind webhooks, for a merchant that missed some or wants to know how one was delivered. */
export const listEvents = defineRoute({
  auth: 'api',
  method: 'GET',
  path: '/x/events',
  operation: 'listEvents',
  summary: 'Read what happened, newest first, and how your endpoints were told',
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
        (text) => looksLikeId('evt', text),
        'the id of an event, with the prefix evt_',
      ),
    },
    onlyThese,
  ),
  replies: { 200: EventList },
  errors: { 400: ['invalid_request'], 500: ['payment_failed'] },
  invalid: { otherwise: 'invalid_request' },
  fault: 'payment_failed',
  async handle({ caller: { merchant_id, livemode, scope }, query, reply }, deps: { reads: Db }) {
    const limit = Math.min(Number(query.limit ?? PAGE_DEFAULT), PAGE_MAX)
    const { events, has_more } = await findEvents(deps.reads, {
      merchant_id,
      livemode,
      types: readableTypes(scope).filter((type) => query.type === undefined || type === query.type),
      subject_id: query.subject_id ?? null,
      before: query.starting_after ?? null,
      limit,
    })
    return reply(200, { object: 'list', data: events, limit, has_more })
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
