import assert from 'node:assert/strict'
import { test } from 'node:test'
import { englishOf } from '../../../tests/harness/in-both-languages.ts'
import {
  CALLBACKS,
  collection,
  createMtnConnector,
  disbursement,
  ID,
  json,
  mtn,
  openMtnContract,
  order,
  usual,
} from '../../../tests/harness/mtn-contract.ts'
import type { ScriptedAnswer } from '../../../tests/harness/receiver.ts'
import { SettingsError } from '../contracts/connector-type.ts'
import type { ConnectorCheck, Order } from '../port.ts'
import { mtnMomo } from './connector.ts'
import { assertUsable, type MtnMomoSettings } from './settings.ts'

const common = { amount: '2500', currency: 'XOF', externalId: ID, payerMessage: 'Merci', payeeNote: 'Merci' }
const party = { partyIdType: 'MSISDN', partyId: '2250506123456' }
const paid = { reference: '1b8a9c7e-0a55-4f3e-8c7d-6e2c7f1a9b02', operator_reference: '7', operator_state: null }

const orders: [name: string, order: Partial<Order>, path: string, body: object][] = [
  ['a collection', {}, '/mtn/collection/v1_0/requesttopay', { ...common, payer: party }],
  ['a payout', { direction: 'payout' }, '/mtn/disbursement/v1_0/transfer', { ...common, payee: party }],
  [
    'a refund',
    { direction: 'refund', refund_of: paid, msisdn: null },
    '/mtn/disbursement/v1_0/refund',
    { ...common, referenceIdToRefund: paid.reference },
  ],
]
for (const [name, fields, path, body] of orders) {
  test(`${name} goes out as MTN documents it, the same bytes each time, with the keys of its product`, async () => {
    await using contract = await openMtnContract({ message: 'Merci' })
    for (let time = 0; time < 2; time += 1) {
      const outcome = await contract.connector.send({ ...order, ...fields })
      assert.equal(outcome.kind, 'accepted')
      assert.equal('next_action' in outcome, fields.direction === undefined)
    }
    const product = path.split('/')[2]!
    const [token, first, second] = contract.server.requests
    assert.deepEqual([token!.method, token!.path], ['POST', `/mtn/${product}/token/`])
    const pair = `${usual[`${product}.api_user` as keyof typeof usual]}:secret-of-${product}`
    assert.equal(token!.headers.authorization, `Basic ${Buffer.from(pair).toString('base64')}`)
    assert.deepEqual([token!.headers['content-length'], String(token!.body)], ['0', ''])
    const { headers } = first!
    assert.deepEqual([first!.method, first!.path, headers.authorization], ['POST', path, 'Bearer token-1'])
    assert.equal(headers['ocp-apim-subscription-key'], `key-of-${product}`)
    assert.equal(headers['x-reference-id'], ID)
    assert.equal(headers['x-target-environment'], 'mtnivorycoast')
    assert.equal(headers['x-callback-url'], CALLBACKS)
    assert.deepEqual(JSON.parse(String(first!.body)), body)
    assert.deepEqual(first!.body, second!.body)
  })
}

test('a question names the reference in its address, and no address of ours', async () => {
  await using contract = await openMtnContract()
  for (const [direction, path] of [
    ['collect', 'collection/v1_0/requesttopay'],
    ['payout', 'disbursement/v1_0/transfer'],
    ['refund', 'disbursement/v1_0/refund'],
  ] as const) {
    assert.equal((await contract.connector.read({ ...order, direction })).kind, 'pending')
    const request = contract.server.requests.at(-1)!
    assert.deepEqual([request.method, request.path], ['GET', `/mtn/${path}/${ID}`])
    assert.deepEqual([request.headers['x-reference-id'], request.headers['x-callback-url']], [undefined, undefined])
  }
})

test('without an address for callbacks we send MTN none, and only ask it', async () => {
  await using contract = await openMtnContract({ send_callback_url: false })
  await contract.connector.send(order)
  assert.equal('x-callback-url' in contract.server.requests.at(-1)!.headers, false)
  assert.equal(contract.connector.callbacks, 'none')
})

test('a contract offers what it has keys for, and refuses the rest before anything is sent', async () => {
  const offers = async (settings: Partial<MtnMomoSettings>) => {
    await using contract = await openMtnContract(settings)
    return contract.connector.capabilitiesOf('mtn_ci')
  }
  const none = (keys: object) => Object.fromEntries(Object.keys(keys).map((key) => [key, undefined]))
  const all = { collect: true, collect_without_number: false, payout: true, refund: 'full' }
  assert.deepEqual(await offers({}), all)
  assert.deepEqual(await offers({ refund: 'partial' }), { ...all, refund: 'partial' })
  assert.deepEqual(await offers(none(disbursement)), { ...all, payout: false, refund: 'none' })
  assert.deepEqual(await offers(none(collection)), { ...all, collect: false })
  await using contract = await openMtnContract(none(disbursement))
  assert.equal(contract.connector.capabilitiesOf('orange_ci'), null)
  for (const fields of [
    { direction: 'payout' },
    { direction: 'refund', refund_of: paid },
    { operator: 'orange_ci' },
    { msisdn: null },
  ] as Partial<Order>[]) {
    const outcome = await contract.connector.send({ ...order, ...fields })
    assert.equal(outcome.kind === 'refused' && outcome.failure_code, 'operator_configuration')
  }
  assert.deepEqual(contract.server.requests, [])
})

test('orders share one token, and after a refused token the same order goes out with a new one', async () => {
  const usually = mtn()
  await using contract = await openMtnContract(
    {},
    {
      script: (request) =>
        request.headers.authorization === 'Bearer token-1' ? json({ statusCode: 401 }, 401) : usually(request),
    },
  )
  const outcomes = await Promise.all([1, 2, 3].map(() => contract.connector.send(order)))
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['accepted', 'accepted', 'accepted'],
  )
  assert.equal(contract.calls(/token/).length, 2)
  const sent = contract.calls(/requesttopay/)
  assert.equal(sent.length, 6)
  for (const { body, headers } of sent) assert.deepEqual([body, headers['x-reference-id']], [sent[0]!.body, ID])
})

test('when MTN refuses every token, we fetch only two, with one subscription key', async () => {
  const usually = mtn()
  await using contract = await openMtnContract(
    { 'collection.secondary_subscription_key': 'second-of-collection' },
    {
      script: (request) => (request.path.endsWith('requesttopay') ? json({ statusCode: 401 }, 401) : usually(request)),
    },
  )
  const outcome = await contract.connector.send(order)
  assert.equal(outcome.kind === 'refused' && outcome.failure_code, 'operator_configuration')
  assert.equal(contract.server.requests.length, 4)
})

test('if MTN refuses an empty body for a token, JSON is sent, and this is remembered', async () => {
  for (const status of [411, 400]) {
    const usually = mtn()
    await using contract = await openMtnContract(
      {},
      {
        script: (request) =>
          request.path.endsWith('/token/') && request.body.length === 0 ? { status } : usually(request),
      },
    )
    assert.equal((await contract.connector.send(order)).kind, 'accepted')
    const [, second] = contract.calls(/token/)
    assert.deepEqual(JSON.parse(String(second!.body)), { grant_type: 'client_credentials' })
  }
})

test('a page instead of a token means that nothing was sent, and the check reports it', async () => {
  await using contract = await openMtnContract(
    {},
    { script: () => ({ status: 200, body: '<html>Request Rejected</html>' }) },
  )
  assert.equal((await contract.connector.send(order)).kind, 'not_sent')
  assert.equal((await contract.connector.read(order)).kind, 'unknown')
  assert.deepEqual(contract.calls(/requesttopay/), [])
})

test('unusable settings give an error that quotes no value', () => {
  const withoutKeys = Object.fromEntries(Object.keys({ ...collection, ...disbursement }).map((key) => [key, undefined]))
  const wrong: Partial<MtnMomoSettings>[] = [
    { 'collection.api_key': undefined },
    { 'disbursement.api_user': undefined },
    { ...withoutKeys, 'collection.secondary_subscription_key': 'second-of-collection' },
    withoutKeys,
    { currency: 'EUR' },
    { target_environment: 'sandbox' },
    { target_environment: 'sandbox', currency: 'EUR' },
  ]
  for (const settings of wrong) {
    assert.throws(
      () => createMtnConnector('http://127.0.0.1:1/mtn', settings),
      (error) => error instanceof SettingsError && !/secret-of|key-of|second-of/.test(error.message),
      JSON.stringify(settings),
    )
  }
})

type Answers = { token?: ScriptedAnswer; balance?: ScriptedAnswer; user?: ScriptedAnswer }

/** A contract whose calls are answered so, checked. */
async function check(answers: Answers, settings: Partial<MtnMomoSettings> = {}) {
  const usually = mtn()
  await using contract = await openMtnContract(settings, {
    livemode: settings.target_environment !== 'sandbox',
    script(request) {
      if (request.path.endsWith('/token/')) return answers.token ?? usually(request)
      return (request.path.includes('apiuser') ? answers.user : answers.balance) ?? usually(request)
    },
  })
  return await contract.connector.check!()
}

const sandbox = { target_environment: 'sandbox', currency: 'EUR' } as const
const euros = json({ availableBalance: '1000', currency: 'EUR' })
const host = (providerCallbackHost: string) => json({ providerCallbackHost, targetEnvironment: 'sandbox' })

test('a check says that the settings work, or names the problem in one sentence', async () => {
  assert.deepEqual(await check({}), { kind: 'works' })
  assert.deepEqual(await check({ balance: euros, user: host('pay.example.ci') }, sandbox), { kind: 'works' })
  assert.deepEqual(await check({ balance: euros, user: json({}, 404) }, sandbox), { kind: 'works' })
  const code = (word: string, status = 500) => json({ code: word, message: 'No.' }, status)
  const key = json({ statusCode: 401, message: 'Access denied due to invalid subscription key.' }, 401)
  const late = {
    ...json({ availableBalance: '1', currency: 'XOF' }),
    headers: { date: 'Mon, 02 Mar 2026 10:15:32 GMT' },
  }
  const problems: [Promise<ConnectorCheck>, RegExp][] = [
    [check({ token: key }), /collection\.subscription_key/],
    [check({ token: json({ error: 'login_failed' }, 401) }), /collection\.api_user with collection\.api_key/],
    [check({ token: code('NOT_ALLOWED_TARGET_ENVIRONMENT') }), /another product or another environment/],
    [check({ token: json({ statusCode: 403, message: 'Forbidden' }, 403) }), /declare its address/],
    [check({ token: { status: 200, body: '<html></html>' } }), /check the address/],
    [check({ token: { fault: 'drop' } }), /gave no answer/],
    [check({ balance: code('NOT_ALLOWED_TARGET_ENVIRONMENT') }), /target_environment is not/],
    [check({ balance: json({ statusCode: 403, message: 'Forbidden' }, 403) }), /declare its address/],
    [check({ balance: code('NOT_ALLOWED') }), /ask MTN whether the product is active/],
    [check({ balance: euros }), /in EUR and currency is XOF/],
    [check({ balance: late }), /clock of this machine/],
    [check({ balance: euros, user: host('old.example.ci') }, sandbox), /another host than pay\.example\.ci/],
  ]
  for (const [result, sentence] of problems) {
    const checked = await result
    assert.ok(checked.kind === 'fails', String(sentence))
    assert.match(englishOf(checked.problem), sentence)
    assert.doesNotMatch(checked.problem.join(' '), /secret-of|key-of|token-|127\.0\.0\.1/)
  }
})

test('a balance is in whole francs, and an unreadable one is an error', async () => {
  await using live = await openMtnContract()
  assert.deepEqual(await live.connector.balance!(), { amount: 150_000, currency: 'XOF' })
  await using silent = await openMtnContract({}, { script: () => ({ status: 503 }) })
  await assert.rejects(silent.connector.balance!())
})

test('live mode cannot use the address of the sandbox, and that of real money gives a warning in test mode', () => {
  const settings = { base_url: 'https://sandbox.momodeveloper.mtn.com', ...usual }
  assert.throws(() => assertUsable(settings, true), /MTN's sandbox/)
  assert.doesNotThrow(() => assertUsable({ ...settings, base_url: 'https://proxy.momoapi.mtn.com' }, true))
  const warning = (base_url: string, target_environment = 'mtnivorycoast') =>
    mtnMomo.realMoneyWarning!({ base_url, ...usual, target_environment })
  assert.match(englishOf(warning('https://proxy.momoapi.mtn.com')!), /real money/)
  assert.equal(warning('https://sandbox.momodeveloper.mtn.com', 'sandbox'), null)
  assert.equal(warning('http://127.0.0.1:4010/mtn'), null)
})
