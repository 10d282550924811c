import Type from 'typebox'
import { defineRoute } from '../platform/http/route.ts'
import type { Db } from '../platform/postgres/database.ts'
import { tenantOf } from '../values/caller.ts'
import { objectField, onlyThese, pageCursor, pageLimit, textOrNull, time } from '../values/fields.ts'
import { listRequests, PLACE_PATTERN, type StatusClass } from './list-requests.ts'

/** Requests of one page: the default, and the maximum. */
const PAGE_DEFAULT = 20
const PAGE_MAX = 100

const classes: readonly StatusClass[] = ['2xx', '4xx', '5xx']

const LoggedCall = Type.Object(
  {
    id: Type.String({ description: 'The `Service-Request-Id` of the answer.' }),
    object: objectField('request'),
    method: Type.String({ description: 'Such as `POST`.' }),
    path: Type.String({ description: 'The pattern of the route, without ids and query.' }),
    status: Type.Integer({ description: 'The HTTP status of the answer.' }),
    error_code: textOrNull('The code of a refusal; null when there was none.'),
    duration_ms: Type.Integer({ description: 'Milliseconds until the answer.' }),
    created_at: time('When the request arrived.'),
  },
  { $id: 'LoggedCall', description: 'A request with a key of yours. Bodies and numbers are not kept.' },
)

const RequestPage = Type.Object(
  {
    object: objectField('list'),
    data: Type.Array(LoggedCall, { description: 'Newest first. Fewer than `limit` where a filter matches few.' }),
    limit: Type.Integer({ description: 'As it was applied.' }),
    has_more: Type.Boolean({ description: 'Whether older ones follow this page.' }),
    next: textOrNull('The `starting_after` of the next page; null on the last.'),
  },
  { $id: 'RequestPage', description: 'A page of requests.' },
)

/** An extension: the request log of the console, for programs. It reads the rows that every call leaves anyway, so no call costs more. */
export const listLoggedRequests = defineRoute({
  auth: 'api',
  method: 'GET',
  path: '/x/requests',
  operation: 'listRequests',
  summary: 'Read your last requests, newest first, and how each was answered',
  description: 'The requests of the last thirty days in the mode of the key, each about a second after its answer.',
  tags: ['Extensions'],
  scope: 'any',
  query: Type.Object(
    {
      status: Type.Optional(Type.Enum([...classes], { description: 'Only answers of this class.' })),
      limit: pageLimit(PAGE_DEFAULT, PAGE_MAX),
      starting_after: pageCursor('The `next` of the page before.', PLACE_PATTERN, 'the next of the page before'),
    },
    onlyThese,
  ),
  replies: { 200: RequestPage },
  errors: { 400: ['invalid_request'], 500: ['payment_failed'] },
  invalid: { otherwise: 'invalid_request' },
  fault: 'payment_failed',
  async handle({ caller, query, reply }, { reads }: { reads: Db }) {
    const limit = Math.min(Number(query.limit ?? PAGE_DEFAULT), PAGE_MAX)
    const filters = { status: query.status ?? null, operation: null, key_id: null }
    const { requests, after } = await listRequests(reads, tenantOf(caller), {
      ...filters,
      limit,
      after: query.starting_after ?? null,
    })
    const data = requests.map(({ request_id, method, path, status, error_code, duration_ms, requested_at }) => ({
      ...{ id: request_id, object: 'request' as const, method, path, status, error_code, duration_ms },
      created_at: requested_at.toISOString(),
    }))
    return reply(200, { object: 'list', data, limit, has_more: after !== null, next: after })
  },
})
