import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { createEgress } from '../../src/platform/egress/post.ts'
import { firstIdAt } from '../../src/values/ids.ts'
import { Secret } from '../../src/values/secret.ts'
import { openBrowser } from '../harness/console.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { createEndpoint } from '../harness/endpoints.ts'
import { newMerchant } from '../harness/merchant.ts'
import { startService } from '../harness/start-service.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'

let db: TestDatabase
let service: Awaited<ReturnType<typeof startService>>
let owner: Member
let merchant_id: number
let endpoint_id: string

const at = (path: string, mode = 'live', of = merchant_id) => `/console/${mode}/${of}${path}`

before(async () => {
  db = await openTestDatabase()
  service = await startService({ url: db.url, env: { STAFF_URL: 'https://127.0.0.1:8443' } })
  merchant_id = (await newMerchant(db.sql)).merchant_id
  const place = { db, services: [service], secret_key: service.secret_key }
  owner = await openMember(place, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
  const egress = createEgress({ allow: ['127.0.0.0/8'], loopback_http: true })
  const deps = { sql: db.sql, secretKey: new Secret(service.secret_key), egress, clock: createClock() }
  // No server listens there.
  const made = await createEndpoint(
    deps,
    { merchant_id, livemode: true },
    { url: 'http://127.0.0.1:9/hook?k=3c9f0', event_types: [] },
  )
  assert.ok(made.kind === 'created')
  endpoint_id = made.endpoint_id
  await egress.close()
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await db[Symbol.asyncDispose]()
})

type Delivery = { id: string; status: string; attempts: number; type: string }
const deliveries = async () => (await owner.facts(at('/webhooks'))).body.deliveries as Delivery[]

test('the list shows the state of each endpoint, and only the host of its address', async () => {
  await waitFor(async () => (await deliveries())[0]!.attempts > 0, { what: 'an attempt' })
  const { status, text } = await owner.get(at('/webhooks'))
  assert.equal(status, 200)
  for (const words of ['127.0.0.1:9', 'endpoint.test', 'Ne répond plus', 'Nouvel essai'])
    assert.ok(text.includes(words), words)
  assert.ok(!text.includes('3c9f0'))
})

test('a delivery shows its bytes and each attempt, only in its merchant and mode', async () => {
  const [{ id }] = (await deliveries()) as [Delivery]
  const { status, text } = await owner.get(at(`/webhooks/deliveries/${id}`))
  assert.equal(status, 200)
  assert.match(text, /endpoint\.test/)
  assert.match(text, /&quot;object&quot;: &quot;event&quot;/)
  assert.equal((await owner.get(at(`/webhooks/deliveries/${id}`, 'test'))).status, 404)
  const other = (await newMerchant(db.sql)).merchant_id
  const stranger = await openBrowser(db.sql, service.address, { merchant_id: other, roles: ['owner'] })
  assert.equal((await stranger.get(at(`/webhooks/deliveries/${id}`, 'live', other))).status, 404)
})

test('the event of a delivery has a page, which links back to the delivery and shows the bytes with masked phone numbers', async () => {
  const [{ id }] = (await deliveries()) as [Delivery]
  const [, event] = new RegExp(`href="(${at('/events/')}evt_\\w+)"`).exec(
    (await owner.get(at(`/webhooks/deliveries/${id}`))).text,
  )!
  const { status, text } = await owner.get(event!)
  assert.equal(status, 200)
  assert.ok(text.includes(at(`/webhooks/deliveries/${id}`)))
  assert.match(text, /127\.0\.0\.1:9/)
  assert.match(text, /&quot;object&quot;: &quot;event&quot;/)
  assert.equal((await owner.get(event!.replace('/live/', '/test/'))).status, 404)
  const list = await owner.get(at('/events?type=endpoint.test'))
  assert.match(list.text, /<h1>Événements<\/h1>/)
  assert.ok(list.text.includes(event!))
})

test('a person sees the number of undelivered events of an endpoint, and then sends them again', async () => {
  await waitFor(async () => (await deliveries())[0]!.attempts > 0)
  assert.match((await owner.get(at(`/webhooks/${endpoint_id}/replay`))).text, /Rejouer 1 événement\b/)
  const { status, location } = await owner.post(at(`/webhooks/${endpoint_id}/replay`), {})
  assert.deepEqual([status, location], [303, at('/webhooks?done=replayed')])
  const acts = await db.sql`select actor, after from audit_log where act = 'endpoint.replay'`
  assert.deepEqual(acts, [{ actor: owner.email, after: { deliveries: 1 } }])
})

test('a person sees how many events match the filters of the list, and sends them to one endpoint again', async () => {
  const path = at('/events/replay?type=endpoint.test')
  assert.ok((await owner.get(at('/events?type=endpoint.test'))).text.includes(`href="${path}"`))
  const { events, deliveries: counted } = (await owner.facts(path)).body
  assert.deepEqual([events, counted], [1, { [endpoint_id]: 1 }])
  assert.match((await owner.get(at('/events/replay?type=payment.expired'))).text, /Rien à rejouer/)
  const unchosen = await owner.post(path, {})
  assert.equal(unchosen.status, 422)
  assert.match(unchosen.text, /Choisissez une adresse/)
  assert.equal((await owner.post(path, { endpoint: 'whe_1' })).status, 404)
  await db.sql`update deliveries set status = 'delivered', next_attempt_at = null`
  const { status, location } = await owner.post(path, { endpoint: endpoint_id })
  assert.deepEqual([status, location], [303, at('/webhooks?done=replayed')])
  await waitFor(async () => (await deliveries())[0]!.status === 'pending', { what: 'a new attempt' })
  const viewer = await openBrowser(db.sql, service.address, { merchant_id, roles: ['accountant'] })
  assert.equal((await viewer.get(path)).status, 403)
})

test('a disabled endpoint gets no test event, and the page says so', async () => {
  assert.equal((await owner.post(at(`/webhooks/${endpoint_id}/disable`), {}, at('/webhooks'))).status, 303)
  const refused = await owner.post(at(`/webhooks/${endpoint_id}/test`), {}, at('/webhooks'))
  assert.equal(refused.status, 409)
  assert.match(refused.text, /reprenez d’abord/)
  assert.equal((await owner.post(at(`/webhooks/${endpoint_id}/enable`), {}, at('/webhooks'))).status, 303)
  const elsewhere = await owner.post(at(`/webhooks/${endpoint_id}/disable`, 'test'), {}, at('/webhooks'))
  assert.equal(elsewhere.status, 404)
})

test('a secret is changed with a fresh factor and shown once', async () => {
  const path = at(`/webhooks/${endpoint_id}/rotate`)
  const { done } = await owner.confirm(path, {}, at('/webhooks'))
  assert.match(done.text, /whsec_/)
  assert.ok(!(await owner.get(at('/webhooks'))).text.includes('whsec_'))
})

test('a forbidden address is refused with the typed text', async () => {
  const { status, text } = await owner.post(at('/webhooks'), { url: 'http://10.0.0.1/x' }, at('/webhooks/new'))
  assert.equal(status, 422)
  assert.match(text, /value="http:\/\/10\.0\.0\.1\/x"/)
})

test('an unknown event type is refused before anything is asked or stored', async () => {
  const fields = [
    ['url', 'https://shop.example.com/hook'],
    ...Array.from({ length: 8 }, () => ['types', 'z'.repeat(15_000)]),
  ]
  const { status, text } = await owner.post(at('/webhooks'), fields as [string, string][], at('/webhooks/new'))
  assert.equal(status, 422)
  assert.ok(!text.includes('step_up_id'))
})

test('no webhook goes to the service itself, at none of its own addresses', async () => {
  const send = (url: string) => owner.post(at('/webhooks', 'test'), { url }, at('/webhooks/new', 'test'))
  const own = await send('https://127.0.0.1:8443/desk/sign-in')
  assert.equal(own.status, 422, 'the desk')
  assert.match(own.text, /adresse https publique/)
  assert.equal(
    (await send('https://127.0.0.1:8444/hook')).status,
    200,
    'another port of this machine, as EGRESS_ALLOW has it',
  )
})

test('a person without the right sees neither endpoints nor requests', async () => {
  const viewer = await openBrowser(db.sql, service.address, { merchant_id, roles: ['viewer'] })
  assert.equal((await viewer.get(at('/webhooks'))).status, 403)
  assert.equal((await viewer.get(at('/requests'))).status, 403)
  assert.equal((await viewer.get(at('/events'))).status, 403)
})

/** Inserts a delivered event. Returns its page, and the page of its delivery. */
async function pagesOfEvent(n: number, body: string): Promise<{ event: string; delivery: string }> {
  const id = `evt_${String(n).padStart(26, '0')}`
  await db.sql`
    insert into events (merchant_id, livemode, id, type, subject_id, body)
    values (${merchant_id}, true, ${id}, 'payment.expired', ${`txn_${n}`}, ${body})`
  await db.sql`
    insert into deliveries (merchant_id, livemode, id, event_id, endpoint_id, status)
    values (${merchant_id}, true, ${`dlv_${n}`}, ${id}, ${endpoint_id}, 'delivered')`
  return { event: at(`/events/${id}`), delivery: at(`/webhooks/deliveries/dlv_${n}`) }
}

test('a body is cut and masked so that no phone number shows, and only a cut one ends in dots', async () => {
  const number = '+2250707123456'
  const bodyOn = async (page: string) =>
    /<pre tabindex="0" aria-label="Corps">(.*?)<\/pre>/s.exec((await owner.get(page)).text)![1]!
  for (const page of Object.values(await pagesOfEvent(1, JSON.stringify({ msisdn: number })))) {
    const shown = await bodyOn(page)
    assert.match(shown, /\*{6}3456&quot;/)
    assert.ok(!shown.includes('…'), 'a whole body has no dots')
  }
  for (const [door, cut] of Object.entries({ delivery: 4_000, event: 16_000 })) {
    for (let seen = 0; seen <= number.length; seen += 1) {
      const pages = await pagesOfEvent(cut + seen, `${'x'.repeat(cut - seen)}${number} and more`)
      const shown = await bodyOn(pages[door as keyof typeof pages])
      assert.doesNotMatch(shown, /\d{5}/, `${seen} signs of the number before the cut at ${cut}`)
      assert.ok(shown.endsWith('…'), `${door}: a cut body ends in dots`)
    }
  }
})

const inNovember = '2026-11-20T10:00:00Z'
/** Returns the id of an event of a moment, which ends with a number of six digits. */
const eventAt = (n: number, moment = inNovember) => firstIdAt('evt', Date.parse(moment)).slice(0, -6) + n

/** Inserts events with their deliveries to endpoints that no worker calls meanwhile. */
async function insertDeliveries(
  rows: readonly { n: number; to: string; status: string; scheduled?: number; type?: string; at?: string }[],
): Promise<void> {
  for (const { n, to, status, scheduled = 0, type = 'payment.expired', at: moment = inNovember } of rows) {
    const event = eventAt(n, moment)
    await db.sql`
      insert into events (merchant_id, livemode, id, type, subject_id, body, created_at)
      values (${merchant_id}, true, ${event}, ${type}, ${`txn_${n}`}, '{}', ${moment})
      on conflict do nothing`
    const next = status === 'pending' ? '2099-01-01T00:00:00Z' : null
    await db.sql`
      insert into deliveries
        (merchant_id, livemode, id, event_id, endpoint_id, status, attempts, scheduled_attempts, next_attempt_at)
      values (${merchant_id}, true, ${`dlv_${n}x${to.slice(-3)}`}, ${event}, ${to}, ${status}, 4, ${scheduled}, ${next})`
  }
}

/** Adds an endpoint that nobody calls. */
async function insertEndpoint(id: string, url: string): Promise<string> {
  await db.sql`
    insert into endpoints (merchant_id, livemode, id, url, event_types, secret_sealed)
    select merchant_id, livemode, ${id}, ${url}, event_types, secret_sealed from endpoints where id = ${endpoint_id}`
  return id
}

test('the filters of the deliveries are in the address, and every count leads to exactly its deliveries and their file', async () => {
  const one = await insertEndpoint('whe_one', 'https://shop.example/a')
  const two = await insertEndpoint('whe_two', 'https://shop.example/b')
  const off = await insertEndpoint('whe_off', 'https://off.example/')
  await db.sql`update endpoints set status = 'disabled' where id = ${off}`
  await insertDeliveries([
    { n: 900_001, to: one, status: 'failed' },
    { n: 900_002, to: one, status: 'failed', type: 'payout.failed' },
    { n: 900_003, to: one, status: 'pending', scheduled: 3, at: '2026-11-21T10:00:00Z' },
    { n: 900_004, to: one, status: 'pending' },
    { n: 900_005, to: off, status: 'held' },
    { n: 900_006, to: one, status: 'delivered' },
    { n: 900_006, to: two, status: 'failed' },
  ])
  const numbers = async (query: string) => {
    const { body } = await owner.facts(at(`/webhooks${query}`))
    const listed = (body.deliveries as Delivery[]).map(({ id }) => id)
    const file = await owner.get(at(`/webhooks/export${query}&format=csv`))
    assert.equal(file.status, 200, query)
    const rows = file.text.trimEnd().split('\r\n').slice(1)
    assert.deepEqual(
      rows.map((row) => row.split(';')[1]),
      listed,
      query,
    )
    return listed.map((id) => id.slice(-6))
  }
  for (const [query, expected] of Object.entries({
    '?endpoint=whe_one': ['03xone', '06xone', '04xone', '02xone', '01xone'],
    '?endpoint=whe_two': ['06xtwo'],
    '?endpoint=whe_one&state=failed': ['02xone', '01xone'],
    '?endpoint=whe_one&state=retrying': ['03xone'],
    '?endpoint=whe_one&state=sending': ['04xone'],
    '?endpoint=whe_off&state=held': ['05xoff'],
    '?endpoint=whe_one&state=delivered': ['06xone'],
    '?state=failed': ['06xtwo', '02xone', '01xone'],
    '?state=failed&type=payout.failed': ['02xone'],
    '?endpoint=whe_one&type=payout.failed': ['02xone'],
    '?endpoint=whe_one&state=retrying&from=2026-11-21&to=2026-11-21': ['03xone'],
    '?endpoint=whe_one&from=2026-11-22': [],
    '?endpoint=whe_none': [],
  }))
    assert.deepEqual(await numbers(query), expected, query)

  const { text } = await owner.get(at('/webhooks?endpoint=whe_one'))
  assert.ok(!text.includes('<h2>127.0.0.1:9</h2>'), 'only the chosen endpoint is shown')
  assert.ok(text.includes('shop.example …_one'), 'two endpoints of one host have different names')
  const charts = (await owner.get(at('/charts'))).text
  const stopped = (await owner.get(at('/webhooks?endpoint=whe_off'))).text
  for (const [state, of, card, count] of [
    ['sending', one, text, 1],
    ['retrying', one, text, 1],
    ['failed', one, text, 2],
    ['held', off, stopped, 1],
  ] as const) {
    const link = `<a class="over" href="${at('/webhooks')}?endpoint=${of}&amp;state=${state}#list">${count}</a>`
    assert.ok(charts.includes(link), `the chart counts ${state}`)
    assert.ok(card.includes(link), `the endpoint counts ${state}`)
  }
  const wrong = await owner.get(at('/webhooks?state=lost'))
  assert.match(wrong.text, /Filtre mis de côté, car il ne se lit pas\s: lost/)
  assert.equal((await owner.get(at('/webhooks/export?state=lost&format=csv'))).status, 400)
  assert.equal(
    (await owner.get(at('/webhooks/export?endpoint=whe_one&format=csv', 'test'))).text.trim().split('\n').length,
    1,
  )
})

test('the list of deliveries turns its pages without losing or repeating one, even between two deliveries of an event', async () => {
  const ends = [
    await insertEndpoint('whe_aaa', 'https://a.example/'),
    await insertEndpoint('whe_bbb', 'https://b.example/'),
  ]
  const made = Array.from({ length: 36 }, (_, at) =>
    ends.map((to) => ({ n: 910_000 + at, to, status: 'failed' })),
  ).flat()
  await insertDeliveries([...made, { n: 911_000, to: 'whe_bbb', status: 'failed' }])
  for (const query of ['state=failed&from=2026-11-20', 'from=2026-11-20']) {
    const seen: string[] = []
    for (let path = at(`/webhooks?${query}`), page = 0; path !== '' && page < 5; page += 1) {
      const { body } = await owner.facts(path)
      seen.push(...(body.deliveries as Delivery[]).map(({ id }) => id).filter((id) => /xaaa|xbbb/.test(id)))
      path = body.after === null ? '' : at(`/webhooks?${query}&after=${body.after}`)
    }
    assert.equal(seen.length, 73, query)
    assert.equal(new Set(seen).size, 73, query)
  }
})

test('a delivery that was just replayed is on its way, and one that failed since then waits for a retry', async () => {
  await insertEndpoint('whe_wayy', 'https://way.example/')
  await insertDeliveries([
    { n: 920_001, to: 'whe_wayy', status: 'pending' },
    { n: 920_002, to: 'whe_wayy', status: 'pending', scheduled: 1 },
  ])
  for (const [n, words, others] of [
    [920_001, 'En route', 'Nouvel essai'],
    [920_002, 'Nouvel essai', 'En route'],
  ] as const) {
    for (const path of [`/webhooks/deliveries/dlv_${n}xayy`, `/events/${eventAt(n)}`]) {
      const { text } = await owner.get(at(path))
      const main = text.slice(text.indexOf('<main'))
      assert.ok(main.includes(words) && !main.includes(others), path)
    }
  }
})
