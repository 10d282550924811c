import { unreadFilters } from '../../console/list.ts'
import { absent, defineConsoleScreen, type ScreenAnswer } from '../../console/screen.ts'
import type { ExportEvents } from '../../listings/export-events.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { looksLikeId } from '../../values/ids.ts'
import { listEvents, showEvent } from '../../webhooks/list-events.ts'
import { showEndpoints } from '../../webhooks/show-deliveries.ts'
import { exportAnswer, refuseFilters } from '../lists/file-answer.ts'
import { hostOf } from './delivery-views.ts'
import { chosenEvents, eventFilters } from './event-filters.ts'
import { eventsView, eventView } from './event-views.ts'

type Deps = { readonly reads: Db; readonly exportEvents: ExportEvents }

const PAGE = 50

const getEvents = defineConsoleScreen<Deps>({
  method: 'GET',
  path: '/events',
  query: ['type', 'from', 'to', 'about', 'starting_after'],
  operation: 'consoleEvents',
  summary: 'The events of a merchant, newest first, with the state of their deliveries',
  right: 'webhooks.read',
  menu: { group: 'developers', icon: 'bell', words: ['Événements', 'Events'] },
  async handle(request, { reads }) {
    const chosen = chosenEvents(request)
    const after = request.query.get('starting_after') ?? ''
    const starting_after = looksLikeId('evt', after) ? after : ''
    const filters = await eventFilters(reads, request, chosen)
    const wanted = { limit: PAGE, after: starting_after === '' ? null : starting_after }
    const page = await listEvents(reads, request.tenant, filters, wanted)
    return eventsView(request, { chosen, page, starting_after })
  },
})

const exportList = defineConsoleScreen<Deps>({
  method: 'GET',
  path: '/events/export',
  query: ['type', 'from', 'to', 'about', 'format'],
  operation: 'eventsExport',
  summary: 'All events that the filters match, as a file',
  right: 'exports.take',
  takes_file: true,
  async handle(request, { reads, exportEvents }): Promise<ScreenAnswer> {
    const { tenant, can } = request
    if (!can('webhooks.read')) return { kind: 'not_permitted', right: 'webhooks.read' }
    const chosen = chosenEvents(request)
    if (unreadFilters(request, chosen).length > 0) return refuseFilters(request, '/events')
    const filters = await eventFilters(reads, request, chosen)
    return exportAnswer(request, '/events', (file) => exportEvents({ tenant, filters, file }))
  },
})

const getEvent = defineConsoleScreen<Deps>({
  method: 'GET',
  path: '/events/:event',
  operation: 'consoleEvent',
  summary: 'One event: its subject, its body, and its delivery to each endpoint',
  right: 'webhooks.read',
  async handle(request, { reads }) {
    const { event = '' } = request.params
    const shown = looksLikeId('evt', event) ? await showEvent(reads, request.tenant, event) : null
    if (shown === null) return absent
    const endpoints = await showEndpoints(reads, request.tenant)
    return eventView(request, shown, new Map(endpoints.map(({ endpoint_id, url }) => [endpoint_id, hostOf(url)])))
  },
})

/** The screens of a merchant's events. `webhook-routes.ts` has those of their deliveries. */
export const eventScreens = [getEvents, exportList, getEvent] as const
