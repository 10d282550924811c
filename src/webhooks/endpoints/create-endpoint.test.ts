import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createEndpoint } from '../../../tests/harness/endpoints.ts'
import { perform } from '../../../tests/harness/perform.ts'
import { startReceiver } from '../../../tests/harness/receiver.ts'
import { assertSigned, openWebhooks, type Webhooks } from '../../../tests/harness/webhooks.ts'
import { createEgress } from '../../platform/egress/post.ts'
import * as creation from './create-endpoint.ts'
import { createSecretBox, ENDPOINTS_MAX } from './endpoint.ts'
import { rotateSecret } from './rotate-secret.ts'
import { testEndpoint } from './test-endpoint.ts'

let hooks: Webhooks
before(async () => {
  hooks = await openWebhooks()
})
after(() => hooks[Symbol.asyncDispose]())

const register = (url: string, { event_types = [] as string[], livemode = false, egress = hooks.egress } = {}) =>
  createEndpoint({ ...hooks, egress }, { ...hooks.tenant, livemode }, { url, event_types, test: false })

test('the secret is shown once and lies sealed in the database', async () => {
  const created = await register('http://127.0.0.1:9/hooks#part', { event_types: ['payment.failed', 'payment.failed'] })
  assert.ok(created.kind === 'created')
  assert.match(created.endpoint_id, /^whe_[0-9a-z]{26}$/)
  assert.match(created.secret.reveal(), /^whsec_[0-9a-z]{52}$/)
  assert.equal(`${created.secret}`, '[secret]')
  const [row] = await hooks.sql<{ url: string; event_types: string[]; secret_sealed: Buffer }[]>`
    select url, event_types, secret_sealed from endpoints where id = ${created.endpoint_id}`
  assert.deepEqual(row!.event_types, ['payment.failed'])
  assert.ok(!row!.secret_sealed.includes(created.secret.reveal().slice(6, 20)))
  const { endpoint_id } = created
  const box = createSecretBox(hooks.secretKey)
  assert.equal(box.open({ ...hooks.tenant, endpoint_id }, row!.secret_sealed).reveal(), created.secret.reveal())
  assert.throws(() => box.open({ ...hooks.tenant, endpoint_id: 'whe_other' }, row!.secret_sealed))
  assert.throws(() => box.open({ ...hooks.tenant, livemode: true, endpoint_id }, row!.secret_sealed))
})

test('an address we would not call is refused, with one answer for every reason', async () => {
  const refused = { kind: 'refused', code: 'invalid_url' }
  for (const url of ['https://10.0.0.1/', 'https://[::1]/', 'http://192.0.2.1/', 'ftp://127.0.0.1/', 'nonsense', '']) {
    assert.deepEqual(await register(url), refused, url)
  }
  assert.deepEqual(await register('http://127.0.0.1:9/', { livemode: true }), refused)
  const shut = createEgress({ allow: [], resolve: () => Promise.reject(new Error('no such name')) })
  assert.deepEqual(await register('https://nowhere.example/', { egress: shut }), refused)
  assert.deepEqual(await register('https://127.0.0.1/', { egress: shut }), refused)
  await shut.close()
})

test('a kind of event that does not exist cannot be read', () => {
  const { types } = creation.createEndpoint.fields
  assert.equal(types.read('payment.succeeded payment.stolen'), undefined)
  assert.deepEqual(types.read('payment.succeeded payment.succeeded'), ['payment.succeeded'])
})

test('a merchant has sixteen endpoints at most, counted by mode', async () => {
  await using own = await openWebhooks()
  const create = (livemode: boolean) =>
    createEndpoint(own, { ...own.tenant, livemode }, { url: 'https://127.0.0.1:9/', event_types: [] })
  for (let count = 0; count < ENDPOINTS_MAX; count += 1) assert.equal((await create(false)).kind, 'created')
  assert.deepEqual(await create(false), { kind: 'refused', code: 'too_many_endpoints' })
  assert.equal((await create(true)).kind, 'created')
})

test('rotating the secret of an unknown endpoint is refused', async () => {
  const result = await perform(rotateSecret, hooks, { id: 'whe_none' })
  assert.deepEqual(result, { kind: 'refused', code: 'resource_not_found' })
})

test('only a new endpoint is sent endpoint.test, also when it asked for other kinds', async () => {
  await using receiver = await startReceiver()
  await using other = await startReceiver()
  await using own = await openWebhooks()
  await own.endpoint(other.url)
  const created = await createEndpoint(own, own.tenant, { url: receiver.url, event_types: ['payment.failed'] })
  assert.ok(created.kind === 'created')
  await own.runJobs()
  assert.deepEqual([receiver.requests.length, other.requests.length], [1, 0])
  assertSigned(receiver.requests[0]!, created.secret.reveal())
  const event = JSON.parse(receiver.requests[0]!.body.toString())
  assert.equal(event.type, 'endpoint.test')
  assert.deepEqual(event.data, {
    id: created.endpoint_id,
    object: 'endpoint',
    status: 'enabled',
    event_types: ['payment.failed'],
    livemode: false,
  })

  const again = await perform(testEndpoint, own, { id: created.endpoint_id })
  assert.ok(again.kind === 'done')
  await own.runJobs()
  assert.deepEqual([receiver.requests.length, other.requests.length], [2, 0])
  assert.equal(receiver.requests[1]!.headers['service-event-id'], again.result.event_id)
})

test('an endpoint that is disabled or not there is not tested', async () => {
  await using own = await openWebhooks()
  const { endpoint_id } = await own.endpoint('http://127.0.0.1:9/')
  await own.disable(endpoint_id)
  assert.deepEqual(await perform(testEndpoint, own, { id: endpoint_id }), {
    kind: 'refused',
    code: 'endpoint_disabled',
  })
  assert.deepEqual(await perform(testEndpoint, own, { id: 'whe_nobody' }), {
    kind: 'refused',
    code: 'resource_not_found',
  })
  const [row] = await own.sql<{ events: number }[]>`select count(*)::int as events from events`
  assert.equal(row!.events, 0)
})

test('one endpoint too many leaves no test behind', async () => {
  await using own = await openWebhooks()
  for (let count = 0; count < ENDPOINTS_MAX; count += 1) await own.endpoint('http://127.0.0.1:9/')
  const refused = await createEndpoint(own, own.tenant, { url: 'http://127.0.0.1:9/', event_types: [] })
  assert.deepEqual(refused, { kind: 'refused', code: 'too_many_endpoints' })
  const [row] = await own.sql<{ events: number }[]>`select count(*)::int as events from events`
  assert.equal(row!.events, 0)
})
