import { type ActCall, defineAct } from '../../acts/act.ts'
import { defineEffect, type Effect } from '../../platform/commands/effects.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { enqueue } from '../../platform/queue/jobs.ts'
import { deliverJob } from '../jobs.ts'
import * as store from '../store.ts'
import type { EndpointKey } from './endpoint.ts'
import { endpoint, type LockedEndpoint, loadEndpoint } from './load-endpoint.ts'

type Status = LockedEndpoint['status']

const writeEnabled = defineEffect<EndpointKey>('endpoint', async (tx, endpoints) => {
  for (const one of endpoints) await store.enableEndpoint(tx, one)
})

const writeDisabled = defineEffect<EndpointKey>('endpoint', async (tx, endpoints) => {
  for (const one of endpoints) await store.disableEndpoint(tx, one)
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
  decide: (_, has) => turn(has, 'enabled', [writeEnabled(has.key), releaseHeld(has.key)]),
})

/** Disables an endpoint. New events and waiting ones are held until it is enabled. */
export const disableEndpoint = defineAct({
  ...common,
  name: 'endpoint.disable',
  summary: 'Disable an endpoint; the service holds its events',
  title: ['Arrêter cette adresse', 'Disable this endpoint'],
  decide: (_, has) => turn(has, 'disabled', [writeDisabled(has.key), holdWaiting(has.key)]),
})

function turn({ key, status: before }: LockedEndpoint, status: Status, effects: Effect[]) {
  const result = { endpoint_id: key.endpoint_id, status }
  if (before === status) return { kind: 'unchanged', result } as const
  return { kind: 'accepted', effects, result, before: { status: before }, after: { status } } as const
}
