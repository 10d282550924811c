import { createEndpoint } from '../../webhooks/endpoints/create-endpoint.ts'
import { rotateSecret } from '../../webhooks/endpoints/rotate-secret.ts'
import { disableEndpoint, enableEndpoint } from '../../webhooks/endpoints/switch-endpoint.ts'
import { testEndpoint } from '../../webhooks/endpoints/test-endpoint.ts'
import { replayEvent } from '../../webhooks/replay.ts'
import { findEndpoint } from '../../webhooks/store.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand, readTenant, sampleId } from '../command.ts'

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

const endpointTest = actCommand(testEndpoint, {
  merchantOf: async (context, id) => (await findEndpoint(await context.sql(), id))?.merchant_id ?? null,
  answer: (sent) => sent,
})

const endpointEnable = actCommand(enableEndpoint, { answer: (switched) => switched })

const endpointDisable = actCommand(disableEndpoint, { answer: (switched) => switched })

const endpointRotateSecret = actCommand(rotateSecret, {
  deps: async (context) => ({ secretKey: await context.secretKey() }),
  answer: ({ endpoint_id, secret }) => ({ endpoint_id, secret: secret.reveal() }),
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
