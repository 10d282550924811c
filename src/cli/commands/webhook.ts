import { createEndpoint } from '../../webhooks/endpoints/create-endpoint.ts'
import { disableEndpoint } from '../../webhooks/endpoints/disable-endpoint.ts'
import { enableEndpoint } from '../../webhooks/endpoints/enable-endpoint.ts'
import { rotateSecret } from '../../webhooks/endpoints/rotate-secret.ts'
import { testEndpoint } from '../../webhooks/endpoints/test-endpoint.ts'
import { replayEvent } from '../../webhooks/replay.ts'
import { findEndpoint } from '../../webhooks/store.ts'
import { type Command, CommandError, defineCommand, idOf, readTenant, sampleId } from '../command.ts'

const tenantOptions = { merchant: 'needed', mode: 'needed' } as const

const endpointCreate = defineCommand({
  name: 'endpoint create',
  summary: "Create an endpoint for a merchant's events, and send it a test; the secret is shown once",
  right: 'webhooks.manage',
  fresh: true,
  options: {
    ...tenantOptions,
    url: { kind: 'needed', value: 'URL', says: 'where events are sent', sample: 'https://shop.example/webhooks' },
    event: { kind: 'list', value: 'TYPE', says: 'only this kind, such as payment.succeeded; otherwise all' },
    as: 'optional',
  },
  async run(context, { merchant, mode, url, event, as }) {
    const sql = await context.sql()
    const deps = { sql, secretKey: await context.secretKey(), egress: await context.egress(), clock: context.clock }
    const tenant = readTenant({ merchant, mode })
    const result = await createEndpoint(deps, tenant, { url, event_types: event }, context.actor(as))
    if (result.kind === 'refused') throw new CommandError(endpointRefusals[result.code])
    return { endpoint_id: result.endpoint_id, secret: result.secret.reveal(), url }
  },
})

const endpointRefusals = {
  invalid_url: 'Webhooks do not go to this address: a public https address is expected (see EGRESS_ALLOW).',
  invalid_event_type: 'There is no such event type.',
  too_many_endpoints: 'This merchant has the largest number of endpoints already.',
}

const endpointTest = defineCommand({
  name: 'endpoint test',
  summary: 'Send endpoint.test to an endpoint, and to no other',
  right: 'webhooks.manage',
  merchantOf: async (context, { id }) => (await findEndpoint(await context.sql(), id))?.merchant_id ?? null,
  options: { id: idOf('whe', 'endpoint'), as: 'optional' },
  async run(context, { id, as }) {
    const result = await testEndpoint({ sql: await context.sql(), clock: context.clock }, id, context.actor(as))
    if (result.kind === 'refused') throw new CommandError(testRefusals[result.code])
    return { endpoint_id: id, event_id: result.event_id }
  },
})

const testRefusals = {
  resource_not_found: 'There is no such endpoint.',
  endpoint_disabled: 'This endpoint is disabled: enable it first.',
}

const endpointEnable = defineCommand({
  name: 'endpoint enable',
  summary: 'Enable an endpoint, and send the events that were held for it',
  right: 'webhooks.manage',
  options: { ...tenantOptions, endpoint: 'needed', as: 'optional' },
  async run(context, { merchant, mode, endpoint, as }) {
    const result = await enableEndpoint(
      await context.sql(),
      readTenant({ merchant, mode }),
      endpoint,
      context.actor(as),
    )
    return switched(endpoint, result)
  },
})

const endpointDisable = defineCommand({
  name: 'endpoint disable',
  summary: 'Disable an endpoint; the service holds its events',
  right: 'webhooks.manage',
  options: { ...tenantOptions, endpoint: 'needed', as: 'optional' },
  async run(context, { merchant, mode, endpoint, as }) {
    const result = await disableEndpoint(
      await context.sql(),
      readTenant({ merchant, mode }),
      endpoint,
      context.actor(as),
    )
    return switched(endpoint, result)
  },
})

function switched(endpoint_id: string, result: { kind: string }): object {
  if (result.kind === 'refused') throw new CommandError(`There is no endpoint ${endpoint_id}.`)
  return { endpoint_id, status: result.kind }
}

const endpointRotateSecret = defineCommand({
  name: 'endpoint rotate-secret',
  summary: 'Give an endpoint a new secret; for 24 hours a second header carries the signature with the old one',
  right: 'webhooks.manage',
  fresh: true,
  options: { ...tenantOptions, endpoint: 'needed', as: 'optional' },
  async run(context, { merchant, mode, endpoint, as }) {
    const deps = { sql: await context.sql(), secretKey: await context.secretKey() }
    const result = await rotateSecret(deps, readTenant({ merchant, mode }), endpoint, context.actor(as))
    if (result.kind === 'refused') throw new CommandError(`There is no endpoint ${endpoint}.`)
    return { endpoint_id: endpoint, secret: result.secret.reveal() }
  },
})

const eventReplay = defineCommand({
  name: 'event replay',
  summary: 'Send an event again to every endpoint that it was meant for',
  right: 'webhooks.manage',
  options: {
    ...tenantOptions,
    event: { kind: 'needed', value: 'evt_…', says: 'the event', sample: sampleId('evt') },
    as: 'optional',
  },
  async run(context, { merchant, mode, event, as }) {
    const result = await replayEvent(await context.sql(), readTenant({ merchant, mode }), event, context.actor(as))
    if (result.kind === 'refused') throw new CommandError(`There is no event ${event} with a delivery.`)
    return { event_id: event, deliveries: result.deliveries }
  },
})

export const commands: readonly Command[] = [
  endpointCreate,
  endpointTest,
  endpointEnable,
  endpointDisable,
  endpointRotateSecret,
  eventReplay,
]
