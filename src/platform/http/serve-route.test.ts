import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import Type from 'typebox'
import { assertCommonHeaders, assertRefusal, openTestServer } from '../../../tests/harness/http-server.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { createOwnerLocks } from '../owner-locks.ts'
import { defineRoute } from './route.ts'
import { createTurns } from './turns.ts'

const good = { authorization: 'Bearer good' }
const json = { 'content-type': 'application/json' }
const key = { 'idempotency-key': 'key-0001' }

describe('a declared route', () => {
  let server: Awaited<ReturnType<typeof openTestServer>>
  before(async () => {
    server = await openTestServer()
  })
  after(() => server[Symbol.asyncDispose]())

  const call = (path: string, init: RequestInit = {}) => fetch(`${server.url}${path}`, init)
  const post = (body: unknown, headers: Record<string, string> = {}, path = '/v1-things') =>
    call(path, {
      method: 'POST',
      headers: { ...good, ...json, ...key, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  // Each request is wrong in its own point and in every later one: the first in the order of precedence decides.
  const precedence: [promise: string, path: string, init: RequestInit, status: number, code: string][] = [
    [
      'an unknown address',
      '/v1-nothing',
      { method: 'POST', headers: { 'service-version': '1' } },
      404,
      'resource_not_found',
    ],
    ['an address with a slash too many', '/v1-things/txn_1/', {}, 404, 'resource_not_found'],
    ['a method that the address does not take', '/v1-things', { method: 'DELETE' }, 405, 'method_not_allowed'],
    ['OPTIONS', '/v1-things', { method: 'OPTIONS' }, 405, 'method_not_allowed'],
    [
      'a version that is not ours',
      '/v1-things',
      { method: 'POST', headers: { 'service-version': '2020-01-01' } },
      400,
      'invalid_request',
    ],
    ['no key', '/v1-things', { method: 'POST' }, 401, 'authentication_required'],
    ['a wrong key', '/v1-things', { method: 'POST', headers: { authorization: 'Bearer x' } }, 401, 'invalid_api_key'],
    [
      'a key without the scope',
      '/v1-things',
      { method: 'POST', headers: { authorization: 'Bearer weak' } },
      403,
      'insufficient_scope',
    ],
    ['no Idempotency-Key', '/v1-things', { method: 'POST', headers: good, body: '{' }, 400, 'idempotency_key_required'],
    [
      'a short Idempotency-Key',
      '/v1-things',
      { method: 'POST', headers: { ...good, 'idempotency-key': '1234567' } },
      400,
      'idempotency_key_required',
    ],
    [
      'a long Idempotency-Key',
      '/v1-things',
      { method: 'POST', headers: { ...good, 'idempotency-key': 'k'.repeat(256) } },
      400,
      'idempotency_key_required',
    ],
    [
      'an Idempotency-Key in other letters',
      '/v1-things',
      { method: 'POST', headers: { ...good, 'idempotency-key': 'cl\u00e9-0000001' } },
      400,
      'idempotency_key_required',
    ],
    [
      'a short optional Idempotency-Key',
      '/v1-book',
      { method: 'POST', headers: { ...good, 'idempotency-key': '1' } },
      400,
      'idempotency_key_required',
    ],
    ['an id of another kind', '/v1-things/por_1', { headers: good }, 422, 'invalid_id'],
    ['an id of strange letters', '/v1-things/txn_%00', { headers: good }, 422, 'invalid_id'],
    ['an id of 65 letters', `/v1-things/txn_${'a'.repeat(65)}`, { headers: good }, 422, 'invalid_id'],
    ['an id of 5 000 letters', `/v1-things/txn_${'a'.repeat(5_000)}`, { headers: good }, 422, 'invalid_id'],
    ['a wrong query field', '/x/list?active=maybe', {}, 422, 'invalid_operator'],
    ['a query field that is there twice', '/x/list?active=true&active=true', {}, 422, 'invalid_operator'],
    ['a query field with a control character', '/x/list?name=a%00b', {}, 400, 'invalid_request'],
    ['a broken escape in the address', '/v1-things/%zz', { headers: good }, 400, 'invalid_request'],
  ]
  describe('precedence', () => {
    for (const [promise, path, init, status, code] of precedence) {
      test(`${promise} answers ${status} ${code}`, async () => assertRefusal(await call(path, init), status, code))
    }

    test('405 names the methods that the address takes, and HEAD is none for a call of the interface', async () => {
      assert.equal((await call('/v1-things', { method: 'PUT' })).headers.get('allow'), 'POST')
      assert.equal((await call('/v1-things/txn_1', { method: 'POST', body: 'x' })).headers.get('allow'), 'GET')
      assert.equal((await call('/v1-th%69ngs', { method: 'PUT' })).headers.get('allow'), 'POST')
      const head = await call('/v1-things/txn_1', { method: 'HEAD', headers: good })
      assert.equal(head.status, 405)
      assertCommonHeaders(head)
    })

    test('the present version is accepted', async () => {
      assert.equal((await post({ amount: 5 }, { 'service-version': '2026-08-25' })).status, 201)
    })
  })

  const unreadable: [promise: string, body: string | undefined, headers: Record<string, string>][] = [
    ['no content type', '{"amount":5}', { 'content-type': '' }],
    ['another content type', '{"amount":5}', { 'content-type': 'text/plain' }],
    ['a content type that only begins well', '{"amount":5}', { 'content-type': 'application/json-seq' }],
    ['another character set', '{"amount":5}', { 'content-type': 'application/json; charset=utf-16' }],
    ['a content type that is none', '{"amount":5}', { 'content-type': ';;;' }],
    ['an empty body', '', {}],
    ['broken JSON', '{"amount":5', {}],
    ['a list', '[{"amount":5}]', {}],
    ['a text', '"amount"', {}],
    ['null', 'null', {}],
    ['a number', '1.0', {}],
    ['a key twice', '{"amount":5,"amount":5}', {}],
    ['NUL in a text', '{"amount":5,"more":"\\u0000"}', {}],
    ['a body over 1 MiB', `{"amount":5,"more":"${'x'.repeat(1024 * 1024)}"}`, {}],
  ]
  describe('unreadable bodies', () => {
    for (const [promise, body, headers] of unreadable) {
      test(`${promise} answers 400 with the code of the route`, async () => {
        await assertRefusal(await post(body, headers), 400, 'invalid_body')
        await assertRefusal(await post(body, headers, '/v1-book'), 400, 'invalid_request')
      })
    }

    test('a body of exactly 1 MiB is read', async () => {
      const frame = '{"amount":5,"more":""}'
      const body = frame.replace('""', `"${'x'.repeat(1024 * 1024 - frame.length)}"`)
      assert.equal((await post(body)).status, 201)
    })
  })

  const wrongFields: [body: string, code: string][] = [
    ['{}', 'invalid_amount'],
    ['{"currency":1}', 'invalid_amount'],
    ['{"amount":"100"}', 'invalid_amount'],
    ['{"amount":100.0}', 'invalid_amount'],
    ['{"amount":1e2}', 'invalid_amount'],
    ['{"amount":-1}', 'invalid_amount'],
    ['{"amount":0}', 'invalid_amount'],
    ['{"amount":-0}', 'invalid_amount'],
    ['{"amount":1001}', 'invalid_amount'],
    ['{"amount":9007199254740993}', 'invalid_amount'],
    ['{"amount":1E400}', 'invalid_amount'],
    ['{"amount":true}', 'invalid_amount'],
    ['{"amount":null}', 'invalid_amount'],
    ['{"amount":[100]}', 'invalid_amount'],
    ['{"amount":{"valueOf":5}}', 'invalid_amount'],
    ['{"__proto__":{"amount":5}}', 'invalid_amount'],
    ['{"currency":"EURO","amount":0}', 'invalid_amount'],
    ['{"metadata":5,"currency":"EURO","amount":5}', 'invalid_currency'],
    ['{"amount":5,"currency":1e2}', 'invalid_currency'],
    ['{"amount":5,"counterparty":{"msisdn":5}}', 'invalid_body'],
    ['{"amount":5,"counterparty":1e2}', 'invalid_body'],
    ['{"amount":5,"metadata":[]}', 'invalid_body'],
    ['{"amount":5,"metadata":1.5}', 'invalid_body'],
  ]
  describe('wrong fields, in the order of the declaration', () => {
    for (const [body, code] of wrongFields) {
      test(`${body} answers ${code}`, async () => {
        await assertRefusal(await post(body), code === 'invalid_body' ? 400 : 422, code)
      })
    }
  })
})

describe('turns of a merchant', () => {
  test('two calls that run alone are under way, the next waits, and one beyond the line is refused with the headers of its key', async () => {
    const underWay: (() => void)[] = []
    await using server = await openTestServer({
      turns: createTurns({ alone_max: 4, waiting_max: 1, wait_max_ms: 10_000, locks: createOwnerLocks() }),
      deps: { work: () => new Promise<void>((resolve) => void underWay.push(resolve)) },
    })
    const read = () => fetch(`${server.url}/v1-things/txn_1`, { headers: good })
    const first = read()
    const second = read()
    await waitFor(() => underWay.length === 2)
    const two = [read(), read()]
    const beyond = await Promise.race(two)
    assert.match(await beyond.clone().text(), /wait at once/)
    await assertRefusal(beyond, 429, 'rate_limit_exceeded')
    assert.equal(beyond.headers.get('retry-after'), '1')
    assert.equal(beyond.headers.get('ratelimit-limit'), '300')
    assert.equal(underWay.length, 2, 'the one that waits has not begun')
    underWay[0]!()
    await waitFor(() => underWay.length === 3)
    for (const end of underWay) end()
    const answers = await Promise.all([first, second, ...two])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 429])
  })

  test('a call whose turn never came is refused without being begun, and is no fault', async () => {
    let begun = 0
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await using server = await openTestServer({
      turns: createTurns({ alone_max: 1, waiting_max: 300, wait_max_ms: 50, locks: createOwnerLocks() }),
      deps: {
        work: () => {
          begun += 1
          return released
        },
      },
    })
    const read = () => fetch(`${server.url}/v1-things/txn_1`, { headers: good })
    const first = read()
    await waitFor(() => begun === 1)
    await assertRefusal(await read(), 429, 'rate_limit_exceeded')
    release()
    assert.equal((await first).status, 200)
    assert.equal(begun, 1)
    assert.equal((await read()).status, 200)
  })
})

describe('a route beside the interface', () => {
  const beside = {
    auth: 'open',
    about: 'address',
    errors: { 400: ['invalid_request'], 404: ['resource_not_found'], 500: ['payment_failed'] },
    unreadable: 'invalid_request',
    fault: 'payment_failed',
  } as const
  const routes = [
    defineRoute({
      ...beside,
      method: 'POST',
      path: '/raw/:secret',
      operation: 'takeRaw',
      summary: 'Take bytes',
      params: { secret: 'text' },
      reads: 'raw',
      bodyMaxBytes: 10,
      replies: { 200: Type.Object({ bytes: Type.Integer() }) },
      handle: ({ body, reply }) => reply(200, { bytes: body.length }),
    }),
    defineRoute({
      ...beside,
      method: 'POST',
      path: '/form',
      operation: 'takeForm',
      summary: 'Take a form',
      reads: 'form',
      replies: { 200: Type.Object({ form: Type.Unknown() }) },
      handle: ({ body, reply }) => reply(200, { form: body }),
    }),
    defineRoute({
      ...beside,
      method: 'GET',
      path: '/moved/:secret',
      operation: 'move',
      summary: 'Lead elsewhere',
      params: { secret: 'text' },
      handle: ({ params }) => ({
        status: 303,
        body: '',
        error_code: null,
        headers: { Location: `/${params.secret}`, 'Cache-Control': 'public' },
      }),
    }),
  ] as const
  let server: Awaited<ReturnType<typeof openTestServer>>
  before(async () => {
    server = await openTestServer({ routes })
  })
  after(() => server[Symbol.asyncDispose]())
  const post = (path: string, body: string, type: string) =>
    fetch(`${server.url}${path}`, { method: 'POST', body, headers: { 'content-type': type, 'service-version': '1' } })

  test('takes the bytes of a body of any type, within its limit, and asks for no version', async () => {
    const answer = await post('/raw/1', '{"a":1e2}', 'text/strange')
    assertCommonHeaders(answer)
    assert.deepEqual(await answer.json(), { bytes: 9 })
    assert.deepEqual(await (await fetch(`${server.url}/raw/1`, { method: 'POST' })).json(), { bytes: 0 })
    await assertRefusal(await post('/raw/1', 'more than ten', 'text/strange'), 400, 'invalid_request')
  })

  test('takes the fields of a form, written by a browser or as JSON, and null for what is neither', async () => {
    const formOf = async (body: string, type: string) =>
      ((await (await post('/form', body, type)).json()) as { form: unknown }).form
    const urlencoded = 'application/x-www-form-urlencoded;charset=UTF-8'
    assert.deepEqual(await formOf('a=1&b=%C3%A9', urlencoded), {
      written_as: 'urlencoded',
      fields: { a: '1', b: 'é' },
    })
    assert.deepEqual(await formOf('{"a":1}', 'application/json; charset=utf-8'), {
      written_as: 'json',
      fields: { a: 1 },
    })
    for (const [body, type] of [
      ['[1]', 'application/json'],
      ['{"a":1,"a":2}', 'application/json'],
      ['a=1', 'text/plain'],
    ] as const) {
      assert.equal(await formOf(body, type), null, body)
    }
  })

  test('sends headers of its own, and an empty body without a type', async () => {
    const { status, headers } = await fetch(`${server.url}/moved/there`, { redirect: 'manual' })
    assert.equal(status, 303)
    assert.equal(headers.get('location'), '/there')
    assert.equal(headers.get('cache-control'), 'public')
    assert.equal(headers.get('content-type'), null)
    assert.equal(headers.get('content-length'), '0')
  })

  test('has the secrets of its address written nowhere', async () => {
    const secret = '3f6c1b1e-8e0b-4a51-9d1c-2f4f6f3b7a10'
    server.answered.length = 0
    await fetch(`${server.url}/moved/${secret}`, { redirect: 'manual' })
    await post(`/raw/${secret}`, 'more than ten', 'text/plain')
    assert.deepEqual(
      server.answered.map(({ path, status, error_code }) => [path, status, error_code]),
      [
        ['/moved/:secret', 303, null],
        ['/raw/:secret', 400, 'invalid_request'],
      ],
    )
  })
})
