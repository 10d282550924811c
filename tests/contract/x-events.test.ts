import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { newId } from '../../src/values/ids.ts'
import { emitEvents } from '../../src/webhooks/emit.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { type ReceivedRequest, startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkRefusal } from './answers.ts'
import { isTime } from './book.ts'
import { newCollector } from './collector.ts'
import { refused } from './commands.ts'
import { newSender, PATIENCE, type Sender } from './sender.ts'
import { newSettler } from './settler.ts'
import { askExtensions, type Event, type EventList, readBody } from './x-answers.ts'
import { EVENTS, newEvent } from './x-refusal-cases.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

const { get, list, replay, stage } = askExtensions(() => installation)

test('events are read as they were delivered, newest first, each with its deliveries', async () => {
  await using receiver = await startReceiver(({ path }) => ({ status: path === '/good' ? 204 : 503 }))
  const collector = await newCollector(installation)
  const { key } = collector.merchant
  const endpoint = (...words: string[]) => installation.bandama('endpoint', 'create', ...collector.words, ...words)
  const good = await endpoint('--url', `${receiver.url}/good`)
  const bad = await endpoint('--url', `${receiver.url}/bad`, '--event', 'payment.succeeded')
  const { id } = await collector.collect(10_000)
  const about = () => list(key, `?subject_id=${id}`)
  const told = await waitFor(
    async () => {
      const { data } = await about()
      return (
        data.length === 2 && data.every(({ deliveries }) => deliveries.every(({ attempts }) => attempts > 0)) && data
      )
    },
    { ...PATIENCE, what: 'both events to be told' },
  )
  assert.deepEqual(
    told.map(({ type }) => type),
    ['payment.succeeded', 'payment.pending'],
  )
  const [succeeded, pending] = told
  assert.deepEqual(
    pending!.deliveries.map(({ endpoint_id }) => endpoint_id),
    [good.endpoint_id],
  )
  const of = (endpoint_id: unknown) => succeeded!.deliveries.find((delivery) => delivery.endpoint_id === endpoint_id)!
  const { id: deliveryId, ...delivered } = of(good.endpoint_id)
  assert.match(deliveryId, /^dlv_/)
  assert.deepEqual(delivered, {
    endpoint_id: good.endpoint_id,
    status: 'delivered',
    attempts: 1,
    last_response_status: 204,
    next_attempt_at: null,
  })
  const failing = of(bad.endpoint_id)
  assert.deepEqual([failing.status, failing.last_response_status], ['pending', 503])
  assert.ok(isTime(failing.next_attempt_at))

  // The event read is the event delivered, but for its deliveries.
  const sent = receiver.requests.map(eventIn).find((event) => event.id === succeeded!.id)
  const { deliveries, ...event } = await get<Event>(key, `${EVENTS}/${succeeded!.id}`)
  assert.deepEqual(event, sent)
  assert.equal(deliveries.length, 2)
})

const eventIn = ({ body }: ReceivedRequest) => JSON.parse(body.toString('utf8')) as Event

test('events are read page by page, none twice and none left out, by kind and by what they are about', async () => {
  const { tenant, key } = await newSender(installation, { funds: 0 })
  const ids: string[] = []
  for (let at = 0; at < 23; at += 1) ids.push(await newEvent(stage(), tenant, { subject_id: `txn_${at % 3}` }))
  const newest = ids.toReversed()
  const first = await list(key)
  assert.deepEqual([first.object, first.limit, first.has_more, first.data.length], ['list', 20, true, 20])
  for (const limit of [1, 7, 22, 23, 100]) {
    const found: string[] = []
    for (let cursor = ''; ; ) {
      const page = await list(key, `?limit=${limit}${cursor}`)
      assert.equal(page.limit, limit)
      found.push(...page.data.map(({ id }) => id))
      if (!page.has_more) break
      assert.equal(page.data.length, limit)
      cursor = `&starting_after=${page.data.at(-1)!.id}`
    }
    assert.deepEqual(found, newest, `pages of ${limit}`)
  }
  assert.equal((await list(key, '?limit=101')).limit, 100)
  const about = await list(key, '?subject_id=txn_1&type=payout.succeeded')
  assert.deepEqual(
    about.data.map(({ id }) => id),
    newest.filter((_, at) => (22 - at) % 3 === 1),
  )
  for (const query of [
    '?type=payout.failed',
    '?subject_id=txn_9',
    `?starting_after=${ids[0]}`,
    '?starting_after=evt_0',
  ]) {
    const { data, has_more } = await list(key, query)
    assert.deepEqual([data, has_more], [[], false], query)
  }
})

test('a page of events has 1 MB at most or one event alone, and the pages after it bring the rest', async () => {
  await using receiver = await startReceiver()
  const sender = await newSender(installation, { funds: 0 })
  for (const path of ['one', 'two']) {
    await installation.bandama('endpoint', 'create', ...sender.words, '--url', `${receiver.url}/${path}`)
  }
  const { key, tenant } = sender
  const ids: string[] = []
  const sizes = [1, 1_500, ...Array<number>(6).fill(350), 1_500, ...Array<number>(40).fill(1), 350]
  for (const kilobytes of sizes) ids.push(await newLargeEvent(tenant, kilobytes))
  const wanted = ids.toReversed()

  const found: string[] = []
  for (let cursor = ''; ; ) {
    const answer = await installation.ask({ path: `${EVENTS}?type=payout_batch.finished&limit=100${cursor}`, key })
    const { data, limit, has_more } = readBody<EventList>(answer)
    assert.equal(limit, 100)
    const bytes = Buffer.byteLength(answer.text)
    assert.ok(bytes <= 1_000_000 || data.length === 1, `${data.length} events of ${bytes} bytes`)
    assert.ok(data.every(({ deliveries }) => deliveries.length === 2))
    found.push(...data.map(({ id }) => id))
    assert.equal(has_more, found.length < wanted.length)
    if (!has_more) break
    cursor = `&starting_after=${data.at(-1)!.id}`
  }
  assert.deepEqual(found, wanted)

  // As long as they fit, the limit alone decides.
  const small = await list(key, '?type=payout_batch.finished&limit=30')
  assert.deepEqual([small.data.length, small.has_more], [30, true])
  // One event is answered whole, whatever its size.
  assert.equal((await get<Event>(key, `${EVENTS}/${ids[1]}`)).id, ids[1])
})

/** The end of a batch, of about this size in the database too: its text does not compress. */
async function newLargeEvent({ merchant_id, livemode }: Sender['tenant'], kilobytes: number): Promise<string> {
  const subject_id = newId('pob', 1)
  const noise = randomBytes(Math.ceil(kilobytes * 750)).toString('base64')
  const data = { id: subject_id, object: 'payout_batch', status: 'termine', noise }
  const event = { merchant_id, livemode, type: 'payout_batch.finished' as const, subject_id, data }
  const [id] = await installation.db.sql.begin((tx) => emitEvents(tx, [event], createClock().now()))
  return id!
}

test('a key reads the events of its own side, and those of settlements and endpoints with either', async () => {
  const { tenant, key: paying, merchant } = await newSender(installation, { funds: 0 })
  const moneyOut = await newEvent(stage(), tenant, { type: 'payout.succeeded' })
  const moneyIn = await newEvent(stage(), tenant, { type: 'payment.succeeded' })
  await newEvent(stage(), (await newSender(installation, { funds: 0 })).tenant)
  await newEvent(stage(), { ...tenant, livemode: true })
  const settler = await newSettler(installation, { of: merchant, available: 10_000 })
  const { id: settlement_id } = (await settler.request(5_000)).json() as { id: string }
  await installation.bandama('settlement', 'validate', '--id', settlement_id, '--as', 'awa@example.com')
  const kinds = async (key: string) => new Set((await list(key)).data.map(({ type }) => type))
  assert.deepEqual(await kinds(paying), new Set(['settlement.validated', 'payout.succeeded']))
  assert.deepEqual(await kinds(merchant.key), new Set(['settlement.validated', 'payment.succeeded', 'payment.pending']))
  assert.deepEqual((await list(merchant.key, '?type=payout.succeeded')).data, [])
  for (const [id, may, mayNot] of [
    [moneyOut, paying, merchant.key],
    [moneyIn, merchant.key, paying],
  ] as const) {
    assert.equal((await get<Event>(may, `${EVENTS}/${id}`)).id, id)
    checkRefusal(await installation.ask({ path: `${EVENTS}/${id}`, key: mayNot }), 404, 'resource_not_found')
    checkRefusal(await replay(mayNot, id), 404, 'resource_not_found')
  }
})

test('a replay sends the same bytes under the same id again; for a disabled endpoint it is held', async () => {
  await using receiver = await startReceiver()
  const sender = await newSender(installation, { funds: 0 })
  const { endpoint_id } = await installation.bandama('endpoint', 'create', ...sender.words, '--url', receiver.url)
  const id = await newEvent(stage(), sender.tenant)
  const arrived = () => receiver.requests.filter((request) => eventIn(request).id === id)
  await waitFor(() => arrived().length === 1, { ...PATIENCE, what: 'the event' })
  await untilDelivered(sender, id, 1)

  const again = readBody<Event>(await replay(sender.key, id))
  assert.deepEqual([again.id, again.deliveries.length], [id, 1])
  await waitFor(() => arrived().length === 2, { ...PATIENCE, what: 'the event again' })
  const [first, second] = arrived()
  assert.deepEqual(second!.body, first!.body)
  await untilDelivered(sender, id, 2)

  const words = [...sender.words, '--endpoint', String(endpoint_id)]
  await installation.bandama('endpoint', 'disable', ...words)
  const held = readBody<Event>(await replay(sender.key, id))
  assert.deepEqual(
    held.deliveries.map(({ status, next_attempt_at }) => [status, next_attempt_at]),
    [['held', null]],
  )
  await installation.bandama('endpoint', 'enable', ...words)
  await waitFor(() => arrived().length === 3, { ...PATIENCE, what: 'what was held' })
  // A deactivated merchant may still replay its events.
  await installation.bandama('merchant', 'deactivate', '--merchant', String(sender.tenant.merchant_id))
  readBody(await replay(sender.key, id))
})

test('sixty concurrent replays during deliveries are each answered, and every event is delivered in the end', async () => {
  await using receiver = await startReceiver()
  const sender = await newSender(installation, { funds: 0 })
  const endpoints = ['one', 'two', 'three']
  for (const path of endpoints) {
    await installation.bandama('endpoint', 'create', ...sender.words, '--url', `${receiver.url}/${path}`)
  }
  const ids = await Promise.all(Array.from({ length: 12 }, () => newEvent(stage(), sender.tenant)))
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all(ids.flatMap((id) => Array.from({ length: 5 }, () => replay(sender.key, id))))
    for (const answer of answers) assert.equal(readBody<Event>(answer).deliveries.length, endpoints.length)
  }
  await waitFor(
    async () => {
      const { data } = await list(sender.key, '?type=payout.succeeded&limit=100')
      return (
        data.length === ids.length &&
        data.every(({ deliveries }) => deliveries.every(({ status }) => status === 'delivered'))
      )
    },
    { ...PATIENCE, what: 'all of them to be delivered' },
  )
})

function untilDelivered({ key }: Sender, id: string, attempts: number): Promise<unknown> {
  return waitFor(
    async () => {
      const [delivery] = (await get<Event>(key, `${EVENTS}/${id}`)).deliveries
      return delivery!.status === 'delivered' && delivery!.attempts === attempts
    },
    { ...PATIENCE, what: `attempt ${attempts} to be noted` },
  )
}

test('a new endpoint is sent endpoint.test, and again when it is asked for', async () => {
  await using receiver = await startReceiver()
  const { words, key } = await newSender(installation, { funds: 0 })
  const { endpoint_id } = await installation.bandama('endpoint', 'create', ...words, '--url', receiver.url)
  await waitFor(() => receiver.requests.length === 1, { ...PATIENCE, what: 'the test' })
  const { type, data } = eventIn(receiver.requests[0]!)
  assert.deepEqual([type, data.id, data.status], ['endpoint.test', endpoint_id, 'enabled'])
  const { event_id } = await installation.bandama('endpoint', 'test', '--id', String(endpoint_id))
  await waitFor(() => receiver.requests.length === 2, { ...PATIENCE, what: 'the second test' })
  assert.equal(eventIn(receiver.requests[1]!).id, event_id)
  assert.deepEqual(
    (await list(key, `?type=endpoint.test&subject_id=${endpoint_id}`)).data.map(({ id }) => id),
    receiver.requests.map((request) => eventIn(request).id).toReversed(),
  )
  await refused(installation.bandama('endpoint', 'test', '--id', 'whe_nobody'), /no such endpoint/)
})
