import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../harness/free-port.ts'
import { waitFor } from '../../harness/wait-for.ts'
import { cut, json, openScripted, page, refusal, type Step, silence } from '../scripted-server.ts'
import { type Failure, key, openPhp } from './open-php.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

// The promises of all SDKs are in conformance/calls.test.ts, with ext-curl. Here it is on hosts that have switched curl off, with what only PHP does.

const created = json(201, { id: 'txn_1', object: 'payment', status: 'created', amount: 500 })
const garbled: Step = (response) => response.writeHead(201).end('{"id":"txn_1","ob')

/** Ends the connection in the middle of an answer that said its length. */
const half: Step = (response) => {
  response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': '200' })
  response.write('{"id":"txn_1"', () => response.destroy())
}

/** Gives a byte now and then, for ever. */
const drip: Step = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}

const clientOf = (url: string, more = {}) => ({ client: { key, url, timeout_ms: 2_000, ...more } })

test('without curl what may pass is tried again with the same key and the same bytes', async () => {
  await using php = openPhp({ SDK_STREAMS: '1' })
  for (const [name, fault] of [
    ['a connection that breaks', cut],
    ['an answer that breaks off', half],
    ['a failure of the service', refusal(500, 'payment_creation_failed')],
    ['a gateway without its service', page(502)],
    ['a body that is garbled', garbled],
    ['a request that is still under way', refusal(409, 'idempotency_in_progress')],
    ['too many calls', refusal(429, 'rate_limit_exceeded', { 'Retry-After': '0' })],
  ] as [string, Step][]) {
    await using server = await openScripted(fault, created)
    const body = { amount: 500, description: 'Robe wax à fleurs / M', metadata: [] }
    const { ok, meta } = await php.ask('payments.create', [body], clientOf(server.url))
    assert.deepEqual(
      [ok, meta?.attempts],
      [{ id: 'txn_1', object: 'payment', status: 'created', amount: 500 }, 2],
      name,
    )
    const [first, second] = server.got
    assert.deepEqual(first, second, name)
    assert.match(first!.key!, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.deepEqual([meta!.idempotency_key, meta!.request_id], [first!.key, 'req-1'])
    assert.equal(first!.authorization, `Bearer ${key}`)
    assert.equal(first!.body, '{"amount":500,"description":"Robe wax à fleurs / M","metadata":{}}')
  }
})

test('without curl what will not pass is told at once, in one sentence, and nothing may have happened', async () => {
  await using php = openPhp({ SDK_STREAMS: '1' })
  for (const [step, kind, words] of [
    [refusal(401, 'invalid_api_key'), 'refused', /About invalid_api_key/],
    [refusal(429, 'too_many_attempts', { 'Retry-After': '1' }), 'rate_limited', /About/],
    [refusal(429, 'rate_limit_exceeded', { 'Retry-After': '3600' }), 'rate_limited', /About/],
    [page(403), 'unreadable', /^http:\/\/127\S+ answered 403 with .* firewall in front of it\.$/],
    [page(301, { Location: 'https://pay.example.ci/' }), 'unreadable', /redirect to https:\/\/pay.*: set url/],
  ] as [Step, string, RegExp][]) {
    await using server = await openScripted(step)
    const { error } = await php.ask('payments.create', [{ amount: 500 }], clientOf(server.url))
    assert.match(error!.message, words)
    assert.deepEqual([error!.kind, error!.attempts, error!.may_have_happened, server.got.length], [kind, 1, false, 1])
    assert.equal(error!.doc_url, `${server.url}/docs/errors/${error!.code}`)
  }
})

test('without curl silence ends in time, and the error says that the order may have been carried out', async () => {
  await using php = openPhp({ SDK_STREAMS: '1' })
  for (const quiet of [silence, drip]) {
    await using server = await openScripted(quiet)
    const settings = clientOf(server.url, { timeout_ms: 1_000, retries: 0 })
    const { error } = await php.ask('payments.create', [{ amount: 500 }], settings)
    assert.deepEqual([error!.kind, error!.may_have_happened], ['no_answer', true])
    await waitFor(() => server.got.length === 1, { what: 'the request' })
    assert.match(error!.message, /nothing came within 1 s\..* call again with the same key/)
    assert.equal(error!.idempotency_key, server.got[0]!.key)
  }
})

test('without curl an act without a key is read after a lost answer, and what cannot be read is not repeated', async () => {
  await using php = openPhp({ SDK_STREAMS: '1' })
  const read = (status: string) => json(200, { id: 'x_1', object: 'payout_batch', status })
  const execute = (url: string) => php.ask('batches.execute', ['x_1'], clientOf(url))
  const asked = (server: { got: { method: string; path: string }[] }) =>
    server.got.map(({ method, path }) => `${method} ${path}`)
  const [post, get] = ['POST /v1-payout-batches/x_1/execute', 'GET /v1-payout-batches/x_1']

  await using done = await openScripted(cut, read('en_cours'))
  assert.equal((await execute(done.url)).ok.status, 'en_cours')
  assert.deepEqual(asked(done), [post, get])
  await using undone = await openScripted(cut, read('brouillon'), read('termine'))
  assert.equal((await execute(undone.url)).ok.status, 'termine')
  assert.deepEqual(asked(undone), [post, get, post])
  await using late = await openScripted(cut, read('brouillon'), refusal(409, 'too_late'), read('annule'))
  const { code, may_have_happened } = (await execute(late.url)).error as Failure
  assert.deepEqual([code, may_have_happened, late.got.length], ['too_late', true, 4])

  await using server = await openScripted(json(200, { object: 'balances' }), cut)
  await php.ask('balances', [], clientOf(server.url))
  const check = { beneficiary: { msisdn: '0700000000', name: 'Awa' } }
  for (const [op, args] of [
    ['events.replay', ['evt_1']],
    ['recipients.check', [check]],
    ['payments.submit_code', ['txn_1', '1234']],
  ] as const) {
    const { error } = await php.ask(op, [...args], clientOf(server.url))
    assert.deepEqual([error!.kind, error!.may_have_happened, error!.attempts], ['no_answer', true, 1], op)
  }
  assert.equal(server.got.length, 4)
})

test('a wrong address is told in one sentence, with curl and without', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  for (const env of [{}, { SDK_STREAMS: '1' }]) {
    await using php = openPhp(env)
    const { error } = await php.ask('balances', [], clientOf(url, { retries: 1 }))
    assert.deepEqual([error!.kind, error!.attempts, error!.may_have_happened], ['no_answer', 2, false])
    assert.match(error!.message, /^No answer from http:\/\/127\S+: .+[^.]\. Check the address and the network\.$/)
  }
})

test('a call that would cost money twice, or cannot be sent as it is, is refused before anything is sent', async () => {
  await using php = openPhp()
  await using server = await openScripted(created)
  const client = { key, url: server.url }
  const usage = async (op: string, args: unknown[], more: object, words: RegExp) => {
    const { error } = await php.ask(op, args, { client, ...more })
    assert.equal(error?.kind, 'usage', JSON.stringify([op, args, more]))
    assert.match(error.message, words)
  }
  for (const op of ['payouts.create', 'batches.create', 'settlements.create']) {
    await usage(op, [{ amount: 1 }], {}, /Too few arguments/)
    for (const call of [{}, { idempotency_key: 'short' }])
      await usage(op, [{ amount: 1 }], { call }, /stored with your order/)
    await usage(op, [{ amount: 1 }], { call: { idempotency_key: 'commande-é-417' } }, /leave accents out/)
    await usage(op, [{ amount: 1 }], { call: { idempotency_key: 'order-417\n' } }, /leave accents out/)
    await usage(op, [{ amount: 1 }], { call: { idempotencyKey: 'order-417' } }, /no option idempotencyKey/)
  }
  await usage('payments.get', [''], {}, /id is empty/)
  await usage('balances', [], { call: { timeout_ms: 0 } }, /timeout_ms/)
  await usage('events.follow', [{}], {}, /after is required/)
  for (const wrong of [{ key: '' }, { key: 'sk_test_x' }, { key: 'bdm_pk_test_x' }, { key: `${key}\n` }])
    await usage('balances', [], { client: { ...client, ...wrong } }, /key must be a secret key/)
  for (const url of ['https://pay.example.ci/?a', 'https://pay.example.ci/#a', 'https://pay.example.ci/a b', 'pay'])
    await usage('balances', [], { client: { key, url } }, /url must/)
  await usage('balances', [], { client: { key } }, /url must be the address of your instance/)
  await usage('balances', [], { client: { ...client, retries: -1 } }, /retries/)
  assert.equal(server.got.length, 0)
})

test('the key of a payment follows from its reference, however long, and from nothing else', async () => {
  await using php = openPhp()
  await using server = await openScripted(created)
  const client = { key, url: server.url }
  for (const merchant_reference of ['CMD-417', 'CMD-417', 'é'.repeat(200), 'é'.repeat(201)])
    await php.ask('payments.create', [{ amount: 1, merchant_reference }], { client })
  const call = { idempotency_key: 'my own key' }
  await php.ask('payments.create', [{ amount: 1, merchant_reference: 'CMD-417' }], { client, call })
  const keys = server.got.map((got) => got.key!)
  assert.equal(keys[0], `ref:${Buffer.from('CMD-417').toString('base64url')}`)
  assert.equal(keys[1], keys[0])
  assert.match(keys[2]!, /^ref:[\w-]{43}$/)
  assert.notEqual(keys[2], keys[3])
  assert.equal(keys[4], 'my own key')
})

test('lists read page after page, a wait until the money has moved, and a statement movement after movement', async () => {
  await using php = openPhp()
  const list = (ids: string[], has_more: boolean) =>
    json(200, { object: 'list', data: ids.map((id) => ({ id })), has_more })
  await using server = await openScripted(
    list(['a', 'b'], true),
    list(['c'], false),
    list(['d'], true),
    list(['e'], false),
  )
  const client = { key, url: server.url }
  const { ok } = await php.ask('payments.list', [{ limit: 2, status: null }], { client })
  assert.deepEqual(ok, [{ id: 'a' }, { id: 'b' }, { id: 'c' }])
  const moved = await php.ask('statements.movements', [{ from: '2026-01-01', to: '2026-01-31' }], { client })
  assert.deepEqual(moved.ok, [{ id: 'd' }, { id: 'e' }])
  assert.deepEqual(
    server.got.map(({ path }) => path),
    [
      '/x/payments?limit=2',
      '/x/payments?starting_after=b&limit=2',
      '/v1-statements?limit=500&offset=0&from=2026-01-01&to=2026-01-31',
      '/v1-statements?limit=500&offset=1&from=2026-01-01&to=2026-01-31',
    ],
  )

  const read = (status: string) => json(200, { id: 'txn_1', object: 'payment', status })
  await using paid = await openScripted(read('pending'), cut, page(502), read('of tomorrow'), read('succeeded'))
  const ended = await php.ask('payments.wait', ['txn_1'], { client: { key, url: paid.url } })
  assert.deepEqual([ended.ok.status, paid.got.length], ['succeeded', 5])
  await using pending = await openScripted(read('pending'), silence)
  const last = await php.ask('payments.wait', ['txn_1', { timeout_ms: 3_000 }], { client: { key, url: pending.url } })
  assert.equal(last.ok.status, 'pending')
})

test('a follower goes on over broken connections, keeps its place, and ends with its time', async () => {
  await using php = openPhp()
  const event = (id: string) => ({ id, object: 'event', type: id === 'evt_2' ? 'payout.failed' : 'payment.succeeded' })
  const feed = (ids: string[], next: string) =>
    json(200, { object: 'feed', data: ids.map((id) => ({ ...event(id), cursor: `at-${id}` })), next, has_more: false })
  await using server = await openScripted(
    ...[
      feed([], 'here'),
      cut,
      page(502),
      feed(['evt_1', 'evt_2'], 'at-evt_2'),
      feed([], 'later'),
      cut,
      feed(['evt_3'], 'z'),
    ],
  )
  const types = ['payment.succeeded', 'payment.failed']
  const client = { key, url: server.url }
  const { ok } = await php.ask('events.follow', [{ after: 'now', types }], { client, take: 2 })
  assert.deepEqual(
    ok,
    ['evt_1', 'evt_3'].map((id) => ({ event: event(id), cursor: `at-${id}` })),
  )
  const asked = server.got.map(({ path }) => new URL(path, server.url).searchParams)
  assert.deepEqual(
    asked.map((query) => `${query.get('after')} ${query.get('wait')}`),
    ['now 0', 'here 25', 'here 25', 'here 25', 'at-evt_2 25', 'later 25', 'later 25'],
  )
  await using quiet = await openScripted(feed(['evt_1'], 'x'), silence)
  const ended = await php.ask('events.follow', [{ after: 'begin', timeout_ms: 3_000 }], {
    client: { key, url: quiet.url },
  })
  assert.deepEqual([ended.ok.length, ended.error], [1, undefined])
  // A feed that ends each wait at once is not asked again and again in the last second.
  await using hasty = await openScripted(feed([], 'x'))
  await php.ask('events.follow', [{ after: 'begin', timeout_ms: 600 }], { client: { key, url: hasty.url } })
  assert.ok(hasty.got.length <= 3, `${hasty.got.length} calls`)
  await using refused = await openScripted(refusal(409, 'cursor_expired'))
  const { error } = await php.ask('events.follow', [{ after: 'old' }], { client: { key, url: refused.url } })
  assert.deepEqual([error!.kind, error!.code], ['refused', 'cursor_expired'])
})

test('curl sends an act without a key once, also where it kept the connection of a call before', async () => {
  await using server = await openScripted(json(200, { object: 'balances' }), cut)
  const code = `foreach (glob('sdk/php/src/*.php') as $file) require_once $file;
$client = new Bandama\\Bandama(['key' => '${key}', 'url' => '${server.url}']);
$client->balances();
try { $client->events->replay('evt_1'); } catch (Bandama\\BandamaError $error) { exit($error->attempts); }`
  const [attempts] = await once(spawn('php', ['-r', code], { cwd: root, stdio: 'ignore' }), 'exit')
  assert.deepEqual([attempts, server.got.length], [1, 2])
})

test('a process that is forked has a connection of its own, and leaves that of its parent as it is', async (context) => {
  const ports: unknown[] = []
  await using server = await openScripted((response) => {
    ports.push(response.socket!.remotePort)
    json(200, { object: 'balances' })(response)
  })
  const code = `if (!function_exists('pcntl_fork')) exit(3);
foreach (glob('sdk/php/src/*.php') as $file) require_once $file;
$client = new Bandama\\Bandama(['key' => '${key}', 'url' => '${server.url}']);
$client->balances();
if (pcntl_fork() === 0) { $client->balances(); exit(0); }
pcntl_wait($status);
$client->balances();`
  const [status] = await once(spawn('php', ['-r', code], { cwd: root, stdio: 'ignore' }), 'exit')
  if (status === 3) return context.skip('this PHP cannot fork')
  const [parent, child, parent_again] = ports
  assert.deepEqual([status, ports.length, parent_again], [0, 3, parent])
  assert.notEqual(child, parent)
})
