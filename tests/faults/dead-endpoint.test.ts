import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { emitEvents } from '../../src/webhooks/emit.ts'
import { newSender, type Sender } from '../contract/sender.ts'
import { freePort } from '../harness/free-port.ts'
import { openInstallation } from '../harness/installation.ts'
import { type ReceivedRequest, startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait-for.ts'
import { payments } from '../harness/webhooks.ts'

/** The number of transactions, each with a job: three times as many as the worker runs at once. */
const TRANSACTIONS = 200
const EVENTS_EACH = 15
/** A delivery takes some milliseconds. This leaves room for a machine that is busy with other tests. */
const PROMPTLY_MS = 10_000

const eventId = ({ body }: ReceivedRequest): string => JSON.parse(body.toString()).id

test('a dead endpoint with thousands of due events delays no other merchant, and gets them once it answers again', async () => {
  await using installation = await openInstallation({ own: 'reads whole tables' })
  const { sql } = installation.db
  const emit = (sender: Sender, count: number) =>
    sql.begin((tx) => emitEvents(tx, payments(sender.tenant, count), createClock().now()))
  const endpoint = ({ words }: Sender, url: string) =>
    installation.bandama('endpoint', 'create', ...words, '--url', url)

  const port = await freePort()
  const dead = await newSender(installation, { funds: 0 })
  const { endpoint_id } = await endpoint(dead, `http://127.0.0.1:${port}/`)
  await using receiver = await startReceiver()
  const healthy = await newSender(installation, { funds: 0 })
  await endpoint(healthy, receiver.url)
  await waitFor(() => receiver.requests.length === 1, { deadline_ms: PROMPTLY_MS, what: 'the test of the endpoint' })

  for (let at = 0; at < TRANSACTIONS; at += 1) await emit(dead, EVENTS_EACH)
  for (let at = 0; at < 5; at += 1) {
    const [id] = await emit(healthy, 1)
    await waitFor(() => receiver.requests.some((request) => eventId(request) === id), {
      deadline_ms: PROMPTLY_MS,
      what: `event ${at} of the other merchant`,
    })
  }

  const deadFared = async () => {
    const [row] = await sql<{ untried: number; delivered: number }[]>`
      select count(*) filter (where attempts = 0) as untried,
             count(*) filter (where status = 'delivered') as delivered
        from deliveries
       where merchant_id = ${dead.tenant.merchant_id} and endpoint_id = ${String(endpoint_id)}`
    return row!
  }
  const { untried } = await deadFared()
  assert.ok(untried > 1_000, `only ${untried} events were still due to the dead endpoint: nothing was overtaken`)

  await using _revived = await startReceiver({}, { port })
  const due = TRANSACTIONS * EVENTS_EACH
  await waitFor(async () => (await deadFared()).delivered >= untried, {
    deadline_ms: 100_000,
    what: `most of the ${due} events of the endpoint that is back`,
  })
})
