import { type ActCall, defineAct } from '../../acts/act.ts'
import { defineEffect, type Effect } from '../../platform/commands/effects.ts'
import { defineTransition } from '../../platform/commands/transitions.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { enqueue } from '../../platform/queue/jobs.ts'
import { deliverJob } from '../jobs.ts'
import * as store from '../store.ts'
import type { EndpointKey } from './endpoint.ts'
import { endpoint, type LockedEndpoint, loadEndpoint } from './load-endpoint.ts'
import { endpointTransitions } from './states.ts'

/** Moves a locked endpoint along its table of transitions; see `defineTransition`. */
export const transitionEndpoint = defineTransition({
  rank: 'endpoint',
  transitions: endpointTransitions,
  change: (_: LockedEndpoint) => ({}),
  async write(tx, moved) {
    for (const { key, status } of moved) {
      await (status === 'enabled' ? store.enableEndpoint(tx, key) : store.disableEndpoint(tx, key))
    }
  },
})

/** Releases the deliveries held for an endpoint: a thousand at most, and none that is being written. The sweep releases the others. */
const releaseHeld = defineEffect<EndpointKey>('delivery', async (tx, endpoints) => {
  for (const one of endpoints) {
    const released = await store.releaseDeliveries(tx, one)
    if (released.length > 0) enqueue(tx, deliverJob, [{ payload: one }])
  }
})

/** Holds the waiting deliveries of an endpoint, as many. No attempt of the others begins, because the endpoint is disabled. */
const holdWaiting = defineEffect<EndpointKey>('delivery', async (tx, endpoints) => {
  for (const one of endpoints) await store.holdSomeDeliveries(tx, one)
})

const common = {
  right: 'webhooks.manage',
  fresh: false,
  on: endpoint,
  fields: {},
  load: (tx: Tx, call: ActCall<typeof endpoint, object>) => loadEndpoint(tx, call),
  facts: {},
  content: () => ({}),
  refusals: {},
  unknown: 'There is no endpoint {endpoint}.',
} as const

/** Enables an endpoint, and sends the events that were held for it, each on a new schedule. */
export const enableEndpoint = defineAct({
  ...common,
  name: 'endpoint.enable',
  summary: 'Enable an endpoint, and send the events that were held for it',
  title: ['Reprendre cette adresse', 'Enable this endpoint'],
  decide: (_, has, now) => turn(has, 'enabled_by_person', releaseHeld(has.key), now),
})

/** Disables an endpoint. New events and waiting ones are held until it is enabled. */
export const disableEndpoint = defineAct({
  ...common,
  name: 'endpoint.disable',
  summary: 'Disable an endpoint; the service holds its events',
  title: ['Arrêter cette adresse', 'Disable this endpoint'],
  decide: (_, has, now) => turn(has, 'disabled_by_person', holdWaiting(has.key), now),
})

/** Moves the endpoint, then its deliveries. */
function turn(endpoint: LockedEndpoint, trigger: PersonsTrigger, ofDeliveries: Effect, now: Date) {
  const { endpoint_id } = endpoint.key
  const moved = transitionEndpoint(endpoint, { trigger }, now)
  if (moved === null) return { kind: 'unchanged', result: { endpoint_id, status: endpoint.status } } as const
  const { status } = moved.row
  return {
    kind: 'accepted',
    effects: [...moved.effects, ofDeliveries],
    result: { endpoint_id, status },
    before: { status: endpoint.status },
    after: { status },
  } as const
}

type PersonsTrigger = 'enabled_by_person' | 'disabled_by_person'
