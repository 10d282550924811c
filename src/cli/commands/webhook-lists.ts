import { findRequest } from '../../request-log/find-request.ts'
import { requestList } from '../../screens/requests/request-list.ts'
import { deliveryList } from '../../screens/webhooks/delivery-list.ts'
import { listEndpoints } from '../../webhooks/endpoints/find-endpoints.ts'
import type { Event } from '../../webhooks/event.ts'
import { eventTypes } from '../../webhooks/event-types.ts'
import { findEvents } from '../../webhooks/find-events.ts'
import { type Command, CommandError, defineCommand, readTenant } from '../command.ts'
import { listCommand } from '../list-command.ts'
import { listed, listOptions, pageOptions, readList, readTenantOrAll } from '../page.ts'

const endpointList = defineCommand({
  name: 'endpoint list',
  summary: 'Show the webhook endpoints of merchants, newest first, and which of them fail',
  options: {
    ...listOptions,
    status: { kind: 'optional', says: 'only in this state', choices: ['enabled', 'disabled'] },
  },
  table: {
    rows: 'endpoints',
    columns: ['endpoint_id', 'merchant', 'status', 'failing_since:failing', 'url'],
    empty: 'No such endpoints.',
  },
  async run(context, { status, ...words }) {
    const page = await listEndpoints(await context.reads(), { ...readList(words, 'whe'), status: status ?? null })
    return listed('endpoints', page, ({ endpoint_id, ...rest }) => ({ endpoint_id, ...rest }))
  },
})

const eventList = defineCommand({
  name: 'event list',
  summary: "Show a merchant's events, newest first, with the state of their deliveries",
  options: {
    merchant: 'needed',
    mode: 'needed',
    type: { kind: 'optional', value: 'TYPE', says: 'only this kind, such as payment.succeeded', choices: eventTypes },
    about: { kind: 'optional', value: 'ID', says: 'only events about this payment, payout or other object' },
    ...pageOptions,
  },
  table: { rows: 'events', columns: ['id', 'type', 'about', 'told'], empty: 'No such events.' },
  async run(context, { type, about, ...words }) {
    const { limit, after } = readList(words, 'evt')
    const { events, has_more } = await findEvents(await context.reads(), {
      ...readTenant(words),
      types: type === undefined ? eventTypes : [type],
      subject_id: about ?? null,
      before: after,
      limit,
    })
    const after_id = has_more ? (events.at(-1)?.id ?? null) : null
    return listed('events', { rows: events, after: after_id }, viewEvent)
  },
})

/** An event as a list shows it, without its body, which may contain a full phone number. */
function viewEvent({ id, type, created_at, data, deliveries }: Event): object {
  const told = Object.entries(Object.groupBy(deliveries, ({ status }) => status))
    .map(([status, of]) => `${of.length} ${status}`)
    .join(', ')
  return { id, type, about: data.id, created_at, told: told || 'nobody', deliveries }
}

const deliveryListed = listCommand(deliveryList, {
  noun: 'delivery',
  summary: "Show the deliveries of a merchant's events to its endpoints, newest first, and how each stands",
  columns: ['id', 'type', 'status', 'attempts', 'last_response_status:answer', 'created_at', 'endpoint_id'],
  empty: 'No such deliveries.',
})

const requestLogListed = listCommand(requestList, {
  noun: 'request-log',
  summary: "Show a merchant's calls of the API in the last thirty days, newest first, and how each was answered",
  columns: ['requested_at', 'status', 'error_code:error', 'method', 'path', 'key_id', 'request_id'],
  empty: 'No such calls.',
})

const requestLogShow = defineCommand({
  name: 'request-log show',
  summary: 'Show a call of the API by the Service-Request-Id of its answer',
  details: 'Give --merchant when you know it: searching all merchants takes longer.',
  options: {
    id: {
      kind: 'needed',
      value: 'UUID',
      says: 'the Service-Request-Id',
      sample: '7d0b1f1e-5a4c-4f0e-9d3a-2b6c8e1f4a70',
    },
    merchant: 'optional',
    mode: 'optional',
  },
  async run(context, { id, ...words }) {
    const found = await findRequest(await context.reads(), { request_id: id, tenant: readTenantOrAll(words) })
    if (!('kind' in found)) return found
    if (found.code === 'invalid_id') {
      throw new CommandError('--id must be a Service-Request-Id. Every answer of the API has one.', 2)
    }
    throw new CommandError(
      'The request log has no such call. It does not record calls without a key, and old calls are deleted.',
    )
  },
})

export const commands: readonly Command[] = [endpointList, eventList, deliveryListed, requestLogListed, requestLogShow]
