import assert from 'node:assert/strict'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { machineMilliseconds } from '../../src/platform/clock.ts'
import type { Installation } from '../harness/installation.ts'
import { type ReceivedRequest, startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkWebhook } from './check-described.ts'
import { PATIENCE, type Sender } from './sender.ts'

/** An event that a merchant accepted after checking its signature. */
export type MerchantEvent = {
  id: string
  type: string
  created_at: string
  data: { id: string; status: string }
}

/** A merchant's server with a registered endpoint, and its received events. */
export type Told = {
  /** The events received so far about a resource, in the order in which they happened. */
  about(id: string): MerchantEvent[]
  /** Waits for exactly these events of a resource. */
  until(id: string, types: readonly string[]): Promise<MerchantEvent[]>
  /** All events, as they came. */
  all(): MerchantEvent[]
  [Symbol.asyncDispose](): Promise<void>
}

/** Registers an endpoint for a merchant as an operator of the service does. */
export async function listenFor({ bandama }: Installation, { words }: Pick<Sender, 'words'>): Promise<Told> {
  const receiver = await startReceiver()
  const endpoint = await bandama('endpoint', 'create', ...words, '--url', `${receiver.url}/webhooks`)
  const secret = String(endpoint.secret)
  const all = () => receiver.requests.map((request) => readEvent(request, secret))
  const about = (id: string) =>
    all()
      .filter(({ data }) => data.id === id)
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
  return {
    all,
    about,
    async until(id, types) {
      await waitFor(() => about(id).length >= types.length, { ...PATIENCE, what: `${types.join(' and ')} of ${id}` })
      const events = about(id)
      assert.deepEqual(
        events.map(({ type }) => type),
        types,
      )
      return events
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}

/** Reads an event like a merchant: checks the signature over the exact bytes and the time, and only then parses the body. */
function readEvent({ method, headers, body }: ReceivedRequest, secret: string): MerchantEvent {
  assert.equal(method, 'POST')
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['service-signature'])) ?? []
  const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest()
  assert.ok(timingSafeEqual(expected, Buffer.from(v1 ?? '', 'hex')), 'signed by the service')
  assert.ok(Math.abs(machineMilliseconds() / 1000 - Number(t)) <= 300, 'and lately')
  const event = JSON.parse(body.toString('utf8')) as MerchantEvent & { object: string; api_version: string }
  assert.deepEqual(Object.keys(event), ['id', 'object', 'type', 'api_version', 'created_at', 'livemode', 'data'])
  assert.deepEqual([event.object, event.api_version], ['event', '2026-08-25'])
  checkWebhook(event)
  for (const prefix of ['service', 'legacy']) assert.equal(headers[`${prefix}-event-id`], event.id)
  return event
}
