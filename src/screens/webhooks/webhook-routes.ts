import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import { rows } from '../../console/components.ts'
import type { FieldError } from '../../console/forms.ts'
import { unreadFilters } from '../../console/list.ts'
import { absent, defineConsoleScreen, moved, type ScreenRequest } from '../../console/screen.ts'
import { html } from '../../platform/http/html.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type CreateEndpointDeps, createEndpoint } from '../../webhooks/endpoints/create-endpoint.ts'
import { ENDPOINT_STOPPED } from '../../webhooks/endpoints/load-endpoint.ts'
import { rotateSecret } from '../../webhooks/endpoints/rotate-secret.ts'
import { disableEndpoint, enableEndpoint } from '../../webhooks/endpoints/switch-endpoint.ts'
import { testEndpoint } from '../../webhooks/endpoints/test-endpoint.ts'
import { isEventType } from '../../webhooks/event-types.ts'
import { replayEndpoint } from '../../webhooks/replay-endpoint.ts'
import { listDeliveries, type ShownEndpoint, showEndpoints } from '../../webhooks/show-deliveries.ts'
import { chosenDeliveries, deliveryFilterNames, deliveryFilters } from './delivery-filters.ts'
import { newEndpointView, replayView, secretView, type TypedEndpoint, webhooksView } from './webhook-views.ts'

export type WebhookScreenDeps = { readonly webhooks: CreateEndpointDeps }
type Request = ScreenRequest<'console'>

const PAGE = 50

/** Shows the list of endpoints and deliveries, with a sentence above it after a refused act. */
async function show(request: Request, { sql }: { readonly sql: Sql }, refused: string | null = null) {
  const { query, tenant } = request
  const chosen = chosenDeliveries(request)
  const after = query.get('after') ?? ''
  const wanted = { after: /^evt_\w+\.whe_\w+$/.test(after) ? after : null, limit: PAGE }
  const [endpoints, page] = await Promise.all([
    showEndpoints(sql, tenant),
    listDeliveries(sql, tenant, deliveryFilters(chosen), wanted),
  ])
  return webhooksView(request, { endpoints, chosen, unread: unreadFilters(request, chosen), page }, refused)
}

async function endpointOf({ tenant, params }: Request, { webhooks }: WebhookScreenDeps): Promise<ShownEndpoint | null> {
  const endpoints = await showEndpoints(webhooks.sql, tenant)
  return endpoints.find(({ endpoint_id }) => endpoint_id === params.endpoint) ?? null
}

export const getWebhooks = defineConsoleScreen<WebhookScreenDeps>({
  method: 'GET',
  path: '/webhooks',
  query: [...deliveryFilterNames, 'after'],
  operation: 'consoleWebhooks',
  summary: 'The endpoints of a merchant, and the deliveries that the filters match, newest first',
  right: 'webhooks.read',
  menu: { group: 'developers', icon: 'hook', words: ['Webhooks', 'Webhooks'] },
  handle: (request, { webhooks }) => show(request, webhooks),
})

export const getNewEndpoint = defineConsoleScreen({
  method: 'GET',
  path: '/webhooks/new',
  operation: 'consoleNewEndpoint',
  summary: 'The form of a new endpoint',
  right: 'webhooks.manage',
  handle: async (request) => newEndpointView(request, { url: '', types: [] }, []),
})

function typedIn({ fields }: Request): TypedEndpoint {
  return { url: fields.text('url'), types: [...new Set(fields.all('types'))] }
}

export const postEndpoint = defineConsoleScreen<WebhookScreenDeps>({
  method: 'POST',
  path: '/webhooks',
  operation: 'consoleCreateEndpoint',
  summary: 'Create an endpoint; its secret is shown once',
  right: 'webhooks.manage',
  async confirm(request, { webhooks }) {
    const { say, at, tenant } = request
    const typed = typedIn(request)
    const vetted = await webhooks.egress.vet(typed.url, tenant.livemode)
    if (vetted.kind === 'refused') return newEndpointView(request, typed, [refusedUrl(request)])
    if (!typed.types.every(isEventType)) return newEndpointView(request, typed, [unknownType(request)])
    const title = say(['Ajouter une adresse', 'Add an endpoint'])
    const to = typed.types.length === 0 ? say(['tout', 'everything']) : typed.types.join(', ')
    return {
      kind: 'confirm',
      subject: null,
      content: { url: vetted.url.href, types: typed.types, livemode: tenant.livemode },
      title,
      back: at('/webhooks'),
      shown: html`<h1>${title}</h1>${rows([
        { name: say(['Vers', 'To']), value: vetted.url.host },
        { name: say(['Reçoit', 'Receives']), value: to },
      ])}`,
    }
  },
  async handle(request, { webhooks }) {
    const typed = typedIn(request)
    const result = await createEndpoint(
      webhooks,
      request.tenant,
      { url: typed.url, event_types: typed.types },
      request.actor,
    )
    if (result.kind === 'created')
      return secretView(request, { secret: result.secret.reveal(), url: typed.url, rotated: false })
    if (result.code === 'invalid_url') return newEndpointView(request, typed, [refusedUrl(request)])
    if (result.code === 'invalid_event_type') return newEndpointView(request, typed, [unknownType(request)])
    const text = request.say([
      'Vous avez déjà seize adresses. Arrêtez-en une.',
      'You have sixteen endpoints already. Stop one.',
    ])
    return newEndpointView(request, typed, [{ field: 'url', text }])
  },
})

function unknownType({ say }: Request): FieldError {
  return { field: 'types', text: say(['Un de ces événements n’existe pas.', 'One of these events does not exist.']) }
}

function refusedUrl({ say }: Request): FieldError {
  const text = say([
    'Cette adresse ne convient pas : il faut une adresse https publique.',
    'This URL cannot be used: it must be a public https URL.',
  ])
  return { field: 'url', text }
}

export const postEndpointRotate = consoleAct(rotateSecret, {
  path: '/webhooks/:id/rotate',
  back: ({ at }) => at('/webhooks'),
  done: (request, { secret, url }) => secretView(request, { secret: secret.reveal(), url, rotated: true }),
  again: showRefused,
})

export const postEndpointEnable = consoleAct(enableEndpoint, {
  path: '/webhooks/:id/enable',
  back: ({ at }) => at('/webhooks'),
  done: () => '/webhooks?done=saved',
  again: showRefused,
})

export const postEndpointDisable = consoleAct(disableEndpoint, {
  path: '/webhooks/:id/disable',
  back: ({ at }) => at('/webhooks'),
  done: () => '/webhooks?done=stopped',
  again: showRefused,
})

export const postEndpointTest = consoleAct(testEndpoint, {
  path: '/webhooks/:id/test',
  back: ({ at }) => at('/webhooks'),
  done: () => '/webhooks?done=sent',
  again: showRefused,
})

function showRefused(request: Request, deps: ActScreenDeps, errors: readonly FieldError[]) {
  return show(request, deps, errors[0]?.text ?? null)
}

export const getEndpointReplay = defineConsoleScreen<WebhookScreenDeps>({
  method: 'GET',
  path: '/webhooks/:endpoint/replay',
  operation: 'consoleCountReplay',
  summary: 'Count the events that an endpoint did not accept',
  right: 'webhooks.manage',
  async handle(request, deps) {
    const endpoint = await endpointOf(request, deps)
    return endpoint === null ? absent : replayView(request, endpoint)
  },
})

export const postEndpointReplay = defineConsoleScreen<WebhookScreenDeps>({
  method: 'POST',
  path: '/webhooks/:endpoint/replay',
  operation: 'consoleReplayEndpoint',
  summary: 'Send again the events that an endpoint did not accept',
  right: 'webhooks.manage',
  async handle(request, deps) {
    const { tenant, params, actor, at } = request
    const result = await replayEndpoint(deps.webhooks.sql, { ...tenant, endpoint_id: params.endpoint! }, actor)
    if (result.kind === 'replayed') return moved(at('/webhooks?done=replayed'))
    return result.code === 'resource_not_found' ? absent : show(request, deps.webhooks, request.say(ENDPOINT_STOPPED))
  },
})

export const webhookScreens = [
  getWebhooks,
  getNewEndpoint,
  postEndpoint,
  postEndpointRotate,
  postEndpointEnable,
  postEndpointDisable,
  postEndpointTest,
  getEndpointReplay,
  postEndpointReplay,
] as const
