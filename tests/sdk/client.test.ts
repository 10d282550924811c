import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { type Attempt, Bandama } from '../../sdk/typescript/src/index.ts'
import { freePort } from '../harness/free-port.ts'
import { clientOf, failureOf, key } from './scripted-client.ts'
import { cut, json, openScripted, page, refusal, silence } from './scripted-server.ts'

const payment = { id: 'txn_1', object: 'payment', status: 'created', amount: 500 }
const created = json(201, payment)

// The promises of all SDKs are in conformance/calls.test.ts. Here is what only this one does, or says in its own words.

test('each attempt is told, and an order without a reference has a key of its own', async () => {
  await using server = await openScripted(cut, created)
  const attempts: Attempt[] = []
  const client = clientOf(server.url, { onAttempt: (attempt) => attempts.push(attempt) })
  const made = await client.payments.create({ amount: 500 })
  assert.equal(made.meta.attempts, 2)
  const [first, second] = server.got
  assert.deepEqual(first, second)
  assert.match(first!.key!, /^[0-9a-f-]{36}$/)
  assert.equal(made.meta.idempotencyKey, first!.key)
  assert.deepEqual(
    attempts.map(({ code, retryInMilliseconds: wait }) => [code === null, wait === null]),
    [
      [false, false],
      [true, true],
    ],
  )
})

test('an answer of something else than the service is told in one sentence that says what to do', async () => {
  for (const [step, words] of [
    [page(403), /^http:\/\/127\S+ answered 403 with .* firewall in front of it\.$/],
    [page(301, { Location: 'https://pay.example.ci/' }), /redirect to https:\/\/pay.*: set url/],
  ] as const) {
    await using server = await openScripted(step)
    const error = await failureOf(clientOf(server.url).payments.create({ amount: 500 }))
    assert.match(error.message, words)
    assert.equal(error.docUrl, `${server.url}/docs/errors/unreadable`)
  }
})

test('a wrong address is told in one sentence with the address', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const error = await failureOf(clientOf(url, { retries: 1 }).balances())
  assert.deepEqual([error.kind, error.attempts, error.mayHaveHappened], ['no_answer', 2, false])
  assert.equal(error.message, `No answer from ${url}: ECONNREFUSED. Check the address and the network.`)
})

test('silence ends an attempt after its time, and the error says what to do', async () => {
  await using server = await openScripted(silence)
  const error = await failureOf(clientOf(server.url, { timeoutMs: 60, retries: 0 }).payments.create({ amount: 500 }))
  assert.deepEqual([error.kind, error.mayHaveHappened], ['no_answer', true])
  assert.match(error.message, /nothing came within 0\.06 s\..* call again with the same key/)
  assert.match(error.idempotencyKey!, /^[0-9a-f-]{36}$/)
})

test('a signal ends a call under way, and a wait between attempts', async () => {
  await using silent = await openScripted(silence)
  const stop = new AbortController()
  const asked = failureOf(clientOf(silent.url).payments.create({ amount: 1 }, { signal: stop.signal }))
  while (silent.got.length === 0) await new Promise(setImmediate)
  stop.abort()
  const { kind, mayHaveHappened } = await asked
  assert.deepEqual([kind, mayHaveHappened], ['aborted', true])

  await using busy = await openScripted(refusal(429, 'rate_limit_exceeded', { 'Retry-After': '60' }))
  const waiting = new AbortController()
  const client = clientOf(busy.url, { onAttempt: () => waiting.abort() })
  const ended = await failureOf(client.payments.create({ amount: 1 }, { signal: waiting.signal }))
  assert.deepEqual([ended.kind, ended.mayHaveHappened], ['aborted', false])
  const before = await failureOf(clientOf(busy.url).balances({ signal: AbortSignal.abort() }))
  assert.deepEqual([before.kind, before.attempts], ['aborted', 0])
})

test('a callback that throws or rejects is told on the console, and hides neither a payout nor an error', async (context) => {
  const told = context.mock.method(console, 'error', () => {})
  const faulty = [
    () => {
      throw new Error('mine')
    },
    async () => {
      throw new Error('mine')
    },
  ]
  for (const onAttempt of faulty) {
    await using server = await openScripted(cut, json(201, { id: 'po_1', object: 'payout', status: 'created' }))
    const { payouts } = clientOf(server.url, { onAttempt })
    const order = { amount: 1, beneficiary_id: 'ben_1' }
    assert.equal((await payouts.create(order, { idempotencyKey: 'order-417' })).id, 'po_1')
    await using refused = await openScripted(refusal(401, 'invalid_api_key'))
    assert.equal((await failureOf(clientOf(refused.url, { onAttempt }).balances())).code, 'invalid_api_key')
  }
  assert.deepEqual(
    told.mock.calls.map(({ arguments: [error] }) => (error as Error).message),
    Array.from({ length: 6 }, () => 'mine'),
  )
})

test('payouts, batches and settlements without a key of the caller are refused before anything is sent', async () => {
  await using server = await openScripted(created)
  const { payouts, batches, settlements } = clientOf(server.url)
  const beneficiary = { msisdn: '0700000000', name: 'Awa' }
  for (const call of [undefined, {}, { idempotencyKey: 'short' }] as never[]) {
    await assert.rejects(payouts.create({ amount: 1, beneficiary }, call), TypeError)
    await assert.rejects(batches.create({ lines: [{ amount: 1, beneficiary }] }, call), /stored with your order/)
    await assert.rejects(settlements.create({ amount: 1, beneficiary: 'x' }, call), TypeError)
  }
  const accented = { idempotencyKey: 'commande-é-417' }
  await assert.rejects(payouts.create({ amount: 1, beneficiary }, accented), /leave accents out/)
  // @ts-expect-error the type requires the key too
  await assert.rejects(() => payouts.create({ amount: 1, beneficiary }), TypeError)
  assert.equal(server.got.length, 0)
})

test('the key of a payment follows from its reference, however long, and from nothing else', async () => {
  await using server = await openScripted(created)
  const { payments } = clientOf(server.url)
  for (const merchant_reference of ['CMD-417', 'CMD-417', 'é'.repeat(200), 'é'.repeat(201)])
    await payments.create({ amount: 1, merchant_reference })
  await payments.create({ amount: 1, merchant_reference: 'CMD-417' }, { idempotencyKey: 'my own key' })
  const keys = server.got.map((got) => got.key!)
  assert.equal(keys[0], `ref:${Buffer.from('CMD-417').toString('base64url')}`)
  assert.equal(keys[1], keys[0])
  assert.match(keys[2]!, /^ref:[\w-]{43}$/)
  assert.notEqual(keys[2], keys[3])
  assert.equal(keys[4], 'my own key')
})

test('a check of a recipient is not repeated after a lost answer', async () => {
  await using server = await openScripted(cut)
  const check = { beneficiary: { msisdn: '0700000000', name: 'Awa' } }
  assert.equal((await failureOf(clientOf(server.url).recipients.check(check))).attempts, 1)
})

test('a list reads page after page, and a statement movement after movement', async () => {
  const list = (ids: string[], has_more: boolean) =>
    json(200, { object: 'list', data: ids.map((id) => ({ id })), has_more })
  await using server = await openScripted(list(['a', 'b'], true), list(['c'], false))
  const found: string[] = []
  for await (const { id } of clientOf(server.url).payments.list({ limit: 2 })) found.push(id)
  assert.deepEqual(found, ['a', 'b', 'c'])
  assert.deepEqual(
    server.got.map(({ path }) => path),
    ['/x/payments?limit=2', '/x/payments?limit=2&starting_after=b'],
  )
})

test('a follower goes on over broken connections and a gateway without its service, and ends with its signal', async () => {
  const event = (id: string) => ({ id, object: 'event', type: id === 'evt_2' ? 'payout.failed' : 'payment.succeeded' })
  const feed = (ids: string[], next: string) =>
    json(200, { object: 'feed', data: ids.map((id) => ({ ...event(id), cursor: `at-${id}` })), next, has_more: false })
  await using server = await openScripted(
    ...[
      cut,
      page(502),
      feed(['evt_1', 'evt_2'], 'at-evt_2'),
      feed([], 'later'),
      cut,
      feed(['evt_3'], 'at-evt_3'),
      silence,
    ],
  )
  const stop = new AbortController()
  const seen: unknown[] = []
  const types = ['payment.succeeded', 'payment.failed']
  for await (const one of clientOf(server.url).events.follow({ after: 'begin', types, signal: stop.signal })) {
    seen.push(one)
    if (seen.length === 2) setImmediate(() => stop.abort())
  }
  assert.deepEqual(
    seen,
    ['evt_1', 'evt_3'].map((id) => ({ event: event(id), cursor: `at-${id}` })),
  )
  const places = server.got.map(({ path }) => new URL(path, server.url).searchParams.get('after'))
  assert.deepEqual(places.slice(0, 6), ['begin', 'begin', 'begin', 'at-evt_2', 'later', 'later'])

  await using refused = await openScripted(refusal(409, 'cursor_expired'))
  const { kind } = await failureOf(clientOf(refused.url).events.follow({ after: 'old' }).next())
  assert.equal(kind, 'refused')
})

test('a follower from now first takes a place without a wait, so that a wait that breaks loses nothing', async () => {
  const place = (next: string) => json(200, { object: 'feed', data: [], next, has_more: false })
  const event = { id: 'evt_1', object: 'event', type: 'payment.succeeded', cursor: 'at-1' }
  const feed = json(200, { object: 'feed', data: [event], next: 'at-1', has_more: false })
  await using server = await openScripted(place('here'), cut, feed)
  for await (const { cursor } of clientOf(server.url).events.follow({ after: 'now' })) {
    assert.equal(cursor, 'at-1')
    break
  }
  const asked = server.got.map(({ path }) => new URL(path, server.url).searchParams)
  assert.deepEqual(
    asked.map((query) => [query.get('after'), query.get('wait')]),
    [
      ['now', '0'],
      ['here', '25'],
      ['here', '25'],
    ],
  )
})

test('a key that cannot be used is refused when the client is made, and a live key in a browser', () => {
  const url = 'https://pay.example.ci'
  for (const wrong of ['', 'sk_test_x', 'bdm_pk_test_x', undefined as never])
    assert.throws(() => new Bandama({ key: wrong, url }), /key must be a secret key/)
  for (const wrong of [`${url}/?a`, `${url}/#a`, `${url}/a b`, 'pay'])
    assert.throws(() => new Bandama({ key, url: wrong }), /url must/)
  assert.throws(() => new Bandama({ key }), /url must be the address of your instance/)
  assert.equal(new Bandama({ key, url }).mode, 'test')
  const live = key.replace('test', 'live')
  assert.equal(new Bandama({ key: live, url }).mode, 'live')
  Object.defineProperty(globalThis, 'document', { value: {}, configurable: true })
  try {
    assert.throws(() => new Bandama({ key: live, url }), /never be in a browser/)
  } finally {
    Reflect.deleteProperty(globalThis, 'document')
  }
})

test('neither a client nor an error nor a result shows the key, and meta is in no JSON', async () => {
  await using server = await openScripted(created, refusal(401, 'invalid_api_key'))
  const client = clientOf(server.url)
  const made = await client.payments.create({ amount: 500 })
  const error = await failureOf(client.balances())
  assert.equal(server.got[0]!.authorization, `Bearer ${key}`)
  for (const thing of [client, made, error])
    assert.ok(!`${inspect(thing, { depth: 9, showHidden: true })}${JSON.stringify(thing)}`.includes(key))
  assert.deepEqual({ ...made }, payment)
  assert.equal(JSON.stringify(made), JSON.stringify(payment))
})
