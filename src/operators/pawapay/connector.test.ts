import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { englishOf } from '../../../tests/harness/in-both-languages.ts'
import { type ReceivedRequest, type ScriptedAnswer, startReceiver } from '../../../tests/harness/receiver.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { machineMilliseconds } from '../../platform/clock.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { SettingsError } from '../contracts/connector-type.ts'
import { digestIsOf, isSignedBy, signatureBase, signatureIn } from '../operator-api/http-signatures.ts'
import { createOperatorHttp, type OperatorHttp } from '../operator-api/operator-http.ts'
import type { Connector, ConnectorCheck, Order } from '../port.ts'
import { pawapay } from './connector.ts'
import type { PawapaySettings } from './settings.ts'

const ID = '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10'
const CALLBACKS = 'https://pay.example.ci/operators/main/callbacks'

const order: Order = {
  merchant_id: 1,
  livemode: true,
  direction: 'collect',
  operator: 'mtn_ci',
  reference: ID,
  operator_reference: null,
  operator_state: null,
  amount: 2_500,
  currency: 'XOF',
  msisdn: Msisdn.parse('0503456789'),
  refund_of: null,
  sent_at: null,
  sent_ms_ago: null,
  sent_again: 0,
}

const token = 'a-token-of-the-contract'

/** A contract on a server that answers as the test says. */
async function open(
  settings: Partial<PawapaySettings> = {},
  script: (request: ReceivedRequest) => ScriptedAnswer = () => json(),
) {
  const server = await startReceiver(script)
  const base_url = `${server.url}/pawapay`
  const http = createOperatorHttp({ base_url })
  return {
    server,
    connector: create({ base_url, ...settings }, http),
    async [Symbol.asyncDispose]() {
      await http.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

function create(settings: Partial<PawapaySettings>, http: OperatorHttp): Connector {
  const context = { name: 'main', livemode: true, http, callback_url: CALLBACKS }
  return pawapay.create(
    { base_url: 'https://api.pawapay.io', api_token: token, ...settings },
    { ...context, return_url: 'https://pay.example.ci/return', now: () => new Date(machineMilliseconds()) },
  )
}

function json(body: object = { status: 'ACCEPTED' }, status = 200): ScriptedAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** The requests that give an order; beside them the connector reads the account. */
function initiationsTo({ requests }: { requests: readonly ReceivedRequest[] }): ReceivedRequest[] {
  return requests.filter(({ method }) => method === 'POST')
}

const initiations: [name: string, order: Partial<Order>, path: string, body: object][] = [
  [
    'a collection',
    {},
    '/pawapay/v2/deposits',
    {
      depositId: ID,
      amount: '2500',
      currency: 'XOF',
      payer: { type: 'MMO', accountDetails: { phoneNumber: '2250503456789', provider: 'MTN_MOMO_CIV' } },
      customerMessage: 'Merci',
    },
  ],
  [
    'a collection whose payer is led to a page',
    { operator: 'wave_ci' },
    '/pawapay/v2/deposits',
    {
      depositId: ID,
      amount: '2500',
      currency: 'XOF',
      payer: { type: 'MMO', accountDetails: { phoneNumber: '2250503456789', provider: 'WAVE_CIV' } },
      customerMessage: 'Merci',
      successfulUrl: `https://pay.example.ci/return/${ID}`,
      failedUrl: `https://pay.example.ci/return/${ID}`,
    },
  ],
  [
    'a payout',
    { direction: 'payout', operator: 'orange_ci' },
    '/pawapay/v2/payouts',
    {
      payoutId: ID,
      amount: '2500',
      currency: 'XOF',
      recipient: { type: 'MMO', accountDetails: { phoneNumber: '2250503456789', provider: 'ORANGE_CIV' } },
      customerMessage: 'Merci',
    },
  ],
  [
    'a refund',
    { direction: 'refund', refund_of: { reference: 'the-deposit', operator_reference: null, operator_state: null } },
    '/pawapay/v2/refunds',
    { refundId: ID, depositId: 'the-deposit', amount: '2500', currency: 'XOF' },
  ],
]
for (const [name, fields, path, body] of initiations) {
  test(`${name} goes out as pawaPay documents it, the same bytes each time`, async () => {
    await using contract = await open({ customer_message: 'Merci' })
    for (let time = 0; time < 2; time += 1) {
      const outcome = await contract.connector.send({ ...order, ...fields })
      assert.equal(outcome.kind, 'accepted')
      const onTelephone = fields.direction === undefined && fields.operator !== 'wave_ci'
      assert.equal('next_action' in outcome, onTelephone, 'the page of the others comes later')
    }
    const [first, second] = initiationsTo(contract.server)
    assert.deepEqual([first!.method, first!.path, first!.headers.authorization], ['POST', path, `Bearer ${token}`])
    assert.deepEqual(JSON.parse(String(first!.body)), body)
    assert.deepEqual(first!.body, second!.body)
    assert.equal(first!.headers.signature, undefined)
  })
}

test('an operator outside the contract, or an order without a number, is refused before anything is sent', async () => {
  await using contract = await open({ 'provider.orange_ci': 'none' })
  const { connector, server } = contract
  for (const fields of [{ operator: 'moov_ci' }, { operator: 'orange_ci' }, { operator: null }, { msisdn: null }]) {
    const outcome = await connector.send({ ...order, ...fields })
    assert.ok(outcome.kind === 'refused')
    assert.equal(outcome.failure_code, 'operator_configuration')
  }
  assert.deepEqual(server.requests, [])
  assert.equal(connector.capabilitiesOf('orange_ci'), null)
  assert.equal(connector.capabilitiesOf('moov_ci'), null)
  assert.equal(connector.capabilitiesOf('wave_ci')?.refund, 'partial')
})

for (const signing_form of ['der', 'raw'] as const) {
  test(`a request is signed, ${signing_form}, where the settings have a key`, async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const signing_private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    await using contract = await open({ signing_key_id: 'OURS:1', signing_private_key, signing_form })
    await contract.connector.send(order)
    const { headers, body } = initiationsTo(contract.server)[0]!
    const carried = signatureIn(headers, 'sig-pp')!
    const request = { method: 'POST', authority: headers.host!, path: '/pawapay/v2/deposits', headers }
    assert.equal(carried.keyid, 'OURS:1')
    assert.equal(await isSignedBy(publicKey, signatureBase(request, carried)!, carried.signature), true)
    assert.equal(digestIsOf(headers['content-digest'], body), true)
    await contract.connector.read(order)
    assert.equal(contract.server.requests.at(-1)!.headers.signature, undefined, 'a question moves nothing')
  })
}

test('unusable settings give an error that quotes no value', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const other = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const wrong: Partial<PawapaySettings>[] = [
    { signing_key_id: 'OURS:1' },
    { signing_private_key: other },
    { signing_key_id: 'OURS:1', signing_private_key: 'secret text' },
    { signing_key_id: 'OURS:1', signing_private_key: other },
    { 'provider.mtn_ci': 'none', 'provider.orange_ci': 'none', 'provider.wave_ci': 'none' },
  ]
  for (const settings of wrong) {
    assert.throws(
      () => create(settings, createOperatorHttp({ base_url: 'https://api.pawapay.io' })),
      (error) => error instanceof SettingsError && !/secret text/.test(error.message),
    )
  }
})

const operation = { minAmount: '100', maxAmount: '1000000', status: 'OPERATIONAL', callbackUrl: CALLBACKS }

/** An account as pawaPay describes it. */
function account({ signedCallbacks = true, signedRequestsOnly = false, callbackUrl = CALLBACKS, left_out = '' } = {}) {
  const providers = ['MTN_MOMO_CIV', 'ORANGE_CIV', 'WAVE_CIV']
    .filter((provider) => provider !== left_out)
    .map((provider) => ({
      provider,
      currencies: [{ currency: 'XOF', operationTypes: { DEPOSIT: { ...operation, callbackUrl }, PAYOUT: operation } }],
    }))
  return { signatureConfiguration: { signedRequestsOnly, signedCallbacks }, countries: [{ country: 'CIV', providers }] }
}

const wallets = { balances: [{ country: 'CIV', balance: '1250000.00', currency: 'XOF' }] }

/** A contract whose account is described so, checked. */
async function check(described: ScriptedAnswer, settings: Partial<PawapaySettings> = {}, balances: object = wallets) {
  const script = ({ path }: ReceivedRequest) => (path.includes('active-conf') ? described : json(balances))
  await using contract = await open(settings, script)
  return await contract.connector.check!()
}

test('a check says that the settings work, or names the problem in one sentence', async () => {
  assert.deepEqual(await check(json(account())), { kind: 'works' })
  const refusal = (failureCode: string) => ({ failureReason: { failureCode } })
  const late = { ...json(account()), headers: { date: 'Mon, 02 Mar 2026 10:15:32 GMT' } }
  const problems: [() => Promise<ConnectorCheck>, RegExp][] = [
    [() => check(json(refusal('AUTHENTICATION_ERROR'), 401)), /api_token.*other environment/],
    [() => check(json(refusal('AUTHENTICATION_ERROR'), 403)), /api_token.*other environment/],
    [() => check(json(refusal('AUTHORISATION_ERROR'), 403)), /addresses it may come from/],
    [() => check({ status: 200, body: '<html>a shop</html>' }), /check the address/],
    [() => check({ fault: 'drop' }), /gave no answer/],
    [() => check(late), /clock of this machine/],
    [() => check(json(account({ left_out: 'WAVE_CIV' }))), /WAVE_CIV.*provider\.wave_ci/],
    [() => check(json(account({ signedCallbacks: false }))), /does not sign its callbacks/],
    [() => check(json(account()), { require_signed_callbacks: false }), /signs its callbacks/],
    [() => check(json(account({ signedRequestsOnly: true }))), /signed requests only/],
    [() => check(json(account({ callbackUrl: 'https://old.example.ci/' }))), /set it to https:\/\/pay\.example\.ci/],
    [() => check(json(account()), {}, { balances: [] }), /no wallet for XOF/],
  ]
  for (const [result, sentence] of problems) {
    const checked = await result()
    assert.ok(checked.kind === 'fails', String(sentence))
    assert.match(englishOf(checked.problem), sentence)
    assert.doesNotMatch(checked.problem.join(' '), /a-token|127\.0\.0\.1/)
  }
})

test('bounds are read in the background, and a failure keeps the known ones', async () => {
  let described: ScriptedAnswer = json(account())
  await using contract = await open({}, () => described)
  const { connector, server } = contract
  const boundsOf = (connector: Connector) => connector.boundsOf!('mtn_ci', 'collect')
  assert.equal(boundsOf(connector), null, 'not known yet')
  for (let time = 0; time < 10; time += 1) boundsOf(connector)
  await waitFor(() => boundsOf(connector))
  assert.deepEqual(boundsOf(connector), { min: 100, max: 1_000_000, step: 1 })
  assert.equal(connector.boundsOf!('moov_ci', 'collect'), null)
  described = { status: 503 }
  assert.equal(server.requests.length, 1)
})

test('the payer is told the code that calls the prompt or brings it back, once the account is known', async () => {
  const instructions = {
    channels: [{ type: 'USSD', instructions: { fr: [{ variables: { shortCode: '#144*82#' } }] } }],
  }
  const DEPOSIT = { minAmount: '1', maxAmount: '9', pinPrompt: 'MANUAL', pinPromptInstructions: instructions }
  const REVIVABLE = { ...DEPOSIT, pinPrompt: 'AUTOMATIC', pinPromptRevivable: true }
  const of = (provider: string, DEPOSIT: object) => {
    return { provider, currencies: [{ currency: 'XOF', operationTypes: { DEPOSIT } }] }
  }
  const providers = [of('ORANGE_CIV', DEPOSIT), of('MTN_MOMO_CIV', REVIVABLE)]
  const described = json({ countries: [{ country: 'CIV', providers }] })
  await using contract = await open({}, ({ method }) => (method === 'GET' ? described : json()))
  const { connector } = contract
  await waitFor(() => connector.boundsOf!('orange_ci', 'collect'))
  const nextOf = async (of: Partial<Order>) => {
    const outcome = await connector.send({ ...order, ...of })
    return outcome.kind === 'accepted' ? outcome.next_action : outcome
  }
  assert.deepEqual(await nextOf({ operator: 'orange_ci' }), {
    type: 'approve_on_phone',
    dial_code: '#144*82#',
    message: 'The payer dials #144*82# and approves.',
  })
  assert.deepEqual(await nextOf({ operator: 'mtn_ci' }), {
    type: 'approve_on_phone',
    dial_code: '#144*82#',
    prompted: true,
    message: 'The payer approves on the phone. #144*82# brings the prompt back.',
  })
  assert.equal(await nextOf({ operator: 'orange_ci', direction: 'payout' }), undefined)
})

test('a balance is in whole francs, and an unreadable one is an error', async () => {
  let balances: ScriptedAnswer = json(wallets)
  await using contract = await open({}, () => balances)
  assert.deepEqual(await contract.connector.balance!(), { amount: 1_250_000, currency: 'XOF' })
  balances = { status: 503 }
  await assert.rejects(contract.connector.balance!())
})

test('live mode cannot use the address of the sandbox, and that of real money gives a warning in test mode', () => {
  const base_url = 'https://api.sandbox.pawapay.io'
  assert.throws(() => create({ base_url }, createOperatorHttp({ base_url })), /pawaPay's sandbox/)
  const warning = (base_url: string) => pawapay.realMoneyWarning!({ base_url, api_token: token })
  assert.match(englishOf(warning('https://api.pawapay.io')!), /real money/)
  assert.equal(warning('https://api.sandbox.pawapay.io'), null)
  assert.equal(warning('http://127.0.0.1:4010/pawapay'), null)
})
