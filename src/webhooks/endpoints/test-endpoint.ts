import Type from 'typebox'
import { defineAct, isWithin, refuse, row } from '../../acts/act.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Tenant, tenantOf } from '../../values/caller.ts'
import { livemode, objectField } from '../../values/fields.ts'
import { newId } from '../../values/ids.ts'
import { emitEvent, type NewEvent } from '../emit.ts'
import { eventTypes } from '../event-types.ts'
import * as store from '../store.ts'
import { ENDPOINT_STOPPED } from './load-endpoint.ts'

/** An endpoint in the event of its test. */
export const TestedEndpoint = Type.Object(
  {
    id: Type.String({ description: 'Prefix `whe_`.' }),
    object: objectField('endpoint'),
    status: Type.Literal('enabled', { description: 'Always `enabled`: a disabled endpoint gets nothing.' }),
    event_types: Type.Array(Type.Enum([...eventTypes]), { description: 'Those it subscribes to. Empty: all.' }),
    livemode,
  },
  { $id: 'TestedEndpoint', description: 'The endpoint that gets the event, without its URL.' },
)

/**
 * Sends `endpoint.test` to one endpoint only, also if the endpoint does not subscribe to it: the merchant sees that its server is reached
 * and can verify a signature before any money moves.
 */
export const testEndpoint = defineAct({
  name: 'endpoint.test',
  summary: 'Send endpoint.test to an endpoint, and to no other',
  title: ['Essayer cette adresse', 'Test this endpoint'],
  right: 'webhooks.manage',
  fresh: false,
  on: row('whe', 'endpoint'),
  fields: {},
  async load(tx, { id, within }, { clock }: { readonly clock: Clock }) {
    const endpoint = await store.findEndpoint(tx, id)
    if (endpoint === null || !isWithin(endpoint, within)) return null
    return { about: tenantOf(endpoint), endpoint, event_id: newId('evt', clock.milliseconds()) }
  },
  facts: {},
  content: () => ({}),
  decide({ id }, { endpoint, event_id }) {
    // The event would only be held.
    if (endpoint.status === 'disabled') return refuse('endpoint_disabled')
    const event = { ...testEvent(endpoint, id, endpoint), id: event_id }
    return { kind: 'accepted', effects: [emitEvent(event)], result: { endpoint_id: id, event_id }, after: { event_id } }
  },
  refusals: {
    endpoint_disabled: {
      words: ENDPOINT_STOPPED,
      command: 'This endpoint is disabled: enable it first.',
    },
  },
})

/** The event that announces an endpoint. It does not hold the endpoint's URL, which may contain a secret of its owner. */
export function testEvent(
  { merchant_id, livemode }: Tenant,
  id: string,
  { event_types }: { event_types: readonly string[] },
): NewEvent {
  const data = { id, object: 'endpoint', status: 'enabled', event_types, livemode }
  return { merchant_id, livemode, type: 'endpoint.test', subject_id: id, data, only_to: id }
}
