import { backLink, blank, linkButton, note, rows } from '../../console/components.ts'
import { choices, errorList, form } from '../../console/forms.ts'
import { filteredAddress } from '../../console/list.ts'
import { chosenIn, fieldsOf, wantedOf } from '../../console/lists/define-list.ts'
import type { Chosen } from '../../console/lists/filters.ts'
import { absent, defineConsoleScreen, moved, type ScreenRequest, type ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { groupDigits } from '../../values/group-digits.ts'
import { ENDPOINT_STOPPED } from '../../webhooks/endpoints/load-endpoint.ts'
import { countDeliveriesOf } from '../../webhooks/journal-store.ts'
import { REPLAYED_MAX, replayEndpoint } from '../../webhooks/replay-endpoint.ts'
import { type ShownEndpoint, showEndpoints } from '../../webhooks/show-deliveries.ts'
import { hostOf } from './delivery-views.ts'
import { eventList } from './event-list.ts'
import type { WebhookScreenDeps } from './webhook-routes.ts'

type Request = ScreenRequest<'console'>

/** The fields of the address: the filters of the list of events. */
const query = fieldsOf(eventList).map(({ name }) => name)

const getReplay = defineConsoleScreen<WebhookScreenDeps>({
  method: 'GET',
  path: '/events/replay',
  query,
  operation: 'consoleCountEvents',
  summary: 'Count the events that the filters match, for each endpoint that they can be sent to again',
  right: 'webhooks.manage',
  handle: (request, deps) => ask(request, deps),
})

const postReplay = defineConsoleScreen<WebhookScreenDeps>({
  method: 'POST',
  path: '/events/replay',
  query,
  operation: 'consoleReplayEvents',
  summary: 'Send the events that the filters match to one endpoint again',
  right: 'webhooks.manage',
  async handle(request, deps) {
    const { say, tenant, fields, actor, at } = request
    const { sql } = deps.webhooks
    const endpoint_id = fields.text('endpoint')
    if (endpoint_id === '') return ask(request, deps, say(['Choisissez une adresse.', 'Choose an endpoint.']))
    const filters = await wantedOf(eventList, chosenIn(eventList, request), { db: sql, tenant })
    const { events } = await countDeliveriesOf(sql, tenant, filters, REPLAYED_MAX + 1)
    if (events > REPLAYED_MAX) return ask(request, deps)
    const result = await replayEndpoint(sql, { ...tenant, endpoint_id }, actor, filters)
    if (result.kind === 'replayed') return moved(at('/webhooks?done=replayed'))
    if (result.code === 'resource_not_found') return absent
    return ask(request, deps, say(ENDPOINT_STOPPED))
  },
})

/** The screens of a replay by filters. */
export const replayScreens = [getReplay, postReplay] as const

/** Counts the events and asks for an endpoint. @param refused the reason why the form was refused */
async function ask(
  request: Request,
  { webhooks: { sql } }: WebhookScreenDeps,
  refused: string | null = null,
): Promise<ScreenView> {
  const { say, at, tenant } = request
  const chosen = chosenIn(eventList, request)
  const filters = await wantedOf(eventList, chosen, { db: sql, tenant })
  const [endpoints, { events, deliveries }] = await Promise.all([
    showEndpoints(sql, tenant),
    countDeliveriesOf(sql, tenant, filters, REPLAYED_MAX + 1),
  ])
  const able = endpoints.filter(({ endpoint_id, status }) => status === 'enabled' && deliveries.has(endpoint_id))
  const title = say(['Rejouer ces événements ?', 'Replay these events?'])
  const errors = refused === null ? [] : [{ field: 'endpoint', text: refused }]
  const back = filteredAddress(at('/events'), chosen)
  const content =
    events > REPLAYED_MAX || able.length === 0
      ? blank('hook', {
          title:
            events > REPLAYED_MAX
              ? say(['Trop d’événements à la fois', 'Too many events at once'])
              : say(['Rien à rejouer', 'Nothing to replay']),
          text:
            events > REPLAYED_MAX
              ? say(
                  [
                    'Plus de {n} : choisissez une sorte ou une période plus courte.',
                    'More than {n}: choose one kind or a shorter period.',
                  ],
                  { n: REPLAYED_MAX },
                )
              : say([
                  'Aucune adresse en service n’attendait ces événements.',
                  'No working endpoint subscribes to these events.',
                ]),
          acts: linkButton(back, say(['Revenir aux filtres', 'Back to the filters']), 'second'),
        })
      : question(request, { chosen, able, deliveries, errors, back })
  const main = html`${backLink(back, say(['Événements', 'Events']))}<div class="narrow wider">${errorList(say, errors)}${content}</div>`
  const facts = { chosen, events, deliveries: Object.fromEntries(deliveries) }
  return { kind: 'view', status: refused === null ? 200 : 422, title, main, facts }
}

function question(
  request: Request,
  {
    chosen,
    able,
    deliveries,
    errors,
    back,
  }: {
    chosen: Chosen
    able: readonly ShownEndpoint[]
    deliveries: ReadonlyMap<string, number>
    errors: readonly { readonly field: string; readonly text: string }[]
    back: string
  },
): Html {
  const { say, at } = request
  const all = say(['toutes', 'all'])
  const [only, ...others] = able
  const filters = rows([
    { name: say(['Sorte', 'Kind']), value: chosen.type || all },
    chosen.from !== '' && { name: say(['Du', 'From']), value: chosen.from },
    chosen.to !== '' && { name: say(['Au', 'To']), value: chosen.to },
    chosen.about !== '' && { name: say(['Opération ou référence', 'Operation or reference']), value: chosen.about },
  ])
  const to = choices(
    {
      name: 'endpoint',
      legend: say(['Vers', 'To']),
      kind: 'radio',
      chosen: only !== undefined && others.length === 0 ? [only.endpoint_id] : [],
      choices: able.map(({ endpoint_id, url }) => {
        const host = hostOf(url)
        const alike = able.filter((one) => hostOf(one.url) === host).length > 1
        return {
          value: endpoint_id,
          label: alike ? `${host} · …${endpoint_id.slice(-6)}` : host,
          hint: say(['Événements : {n}.', 'Events: {n}.'], { n: groupDigits(deliveries.get(endpoint_id) ?? 0) }),
        }
      }),
    },
    errors,
  )
  const again = note(
    'plain',
    null,
    say([
      'Tous repartent, même ceux que votre serveur a déjà reçus. Il les reconnaît à leur numéro. Aucun argent ne bouge.',
      'All are sent again, also those that your server has received. It recognises them by their id. No money moves.',
    ]),
  )
  const title = say(['Rejouer ces événements ?', 'Replay these events?'])
  const cancel = linkButton(back, say(['Annuler', 'Cancel']), 'quiet')
  const acts = html`<div class="acts"><button>${say(['Rejouer', 'Replay'])}</button>${cancel}</div>`
  const content = html`<div class="stack"><h1>${title}</h1>${filters}${to}${again}</div>${acts}`
  return form(request, filteredAddress(at('/events/replay'), chosen), content, { class: 'slip' })
}
