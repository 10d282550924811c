import { linkButton } from '../../console/components.ts'
import { filteredAddress } from '../../console/list.ts'
import { absent, defineConsoleScreen } from '../../console/screen.ts'
import { html } from '../../platform/http/html.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { looksLikeId } from '../../values/ids.ts'
import { showEvent } from '../../webhooks/list-events.ts'
import { showEndpoints } from '../../webhooks/show-deliveries.ts'
import { listScreens } from '../lists/list-screens.ts'
import { hostOf } from './delivery-views.ts'
import { eventList } from './event-list.ts'
import { eventView } from './event-views.ts'

const eventListScreens = listScreens(eventList, {
  summary: 'The events of a merchant, newest first, with the state of their deliveries',
  menu: { group: 'developers', icon: 'bell', words: ['Événements', 'Events'] },
  lead({ say, at }) {
    const words = say([
      'Ce que votre serveur apprend, et comment cela lui est arrivé.',
      'What we notify your server of, and how each delivery went.',
    ])
    return html`${words} <a href="${at('/webhooks')}">${say(['Voir vos adresses', 'See your endpoints'])}</a>`
  },
  acts: ({ say, at, can }, chosen, rows) =>
    can('webhooks.manage') &&
    rows.length > 0 &&
    linkButton(
      filteredAddress(at('/events/replay'), chosen),
      say(['Rejouer ces événements', 'Replay these events']),
      'second',
    ),
})

const getEvent = defineConsoleScreen<{ readonly reads: Db }>({
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
export const eventScreens = [...eventListScreens, getEvent] as const
