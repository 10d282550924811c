import type { ActCall, merchant } from '../../acts/act.ts'
import { createEndpoint } from '../../webhooks/endpoints/create-endpoint.ts'
import { rotateSecret } from '../../webhooks/endpoints/rotate-secret.ts'
import { disableEndpoint, enableEndpoint } from '../../webhooks/endpoints/switch-endpoint.ts'
import { testEndpoint } from '../../webhooks/endpoints/test-endpoint.ts'
import { replayEventAct } from '../../webhooks/replay.ts'
import { findEndpoint } from '../../webhooks/store.ts'
import { actCommand } from '../act-command.ts'
import type { Command } from '../command.ts'

const endpointCreate = actCommand(createEndpoint, {
  async deps(context, call) {
    const { tenant, values } = call as ActCall<typeof merchant, { url: string }>
    const egress = await context.egress()
    return { secretKey: await context.secretKey(), target: await egress.vet(values.url, tenant.livemode) }
  },
  instead: {
    options: {
      url: { kind: 'needed', value: 'URL', says: 'where events are sent', sample: 'https://shop.example/webhooks' },
      event: { kind: 'list', value: 'TYPE', says: 'only this kind, such as payment.succeeded; otherwise all' },
    },
    typed: ({ url, event }) => ({ url: String(url), types: (event as readonly string[]).join(' ') }),
  },
  answer: ({ endpoint_id, secret, url }) => ({ endpoint_id, secret: secret.reveal(), url }),
})

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

const eventReplay = actCommand(replayEventAct, { answer: (replayed) => replayed })

export const commands: readonly Command[] = [
  endpointCreate,
  endpointTest,
  endpointEnable,
  endpointDisable,
  endpointRotateSecret,
  eventReplay,
]
