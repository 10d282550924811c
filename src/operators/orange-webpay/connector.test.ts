import assert from 'node:assert/strict'
import { test } from 'node:test'
import { englishOf } from '../../../tests/harness/in-both-languages.ts'
import { type ReceivedRequest, type ScriptedAnswer, startReceiver } from '../../../tests/harness/receiver.ts'
import { machineMilliseconds } from '../../platform/clock.ts'
import { SettingsError } from '../contracts/connector-type.ts'
import { createOperatorHttp } from '../operator-api/operator-http.ts'
import type { Order } from '../port.ts'
import { orangeWebpay } from './connector.ts'
import type { OrangeWebpaySettings } from './settings.ts'
import { orderIdOf } from './translate.ts'

const ID = '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10'
const CALLBACKS = 'https://pay.example.ci/operators/main/callbacks/token'

const order: Order = {
  merchant_id: 1,
  livemode: true,
  direction: 'collect',
  operator: 'orange_ci',
  reference: ID,
  operator_reference: null,
  operator_state: null,
  amount: 2_500,
  currency: 'XOF',
  msisdn: null,
  refund_of: null,
  sent_at: null,
  sent_ms_ago: null,
  sent_again: 0,
}

const json = (body: object, status = 200): ScriptedAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const page = { pay_token: 'f5720dd9', payment_url: 'https://webpayment.example/f5720dd9', notif_token: 'dd497bda' }

/** Tokens are `token-1`, `token-2` …, orders are taken, and payers have typed nothing yet. */
function orange(expires_in: unknown = 3600): (request: ReceivedRequest) => ScriptedAnswer {
  let tokens = 0
  return ({ path }) => {
    if (path.endsWith('/token')) {
      tokens += 1
      return json({ token_type: 'Bearer', access_token: `token-${tokens}`, expires_in })
    }
    if (path.endsWith('/webpayment')) return json({ status: 201, message: 'OK', ...page }, 201)
    return json({ status: 'INITIATED', order_id: orderIdOf(ID), txnid: null }, 201)
  }
}

function create(
  base_url: string,
  settings: Partial<OrangeWebpaySettings> = {},
  { livemode = true, callback_url = CALLBACKS } = {},
) {
  const http = createOperatorHttp({ base_url })
  const keys = { client_id: 'client', client_secret: 'secret-of-client', merchant_key: 'key-of-merchant' }
  const connector = orangeWebpay.create(
    { base_url, country_path: 'ci', ...keys, ...settings },
    {
      name: 'main',
      livemode,
      http,
      callback_url,
      return_url: 'https://pay.example.ci/return',
      now: () => new Date(machineMilliseconds()),
    },
  )
  return { http, connector }
}

type Options = { script?: (request: ReceivedRequest) => ScriptedAnswer; livemode?: boolean; callback_url?: string }

/** A contract on a server that answers as the test says. */
async function open(settings: Partial<OrangeWebpaySettings> = {}, { script = orange(), ...context }: Options = {}) {
  const server = await startReceiver(script)
  const { http, connector } = create(`${server.url}/orange`, settings, context)
  return {
    connector,
    calls: (path: RegExp) => server.requests.filter((request) => path.test(request.path)),
    async [Symbol.asyncDispose]() {
      await http.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('an order is announced with a number for its amount and an address that names it, the same bytes each time', async () => {
  await using contract = await open()
  for (let time = 0; time < 2; time += 1) {
    const outcome = await contract.connector.send(order)
    assert.ok(outcome.kind === 'accepted')
    assert.equal(outcome.next_action?.url, page.payment_url)
  }
  const [first, second] = contract.calls(/webpayment$/)
  assert.deepEqual(first!.body, second!.body)
  assert.equal(first!.path, '/orange/orange-money-webpay/ci/v1/webpayment')
  assert.deepEqual(
    [first!.headers.authorization, first!.headers.accept, first!.headers['content-type']],
    ['Bearer token-1', 'application/json', 'application/json'],
  )
  assert.deepEqual(JSON.parse(String(first!.body)), {
    merchant_key: 'key-of-merchant',
    currency: 'XOF',
    order_id: orderIdOf(ID),
    amount: 2_500,
    return_url: `https://pay.example.ci/return/${ID}`,
    cancel_url: `https://pay.example.ci/return/${ID}`,
    notif_url: `${CALLBACKS}.${orderIdOf(ID)}`,
    lang: 'fr',
    reference: 'Paiement',
  })
  const [token, ...more] = contract.calls(/token$/)
  assert.equal(more.length, 0)
  assert.equal(token!.headers.authorization, `Basic ${Buffer.from('client:secret-of-client').toString('base64')}`)
  assert.equal(String(token!.body), 'grant_type=client_credentials')
})

test('the sandbox is asked in its own currency, under its own address', async () => {
  await using contract = await open({ country_path: 'dev', token_path: '/oauth/v2/token' }, { livemode: false })
  await contract.connector.send(order)
  const [announced] = contract.calls(/\/dev\/v1\/webpayment$/)
  assert.equal(JSON.parse(String(announced!.body)).currency, 'OUV')
  assert.equal(contract.calls(/\/oauth\/v2\/token$/).length, 1)
})

test('a state is asked for with the order, its amount and its token; without the token nothing is asked', async () => {
  await using contract = await open()
  assert.equal((await contract.connector.read(order)).kind, 'not_found')
  assert.equal(contract.calls(/./).length, 0)
  const kept = { ...order, operator_state: { pay_token: 'f5720dd9', notif_token: 'dd497bda' } }
  assert.equal((await contract.connector.read(kept)).kind, 'pending')
  const [asked] = contract.calls(/transactionstatus$/)
  const question = { order_id: orderIdOf(ID), amount: 2_500, pay_token: 'f5720dd9' }
  assert.deepEqual(JSON.parse(String(asked!.body)), question)
})

test('a token that is no longer accepted is renewed once, and one with its time as a text is kept', async () => {
  const answers = orange('7776000')
  let refused = 0
  await using contract = await open(
    {},
    {
      script: (request) => {
        const old = request.headers.authorization === 'Bearer token-1'
        if (old) refused += 1
        return old ? json({ code: 42, message: 'Expired credentials' }, 401) : answers(request)
      },
    },
  )
  assert.equal((await contract.connector.send(order)).kind, 'accepted')
  assert.equal((await contract.connector.send(order)).kind, 'accepted')
  assert.deepEqual([refused, contract.calls(/token$/).length, contract.calls(/webpayment$/).length], [1, 2, 3])
})

test('credentials that stay refused refuse the order, after two calls', async () => {
  const answers = orange()
  const no = json({ code: 41, message: 'Invalid credentials' }, 401)
  await using contract = await open(
    {},
    { script: (request) => (request.path.endsWith('/webpayment') ? no : answers(request)) },
  )
  const outcome = await contract.connector.send(order)
  assert.ok(outcome.kind === 'refused')
  assert.equal(outcome.failure_code, 'operator_configuration')
  assert.equal(contract.calls(/webpayment$/).length, 2)
})

test('it collects for Orange, needs no number, and offers nothing else', async () => {
  await using contract = await open()
  const { connector } = contract
  assert.equal(connector.capabilitiesOf('mtn_ci'), null)
  const capabilities = { collect: true, collect_without_number: true, payout: false, refund: 'none' }
  assert.deepEqual(connector.capabilitiesOf('orange_ci'), capabilities)
  assert.deepEqual([connector.callbacks, connector.balance, connector.submitCode], ['unsigned', undefined, undefined])
  for (const other of [{ direction: 'payout' }, { direction: 'refund' }, { operator: 'mtn_ci' }] as const) {
    assert.equal((await connector.send({ ...order, ...other })).kind, 'refused')
  }
  assert.equal(contract.calls(/./).length, 0)
})

test('addresses over 120 characters are never sent, and a check says so', async () => {
  await using contract = await open({}, { callback_url: `https://pay.example.ci/${'x'.repeat(80)}` })
  assert.equal((await contract.connector.send(order)).kind, 'refused')
  const checked = await contract.connector.check!()
  assert.ok(checked.kind === 'fails')
  assert.match(englishOf(checked.problem), /120 characters, and ours have 129/)
  assert.equal(contract.calls(/./).length, 0)
})

const problems: [path: RegExp, answer: ScriptedAnswer, says: RegExp | null][] = [
  [/token$/, json({ error: 'invalid_client' }, 401), /client_id with client_secret/],
  [/token$/, { status: 404, body: 'no' }, /answered 404 and no token/],
  [/transactionstatus$/, json({ code: 41 }, 401), /country_path/],
  [/transactionstatus$/, json({ code: 50 }, 403), /subscribe/],
  [/transactionstatus$/, json({ code: 5 }, 503), /503/],
  [/transactionstatus$/, { status: 200, body: '<html>' }, /without words of its own/],
  [/transactionstatus$/, json(['code', 60], 200), /without words of its own/],
  [/transactionstatus$/, { fault: 'drop' }, /gave no answer/],
  [/transactionstatus$/, json({ code: 60 }, 404), null],
  [/nothing/, {}, null],
]
for (const [path, answer, says] of problems) {
  test(`a check where ${path} answers ${answer.status ?? answer.fault ?? 'well'} ${says === null ? 'works' : 'says what to do'}`, async () => {
    const answers = orange()
    await using contract = await open(
      {},
      { script: (request) => (path.test(request.path) ? answer : answers(request)) },
    )
    const checked = await contract.connector.check!()
    assert.equal(checked.kind, says === null ? 'works' : 'fails')
    if (checked.kind === 'works') assert.match(checked.unproven![1], /merchant_key/, 'nothing proves it')
    if (checked.kind === 'fails') assert.match(englishOf(checked.problem), says!)
    assert.equal(contract.calls(/webpayment$/).length, 0)
  })
}

test('the sandbox is refused in live mode, and real money in test mode gives a warning', () => {
  assert.throws(() => create('https://api.orange.com', { country_path: 'dev' }), SettingsError)
  const settings = { client_id: 'c', client_secret: 's', merchant_key: 'k' }
  const warning = (base_url: string, country_path: 'ci' | 'dev') =>
    orangeWebpay.realMoneyWarning!({ ...settings, base_url, country_path })
  assert.match(englishOf(warning('https://api.orange.com', 'ci')!), /real money/)
  assert.equal(warning('https://api.orange.com', 'dev'), null)
  assert.equal(warning('http://127.0.0.1:4010/orange', 'ci'), null)
})
