import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { resumePayouts, type StopScope, stopPayouts } from '../../src/payouts/stop-payouts.ts'
import { type ReceivedRequest, startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkHeaders, checkRefusal } from './answers.ts'
import type { Answer } from './ask.ts'
import { isTime } from './book.ts'
import { newCollector } from './collector.ts'
import { refused } from './commands.ts'
import { type Installation, openInstallation } from './installation.ts'
import { testRefusals } from './meet-refusals.ts'
import { newSender, PATIENCE, payout, post, type Sender } from './sender.ts'
import { newSettler } from './settler.ts'
import { EVENTS, extensionRefusals, newEvent } from './x-refusal-cases.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
  installation.services.push(await installation.start({ args: ['--only', 'api'], env: { RATE_PER_KEY: '5' } }))
})
after(() => installation[Symbol.asyncDispose]())

testRefusals('/x/', extensionRefusals, () => installation)

type Delivery = {
  id: string
  endpoint_id: string
  status: string
  attempts: number
  last_response_status: number | null
  next_attempt_at: string | null
}
type Event = { id: string; type: string; data: { id: string; status: string }; deliveries: Delivery[] }
type EventList = { object: string; data: Event[]; limit: number; has_more: boolean }

function read<Body>(answer: Answer): Body {
  assert.equal(answer.status, 200, answer.text)
  checkHeaders(answer)
  return answer.json() as Body
}

const get = async <Body>(key: string, path: string) => read<Body>(await installation.ask({ path, key }))
const list = (key: string, query = '') => get<EventList>(key, `${EVENTS}${query}`)
const replay = (key: string, id: string) => installation.ask({ method: 'POST', path: `${EVENTS}/${id}/replay`, key })
const stage = () => ({ installation })

test('the balances are those of the ledger, at a moment that is said', async () => {
  const settler = await newSettler(installation, { available: 100_000 })
  await installation.bandama('transfer', ...settler.words, '--amount', '30000')
  assert.equal((await settler.request(20_000)).status, 202)
  const { as_of, ...balances } = await get<{ as_of: string }>(settler.merchant.key, '/x/balances')
  assert.deepEqual(balances, {
    object: 'balances',
    available: 50_000,
    transfer: 30_000,
    payouts_in_flight: 0,
    settlements_in_flight: 20_000,
    currency: 'XOF',
    livemode: false,
  })
  assert.ok(isTime(as_of))
  const today = as_of.slice(0, 10)
  const statement = await get<{ closing_balance: number }>(
    settler.merchant.key,
    `/v1-statements?from=${today}&to=9999-12-31`,
  )
  assert.equal(statement.closing_balance, 50_000, 'a statement closes on the available balance')
  const { key: live } = await settler.merchant.newKey('live', 'collect')
  const other = await get<{ available: number; livemode: boolean }>(live, '/x/balances')
  assert.deepEqual([other.available, other.livemode], [0, true])
})

type Side = { available: boolean; unavailable_reason: string | null }
type Operators = {
  data: {
    code: string
    name: string
    livemode: boolean
    collection: Side & { amount_max: number }
    payout: Side & { cap_operation: number; cap_day: number }
    refund: string | null
    operator_limits: null
  }[]
  as_of: string
}

test('operators: in test mode all of them, in live mode what is connected, with the limits in force', async () => {
  const { merchant, key, words } = await newSender(installation)
  const { data, as_of } = await get<Operators>(key, '/x/operators')
  assert.ok(isTime(as_of))
  assert.deepEqual(
    data.map(({ code, name }) => [code, name]),
    [
      ['orange_ci', 'Orange Money'],
      ['mtn_ci', 'MTN MoMo'],
      ['moov_ci', 'Moov Money'],
      ['wave_ci', 'Wave'],
    ],
  )
  for (const { livemode, collection, payout, refund, operator_limits } of data) {
    assert.equal(livemode, false)
    assert.deepEqual(collection, { available: true, unavailable_reason: null, amount_max: 2_000_000 })
    assert.deepEqual(payout, { available: true, unavailable_reason: null, cap_operation: 100_000, cap_day: 500_000 })
    assert.deepEqual([refund, operator_limits], ['partial', null])
  }
  const { key: live } = await merchant.newKey('live', 'collect')
  for (const { collection, payout, refund, livemode } of (await get<Operators>(live, '/x/operators')).data) {
    assert.deepEqual([collection.unavailable_reason, payout.unavailable_reason], ['not_connected', 'not_connected'])
    assert.deepEqual([collection.available, payout.available, refund, livemode], [false, false, null, true])
  }

  await installation.bandama('caps', 'set', ...words, '--operation', '7000')
  const { merchant_id } = merchant
  await installation.db.sql`update merchants set collection_amount_max = 9000 where merchant_id = ${merchant_id}`
  const own = await waitFor(async () => {
    const [first] = (await get<Operators>(key, '/x/operators')).data
    return first!.collection.amount_max === 9_000 && first
  }, PATIENCE)
  assert.deepEqual([own!.payout.cap_operation, own!.payout.cap_day], [7_000, 500_000])
})

test('operators: payouts that are stopped are not available, and are again when the stop ends', async () => {
  const { merchant, key } = await newSender(installation)
  const stopped = async () =>
    (await get<Operators>(key, '/x/operators')).data
      .filter(({ payout }) => payout.unavailable_reason === 'payouts_stopped')
      .map(({ code }) => code)
  const { sql } = installation.db
  const { merchant_id } = merchant
  const everyone = ['orange_ci', 'mtn_ci', 'moov_ci', 'wave_ci']
  const table: [what: StopScope, codes: string[]][] = [
    [{ scope: 'operator', operator: 'wave_ci' }, ['wave_ci']],
    [{ scope: 'merchant', merchant_id }, everyone],
    [{ scope: 'merchant', merchant_id: (await installation.newMerchant()).merchant_id }, []],
    [{ scope: 'all' }, everyone],
  ]
  for (const [what, codes] of table) {
    await stopPayouts(sql, what, 'awa@example.com')
    assert.deepEqual(await stopped(), codes, JSON.stringify(what))
    await resumePayouts(sql, what)
    assert.deepEqual(await stopped(), [], JSON.stringify(what))
  }
  await installation.bandama('merchant', 'deactivate', '--merchant', String(merchant.merchant_id))
  await waitFor(async () => {
    const { data } = await get<Operators>(key, '/x/operators')
    return data.every(({ collection, payout }) =>
      [collection, payout].every((side) => side.unavailable_reason === 'merchant_inactive'),
    )
  }, PATIENCE)
})

test('events are read as they were delivered, newest first, each with how its endpoints were told', async () => {
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

  // What was delivered is what is read, but for the deliveries.
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

  const again = read<Event>(await replay(sender.key, id))
  assert.deepEqual([again.id, again.deliveries.length], [id, 1])
  await waitFor(() => arrived().length === 2, { ...PATIENCE, what: 'the event again' })
  const [first, second] = arrived()
  assert.deepEqual(second!.body, first!.body)
  await untilDelivered(sender, id, 2)

  const words = [...sender.words, '--endpoint', String(endpoint_id)]
  await installation.bandama('endpoint', 'disable', ...words)
  const held = read<Event>(await replay(sender.key, id))
  assert.deepEqual(
    held.deliveries.map(({ status, next_attempt_at }) => [status, next_attempt_at]),
    [['held', null]],
  )
  await installation.bandama('endpoint', 'enable', ...words)
  await waitFor(() => arrived().length === 3, { ...PATIENCE, what: 'what was held' })
  // A merchant that is deactivated may still be told what was.
  await installation.bandama('merchant', 'deactivate', '--merchant', String(sender.tenant.merchant_id))
  read(await replay(sender.key, id))
})

test('sixty replays at once, while deliveries are being noted: each is answered, and every event is delivered in the end', async () => {
  await using receiver = await startReceiver()
  const sender = await newSender(installation, { funds: 0 })
  const endpoints = ['one', 'two', 'three']
  for (const path of endpoints) {
    await installation.bandama('endpoint', 'create', ...sender.words, '--url', `${receiver.url}/${path}`)
  }
  const ids = await Promise.all(Array.from({ length: 12 }, () => newEvent(stage(), sender.tenant)))
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all(ids.flatMap((id) => Array.from({ length: 5 }, () => replay(sender.key, id))))
    for (const answer of answers) assert.equal(read<Event>(answer).deliveries.length, endpoints.length)
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

test('without extensions their addresses are unknown, and in no description; all else is as it was', async () => {
  const plain = await installation.start({ args: ['--only', 'api'], env: { EXTENSIONS: 'off' } })
  const process = installation.services.push(plain) - 1
  const { key, merchant, tenant } = await newSender(installation)
  const id = await newEvent(stage(), tenant)
  const paths = ['/x/balances', '/x/operators', EVENTS, `${EVENTS}/${id}`, `${EVENTS}/${id}/replay`, '/x', '/x/']
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      for (const sent of [null, key, merchant.key]) {
        const answer = await installation.ask({ method, path, key: sent }, process)
        checkRefusal(answer, 404, 'resource_not_found', `${method} ${path}`)
        const unknown = await installation.ask({ method, path: '/nowhere', key: sent }, process)
        assert.equal(answer.text, unknown.text)
      }
    }
  }
  const described = (await installation.ask({ path: '/openapi.json' }, process)).json() as { paths: object }
  assert.ok(Object.keys(described.paths).length > 10)
  assert.ok(Object.keys(described.paths).every((path) => path.startsWith('/v1-')))
  assert.equal((await installation.ask(post('/v1-payouts', key, payout(100)), process)).status, 201)
})
