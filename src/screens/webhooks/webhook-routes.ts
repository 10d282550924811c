import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { fieldsOf } from '../../console/lists/define-list.ts'
import { readList } from '../../console/lists/draw-list.ts'
import { absent, defineConsoleScreen, moved, type ScreenRequest } from '../../console/screen.ts'
import type { Egress } from '../../platform/egress/post.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import {
  type CreateEndpointDeps,
  createEndpoint,
  type EndpointCreated,
} from '../../webhooks/endpoints/create-endpoint.ts'
import { ENDPOINT_STOPPED } from '../../webhooks/endpoints/load-endpoint.ts'
import { rotateSecret } from '../../webhooks/endpoints/rotate-secret.ts'
import { disableEndpoint, enableEndpoint } from '../../webhooks/endpoints/switch-endpoint.ts'
import { testEndpoint } from '../../webhooks/endpoints/test-endpoint.ts'
import { replayEndpoint } from '../../webhooks/replay-endpoint.ts'
import { type ShownEndpoint, showEndpoints } from '../../webhooks/show-deliveries.ts'
import { deliveryList } from './delivery-list.ts'
import { newEndpointView, replayView, secretView, type TypedEndpoint, webhooksView } from './webhook-views.ts'

export type WebhookScreenDeps = { readonly webhooks: { readonly sql: Sql; readonly egress: Egress } }
type Request = ScreenRequest<'console'>

/** Shows the list of endpoints and deliveries, with a sentence above it after a refused act. */
async function show(request: Request, { sql }: { readonly sql: Sql }, refused: string | null = null) {
  const [endpoints, deliveries] = await Promise.all([
    showEndpoints(sql, request.tenant),
    readList(deliveryList, request, sql, null),
  ])
  return webhooksView(request, { endpoints, deliveries }, refused)
}

async function endpointOf({ tenant, params }: Request, { webhooks }: WebhookScreenDeps): Promise<ShownEndpoint | null> {
  const endpoints = await showEndpoints(webhooks.sql, tenant)
  return endpoints.find(({ endpoint_id }) => endpoint_id === params.endpoint) ?? null
}

export const getWebhooks = defineConsoleScreen<WebhookScreenDeps>({
  method: 'GET',
  path: '/webhooks',
  query: [...fieldsOf(deliveryList).map(({ name }) => name), 'after'],
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

type CreationDeps = WebhookScreenDeps & ActScreenDeps & CreateEndpointDeps

const postEndpoint = consoleAct<CreateEndpointDeps, EndpointCreated, CreationDeps>(createEndpoint, {
  path: '/webhooks',
  back: ({ at }) => at('/webhooks'),
  text: ({ fields }, name) => (name === 'types' ? fields.all('types').join(' ') : undefined),
  async prepare({ fields, tenant }, deps) {
    return { ...deps, target: await deps.webhooks.egress.vet(fields.text('url'), tenant.livemode) }
  },
  done: (request, { secret, url }) => secretView(request, { secret: secret.reveal(), url, rotated: false }),
  again: async (request, _, errors) => newEndpointView(request, typedIn(request), errors),
})

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
