import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { englishOf } from '../../../tests/harness/in-both-languages.ts'
import { type ScriptedAnswer, startReceiver } from '../../../tests/harness/receiver.ts'
import { machineMilliseconds } from '../../platform/clock.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { Secret } from '../../values/secret.ts'
import { SettingsError } from '../contracts/connector-type.ts'
import { createOperatorHttp } from '../operator-api/operator-http.ts'
import type { ConnectorCheck, Order } from '../port.ts'
import { moovGateway } from './connector.ts'
import type { MoovGatewaySettings } from './settings.ts'

const ID = '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10'

const order: Order = {
  merchant_id: 1,
  livemode: true,
  direction: 'collect',
  operator: 'moov_ci',
  reference: ID,
  operator_reference: null,
  operator_state: null,
  amount: 2_500,
  currency: 'XOF',
  msisdn: Msisdn.parse('0101234567'),
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

function create(base_url: string, settings: Partial<MoovGatewaySettings>) {
  const http = createOperatorHttp({ base_url })
  const connector = moovGateway.create(
    { base_url, user: 'chez-aya', password: 'secret-of-aya', ...settings },
    {
      name: 'main',
      livemode: true,
      http,
      callback_url: 'https://pay.example.ci/operators/main/callbacks/token',
      return_url: 'https://pay.example.ci/return',
      now: () => new Date(machineMilliseconds()),
    },
  )
  return { http, connector }
}

/** A contract on a server that answers as the test says. */
async function open(
  settings: Partial<MoovGatewaySettings> = {},
  answer: ScriptedAnswer = json({ 'request-id': ID, status: '0', message: 'Request accepted' }),
) {
  const server = await startReceiver(() => answer)
  const { http, connector } = create(`${server.url}/moov`, settings)
  return {
    server,
    connector,
    async [Symbol.asyncDispose]() {
      await http.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

const body = {
  'request-id': ID,
  destination: '2250101234567',
  amount: '2500',
  remarks: 'Merci',
  message: 'Merci',
  'extended-data': {},
}

test('a prompt goes out under our reference, the same bytes each time, to one address', async () => {
  await using contract = await open({ message: 'Merci', dial_code: '*155#' })
  for (let time = 0; time < 2; time += 1) {
    const outcome = await contract.connector.send(order)
    assert.ok(outcome.kind === 'accepted')
    assert.deepEqual(
      [outcome.next_action?.type, outcome.next_action?.dial_code, outcome.next_action?.prompted],
      ['approve_on_phone', '*155#', true],
    )
  }
  const [first, second] = contract.server.requests
  assert.deepEqual([first!.method, first!.path], ['POST', '/moov/gateway/3pp/transaction/process'])
  assert.equal(first!.headers['command-id'], 'mror-transaction-ussd')
  assert.equal(first!.headers.authorization, `Basic ${Buffer.from('chez-aya:secret-of-aya').toString('base64')}`)
  assert.equal('hash' in first!.headers, false)
  assert.deepEqual(JSON.parse(String(first!.body)), body)
  assert.deepEqual(first!.body, second!.body)
})

test('a code is sent and pays under two names of its own, and is asked about by the second', async () => {
  const taken = json({ 'request-id': `${ID}-1`, 'trans-id': 'MRCH.7', status: '0' })
  await using contract = await open({ collection: 'code', message: 'Merci' }, taken)
  const operator_state = contract.connector.stateBeforeSend!(order)
  const outcome = await contract.connector.send({ ...order, operator_state })
  assert.ok(outcome.kind === 'accepted')
  assert.equal(outcome.next_action?.type, 'enter_code')
  const { operator_reference = null } = outcome
  const current = { ...order, operator_reference, operator_state }
  await contract.connector.submitCode!(current, new Secret('482913'))
  await contract.connector.read(current)
  const [sent, paid, asked] = contract.server.requests
  assert.deepEqual(
    [sent, paid, asked].map((request) => request!.headers['command-id']),
    ['process-create-mror-otp', 'process-commit-otppay', 'process-check-transaction'],
  )
  assert.deepEqual(JSON.parse(String(sent!.body)), { ...body, 'request-id': `${ID}-1` })
  const extended = { module: 'MERCHOTPPAY', otp: '482913', 'trans-id': 'MRCH.7' }
  assert.deepEqual(JSON.parse(String(paid!.body)), { ...body, 'request-id': `${ID}-2`, 'extended-data': extended })
  assert.equal(JSON.parse(String(asked!.body))['request-id'], `${ID}-2`)
  // An order is paid as it began, whatever the settings have become since.
  await using prompting = await open({ message: 'Merci' }, taken)
  await prompting.connector.submitCode!(current, new Secret('482913'))
  await prompting.connector.read(current)
  assert.deepEqual(
    prompting.server.requests.map(({ headers }) => headers['command-id']),
    ['process-commit-otppay', 'process-check-transaction'],
  )
})

test('an order by code without Moov’s number fails only once Moov holds no payment under its second name', async () => {
  const answers: [status: string, kind: string][] = [
    ['0', 'settled'],
    ['100', 'pending'],
    ['94', 'refused'],
    ['99', 'unknown'],
  ]
  for (const [status, kind] of answers) {
    await using contract = await open({ collection: 'code' }, json({ 'request-id': `${ID}-2`, status }))
    const operator_state = contract.connector.stateBeforeSend!(order)
    const lost = { ...order, operator_state, operator_reference: null, sent_ms_ago: 121_000 }
    assert.equal((await contract.connector.read(lost)).kind, kind)
    assert.equal((await contract.connector.read({ ...lost, sent_ms_ago: 1_000 })).kind, 'unknown')
    assert.equal(contract.server.requests.length, 1, 'nothing is asked while the reply may still come')
  }
})

test('a payout names our wallet where the contract says so, with the hash of its bytes', async () => {
  await using contract = await open({
    payout: 'transfer',
    'payout.sender': '2250100009999',
    'payout.auth': 'secret-of-the-wallet',
    authorization: 'Bearer',
    hash: 'sha256',
    path: '/apiaccess/Deduction',
    read_path: '/apiaccess/SearchTransactionByExtID',
    message: 'Merci',
  })
  const outcome = await contract.connector.send({ ...order, direction: 'payout' })
  assert.equal(outcome.kind, 'accepted')
  assert.equal('next_action' in outcome, false)
  assert.doesNotMatch(JSON.stringify(outcome), /secret-of/)
  const [sent] = contract.server.requests
  assert.deepEqual([sent!.path, sent!.headers['command-id']], ['/moov/apiaccess/Deduction', 'transfer-api-transaction'])
  assert.match(String(sent!.headers.authorization), /^Bearer /)
  assert.equal(
    sent!.headers.hash,
    createHash('sha256')
      .update(`chez-aya${String(sent!.body)}`)
      .digest('hex'),
  )
  const wallet = { 'command-id': 'WCASH', sender: '2250100009999', auth: 'secret-of-the-wallet' }
  assert.deepEqual(JSON.parse(String(sent!.body)), { ...body, ...wallet })

  await contract.connector.read({ ...order, direction: 'payout' })
  const asked = contract.server.requests.at(-1)!
  assert.equal(asked.path, '/moov/apiaccess/SearchTransactionByExtID')
  assert.equal(asked.headers['command-id'], 'process-check-transaction')
  assert.deepEqual(JSON.parse(String(asked.body)), { 'request-id': ID, 'extended-data': {} })
})

test('a contract offers what was activated, promises nothing, and refuses the rest before anything is sent', async () => {
  await using contract = await open()
  const { connector } = contract
  const offered = { collect: true, collect_without_number: false, payout: false, refund: 'none' }
  assert.deepEqual(connector.capabilitiesOf('moov_ci'), offered)
  assert.equal(connector.capabilitiesOf('mtn_ci'), null)
  await using paying = await open({ collection: 'none', payout: 'transfer' })
  assert.deepEqual(paying.connector.capabilitiesOf('moov_ci'), { ...offered, collect: false, payout: true })
  assert.deepEqual([connector.callbacks, connector.balance], ['none', undefined])
  for (const promise of Object.values(connector.promises)) assert.equal(promise.same_reference, 'unknown')
  assert.deepEqual(await connector.readCallback(Buffer.from('{}'), {}, null), { kind: 'forged' })
  const paid = { reference: ID, operator_reference: '7', operator_state: null }
  for (const fields of [
    { direction: 'payout' },
    { direction: 'refund', refund_of: paid },
    { operator: 'mtn_ci' },
    { msisdn: null },
  ] as Partial<Order>[]) {
    const outcome = await connector.send({ ...order, ...fields })
    assert.equal(outcome.kind === 'refused' && outcome.failure_code, 'operator_configuration')
  }
  assert.deepEqual(contract.server.requests, [])
})

test('Moov is asked at least each 10 minutes to the end of the day on which it remembers an order', async () => {
  await using contract = await open()
  const { inquiryPlan } = contract.connector
  const minutes = inquiryPlan.map((pause) => pause / 60_000)
  assert.deepEqual(inquiryPlan.slice(0, 3), [2_000, 3_000, 5_000])
  assert.ok(Math.max(...minutes.slice(0, -1)) <= 10)
  assert.ok(minutes.slice(0, -1).reduce((sum, pause) => sum + pause) >= 1_440)
  assert.equal(minutes.at(-1), 1_440)
})

test('unusable settings give an error that quotes no value', () => {
  const wrong: Partial<MoovGatewaySettings>[] = [
    { collection: 'none' },
    { payout: 'transfer', 'payout.sender': '2250100009999' },
    { payout: 'transfer', 'payout.auth': 'secret-of-the-wallet' },
    { 'payout.sender': '2250100009999', 'payout.auth': 'secret-of-the-wallet' },
  ]
  for (const settings of wrong) {
    assert.throws(
      () => create('http://127.0.0.1:1/moov', settings),
      (error) => error instanceof SettingsError && !/secret-of|22501/.test(error.message),
      JSON.stringify(settings),
    )
  }
})

test('a check says that the gateway answers, or in one sentence what is wrong', async () => {
  const check = async (answer: ScriptedAnswer): Promise<ConnectorCheck> => {
    await using contract = await open({ payout: 'transfer' }, answer)
    return await contract.connector.check!()
  }
  for (const status of ['94', '0', '21']) assert.deepEqual(await check(json({ status })), { kind: 'works' })
  const problems: [ScriptedAnswer, RegExp][] = [
    [json({ status: '98' }), /user with password/],
    [json({ status: '2' }), /look-up is active/],
    [json({ status: '91' }), /path, read_path and platform/],
    [{ status: 401 }, /answered 401/],
    [{ status: 403 }, /declare its address/],
    [{ status: 404 }, /does not answer at read_path/],
    [{ status: 200, body: '<html></html>' }, /does not answer at read_path/],
    [json({}), /does not answer at read_path/],
    [{ fault: 'drop' }, /gave no answer/],
  ]
  for (const [answer, sentence] of problems) {
    const checked = await check(answer)
    assert.ok(checked.kind === 'fails', String(sentence))
    assert.match(englishOf(checked.problem), sentence)
    assert.doesNotMatch(checked.problem.join(' '), /secret-of|chez-aya|127\.0\.0\.1/)
  }
})
