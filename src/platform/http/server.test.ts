import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  assertCommonHeaders,
  assertRefusal,
  openTestServer,
  type SampleDeps,
  sampleCaller,
} from '../../../tests/harness/http-server.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { Overloaded } from '../commands/batching/batcher.ts'
import type { AddressRate } from './address-rate.ts'
import { defineRoute } from './route.ts'

type TestServer = Awaited<ReturnType<typeof openTestServer>>

const good = { authorization: 'Bearer good' }
const json = { 'content-type': 'application/json' }
const key = { 'idempotency-key': 'key-0001' }
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

describe('the server', () => {
  let server: TestServer
  let work: SampleDeps['work'] = () => {}
  before(async () => {
    server = await openTestServer({ deps: { work: (asked) => work(asked) }, handlerDeadlineMs: 5_000 })
  })
  beforeEach(() => {
    work = () => {}
    server.answered.length = 0
    server.logged.length = 0
  })
  after(() => server[Symbol.asyncDispose]())

  const call = (path: string, init: RequestInit = {}) => fetch(`${server.url}${path}`, init)
  const post = (body: unknown, headers: Record<string, string> = {}, path = '/v1-things') =>
    call(path, {
      method: 'POST',
      headers: { ...good, ...json, ...key, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  describe('a good request is served', () => {
    test('a body is handed over with caller, key and fingerprint, and the reply carries every header', async () => {
      const asked: unknown[] = []
      work = (one) => void asked.push(one)
      const body = { amount: 5, metadata: { free: [1.5, 'é'] }, livemode: true }
      const answer = await post(body)
      assert.equal(answer.status, 201)
      assertCommonHeaders(answer)
      assert.deepEqual(await answer.json(), { id: 'thg_1' })
      const [first] = asked as [{ body: unknown; caller: unknown; idempotency: { key: string; fingerprint: Buffer } }]
      assert.equal(JSON.stringify(first.body), JSON.stringify(body))
      assert.deepEqual(first.caller, sampleCaller)
      assert.equal(first.idempotency.key, 'key-0001')
      assert.equal(first.idempotency.fingerprint.length, 32)
    })

    test('the fingerprint is the same for the same fields in another order, and for nothing else', async () => {
      const seen: string[] = []
      work = (asked) =>
        void seen.push((asked as { idempotency: { fingerprint: Buffer } }).idempotency.fingerprint.toString('hex'))
      await post('{"amount":5,"metadata":{"a":1,"b":2}}')
      await post(' {"metadata":{"b":2, "a":1},"amount":5}')
      await post('{"amount":5,"metadata":{"a":1,"b":2.0}}')
      await post('{"amount":5,"metadata":{"a":1,"b":2},"more":null}')
      assert.equal(seen[0], seen[1])
      assert.equal(new Set(seen).size, 3)
    })

    test('a stored answer leaves byte for byte', async () => {
      const answer = await call('/v1-things/txn_1/execute', { method: 'POST', headers: good })
      assert.equal(await answer.text(), '{ "kept": 1e2 }')
    })

    test('a route without a body does not care what body is sent', async () => {
      for (const type of ['text/plain', 'nonsense', 'application/json']) {
        const headers = { ...good, 'content-type': type }
        const answer = await call('/v1-things/txn_1/execute', { method: 'POST', headers, body: '{{{' })
        assert.equal(answer.status, 200)
      }
    })

    test('an authenticator that answers later, an open route, a query', async () => {
      assert.equal((await call('/v1-things/txn_1', { headers: { authorization: 'Bearer later' } })).status, 200)
      assert.deepEqual(await (await call('/x/list?active=true&other=1')).json(), { active: 'true', caller: null })
    })

    test('an optional Idempotency-Key may be absent', async () => {
      const answer = await call('/v1-book', { method: 'POST', headers: { ...good, ...json }, body: '{"name":"Awa"}' })
      assert.equal(answer.status, 200)
    })

    test('JSON may come with its character set, in any case', async () => {
      for (const type of [
        'application/json; charset=utf-8',
        'Application/JSON;charset="UTF-8"',
        'application/json ;',
      ]) {
        assert.equal((await post({ amount: 5 }, { 'content-type': type })).status, 201, type)
      }
    })
  })

  describe('the answers of a handler', () => {
    test('a refusal carries its own message and headers', async () => {
      const answer = await post({ amount: 409 })
      assert.equal(answer.headers.get('x-why'), 'twice')
      assert.deepEqual(await answer.json(), { error: { code: 'duplicate_reference', message: 'Twice.' } })
    })

    test('an exception is a 500 of the route that tells nothing, and a line in the log with its id', async () => {
      work = () => {
        throw new Error('select secret from /srv/table')
      }
      const answer = await post({ amount: 5 })
      await assertRefusal(answer.clone(), 500, 'payment_creation_failed')
      assert.doesNotMatch(await answer.text(), /secret|srv|stack/)
      const line = server.logged.find(({ request_id }) => request_id === answer.headers.get('service-request-id'))
      assert.equal(line?.operation, 'createThing')
    })

    test('a full queue answers 500 with Retry-After', async () => {
      work = () => Promise.reject(new Overloaded('full'))
      const answer = await post({ amount: 5 })
      await assertRefusal(answer, 500, 'payment_creation_failed')
      assert.equal(answer.headers.get('retry-after'), '1')
    })

    test('a key under way is in progress at once for everybody else, and free when the work has ended', async () => {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      let begun = 0
      work = () => {
        begun += 1
        return ended
      }
      const first = post({ amount: 5 })
      await waitFor(() => begun === 1)
      await assertRefusal(await post({ amount: 5 }), 409, 'idempotency_in_progress')
      await assertRefusal(await post({ amount: 6 }), 422, 'idempotency_key_reused')
      end()
      assert.equal((await first).status, 201)
      assert.equal((await post({ amount: 5 })).status, 201)
      assert.equal(begun, 2)
    })

    test('a handler without an answer is a 500 at the deadline, and its later answer is not sent', async () => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      let late = false
      work = async () => {
        await released
        late = true
      }
      await assertRefusal(await post({ amount: 5 }), 500, 'payment_creation_failed')
      assert.equal(late, false)
      release()
      await waitFor(() => late)
      assert.equal(server.answered.length, 1)
    })

    test('each of many calls ends by itself, in any order, and calls without an end are cut off', async () => {
      const ends = new Map<number, () => void>()
      work = (asked) =>
        new Promise((resolve) => void ends.set((asked as { body: { amount: number } }).body.amount, resolve))
      const answers = Array.from({ length: 12 }, (_, at) =>
        post({ amount: at + 1 }, { 'idempotency-key': `of-many-${at}` }),
      )
      await waitFor(() => ends.size === 12)
      for (const amount of [1, 12, 6, 7, 2, 11, 5]) ends.get(amount)!()
      const underWay = async () =>
        Number(/bandama_http_requests_in_flight (\d+)/.exec(await server.metrics.metrics())?.[1])
      await waitFor(async () => (await underWay()) === 5)
      const statuses = (await Promise.all(answers)).map(({ status }) => status)
      assert.deepEqual(statuses, [201, 201, 500, 500, 201, 201, 201, 500, 500, 500, 201, 201])
      assert.equal(await underWay(), 0)
      for (const end of ends.values()) end()
    })

    test('an authenticator that breaks is a 500 of the route', async () => {
      await assertRefusal(await post({}, { authorization: 'Bearer broken' }), 500, 'payment_creation_failed')
    })
  })

  describe('the reports of every answer', () => {
    test('the request log gets the caller, the call and its outcome', async () => {
      const answer = await call('/v1-things/txn_none?x=1', { headers: good })
      const [{ duration_ms, requested_at, ...entry }] = server.answered as [(typeof server.answered)[0]]
      assert.deepEqual(entry, {
        request_id: answer.headers.get('service-request-id'),
        caller: sampleCaller,
        method: 'GET',
        path: '/v1-things/:thing_id',
        status: 404,
        error_code: 'resource_not_found',
        subject_id: null,
        address: '127.0.0.1',
      })
      assert.ok(duration_ms >= 0 && requested_at instanceof Date)
    })

    test('a refused caller is named, and an unknown address is reported without its query', async () => {
      await call('/v1-things', { method: 'POST', headers: { authorization: 'Bearer weak' } })
      await call('/v1-nothing?token=1')
      assert.deepEqual(
        server.answered.map(({ caller, path, status }) => [caller?.key_id, path, status]),
        [
          ['key_1', '/v1-things', 403],
          [undefined, '/v1-nothing', 404],
        ],
      )
    })

    test('the metrics count by operation and status', async () => {
      await call('/v1-things/txn_1', { headers: good })
      assert.match(
        await server.metrics.metrics(),
        /bandama_http_request_duration_seconds_count\{operation="getThing",status="200"\} [1-9]/,
      )
    })
  })
})

describe('the rate of an address', { concurrency: true }, () => {
  const limited = {
    kind: 'refused',
    status: 429,
    code: 'rate_limit_exceeded',
    headers: { 'Retry-After': '7' },
  } as const

  const rateOf = (check: AddressRate['check']): AddressRate => ({ check, giveBack() {} })

  test('comes before everything, for unknown addresses and unreadable ones too, at once or later', async () => {
    for (const refusal of [limited, Promise.resolve(limited)]) {
      await using server = await openTestServer({ addressRate: rateOf(() => refusal) })
      for (const path of ['/v1-nothing', '/v1-things/%zz', '/v1-things/txn_1']) {
        const answer = await fetch(`${server.url}${path}`)
        assert.equal(answer.status, 429)
        assert.equal(answer.headers.get('retry-after'), '7')
        assert.match(answer.headers.get('service-request-id') ?? '', uuid)
      }
    }
  })

  test('is asked about the address that the trusted proxy saw', async () => {
    const seen: string[] = []
    const addressRate = rateOf((address) => {
      seen.push(address)
      return null
    })
    await using trusting = await openTestServer({ addressRate, trustProxy: ['127.0.0.1'] })
    await using careful = await openTestServer({ addressRate })
    for (const { url } of [trusting, careful]) {
      await fetch(`${url}/x/list`, { headers: { 'x-forwarded-for': '10.0.0.1, 192.0.2.1' } })
    }
    assert.deepEqual(seen, ['192.0.2.1', '127.0.0.1'])
  })

  test('lets the request pass when it fails, and the log says so', async () => {
    const failing = [() => Promise.reject(new Error('down')), () => assert.fail('down')]
    for (const check of failing) {
      await using server = await openTestServer({ addressRate: rateOf(check) })
      assert.equal((await fetch(`${server.url}/x/list`)).status, 200)
      assert.equal(server.logged.length, 1)
    }
  })

  test('counts pages apart, and gives the count of a proven caller back', async () => {
    const counted: string[] = []
    const addressRate: AddressRate = {
      check(_address, counts) {
        counted.push(counts)
        return null
      },
      giveBack: (address) => void counted.push(`back to ${address}`),
    }
    const open = {
      auth: 'open',
      method: 'GET',
      about: 'nothing',
      summary: 'A page',
      params: { token: 'text' },
      errors: { 500: ['payment_failed'] },
      fault: 'payment_failed',
    } as const
    const answer = { status: 200, body: '{}', error_code: null, headers: null }
    const page = { ...open, counts: 'page', path: '/pay/:token', operation: 'page', handle: () => answer } as const
    const proven = { ...open, path: '/called/:token', operation: 'called' } as const
    await using server = await openTestServer({
      addressRate,
      routes: [defineRoute(page), defineRoute({ ...proven, handle: () => ({ ...answer, uncounted: true }) })],
    })
    for (const [path, counts] of [
      ['/pay/abc', ['page']],
      ['/pay/abc?lang=fr', ['page']],
      ['/pay/%61', ['page']],
      ['/pay/', ['address']],
      ['/pay/abc/more', ['address']],
      ['/x/pay/abc', ['address']],
      ['/nothing', ['address']],
      ['/called/abc', ['address', 'back to 127.0.0.1']],
    ] as const) {
      counted.length = 0
      await (await fetch(`${server.url}${path}`)).text()
      assert.deepEqual(counted, counts, path)
    }
  })

  test('does not count the health of the service', async () => {
    await using server = await openTestServer({ addressRate: rateOf(() => limited) })
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
  })
})

describe('health', { concurrency: true }, () => {
  test('the service is ready when all its checks pass, and names those that do not', async () => {
    for (const [ok, status] of [
      [true, 200],
      [false, 503],
    ] as const) {
      await using server = await openTestServer({ ready: async () => ({ ok, checks: { database: ok } }) })
      const answer = await fetch(`${server.url}/readyz`)
      assert.equal(answer.status, status)
      assert.deepEqual(await answer.json(), { ok, checks: { database: ok, staying: true } })
    }
  })

  test('a check that throws makes the service unready, but not dead', async () => {
    await using server = await openTestServer({ ready: () => Promise.reject(new Error('no')) })
    assert.equal((await fetch(`${server.url}/readyz`)).status, 503)
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
  })
})

test('a server with a route without its authenticator does not start', async () => {
  await assert.rejects(openTestServer({ authenticators: {} }), /authenticator that is not there/)
})
