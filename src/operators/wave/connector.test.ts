import assert from 'node:assert/strict'
import { test } from 'node:test'
import { englishOf } from '../../../tests/harness/in-both-languages.ts'
import type { ReceivedRequest, ScriptedAnswer } from '../../../tests/harness/receiver.ts'
import { ID, json, open, order, paid, session } from '../../../tests/harness/wave-answers.ts'
import type { ConnectorCheck, Order } from '../port.ts'
import { waveMac } from './client.ts'
import { wave } from './connector.ts'

const payout: Order = { ...order, direction: 'payout' }
const refund: Order = {
  ...order,
  direction: 'refund',
  msisdn: null,
  refund_of: { reference: ID, operator_reference: 'T_1', operator_state: { session_id: 'cos-1' } },
}

test('a collection is a session whose payer is led to its link, and the bytes are of the order alone', async () => {
  await using contract = await open(() => json(session))
  const outcome = await contract.connector.send(order)
  assert.ok(outcome.kind === 'accepted')
  assert.deepEqual(
    [outcome.next_action?.type, outcome.next_action?.url, outcome.operator_state],
    ['redirect', session.wave_launch_url, { session_id: 'cos-1' }],
  )
  await contract.connector.send(order)
  const [first, second] = contract.server.requests
  assert.deepEqual([first!.method, first!.path], ['POST', '/wave/v1/checkout/sessions'])
  assert.equal(first!.headers.authorization, 'Bearer a-key-of-the-wallet')
  assert.deepEqual(JSON.parse(String(first!.body)), {
    amount: '2500',
    currency: 'XOF',
    client_reference: ID,
    restrict_payer_mobile: '+2250758412077',
    success_url: `https://pay.example.ci/return/${ID}`,
    error_url: `https://pay.example.ci/return/${ID}`,
  })
  assert.deepEqual(first!.body, second!.body)
  await contract.connector.send({ ...order, msisdn: null })
  assert.equal('restrict_payer_mobile' in JSON.parse(String(contract.server.requests[2]!.body)), false)
})

test('a key that Wave knows for another payout is a duplicate, and never a refusal', async () => {
  await using contract = await open(() => json({ code: 'idempotency-mismatch', message: 'm' }, 409))
  assert.equal((await contract.connector.send(payout)).kind, 'duplicate')
})

test('a payout goes out under its key, and not again once Wave may have forgotten the key', async () => {
  const done = {
    id: 'pt-1',
    client_reference: ID,
    receive_amount: '2500',
    currency: 'XOF',
    fee: '25',
    status: 'succeeded',
  }
  await using contract = await open(() => json(done), { aggregated_merchant_id: 'am-1', payment_reason: 'Juin' })
  const outcome = await contract.connector.send(payout)
  assert.ok(outcome.kind === 'settled')
  assert.deepEqual([outcome.amount, outcome.operator_reference], [2_500, 'pt-1'])
  const [{ headers, path, body }] = contract.server.requests as [ReceivedRequest]
  assert.deepEqual([path, headers['idempotency-key']], ['/wave/v1/payout', ID])
  assert.deepEqual(JSON.parse(String(body)), {
    currency: 'XOF',
    receive_amount: '2500',
    mobile: '+2250758412077',
    client_reference: ID,
    payment_reason: 'Juin',
    aggregated_merchant_id: 'am-1',
  })
  assert.deepEqual(contract.connector.promises.payout, {
    same_reference: 'never_twice',
    not_found: { after_seconds: 60, times: 1 },
    for_seconds: 86_400,
  })
})

test('a wrong base_url never turns an order into "not found", with Wave’s id or without', async () => {
  await using contract = await open(() => json({ code: 'not-found', message: 'No such path.' }, 404))
  for (const lost of [order, payout]) {
    assert.equal((await contract.connector.read(lost)).kind, 'unknown')
    const known = { ...lost, operator_reference: 'pt-1', operator_state: { session_id: 'cos-1' } }
    assert.equal((await contract.connector.read(known)).kind, 'unknown')
  }
})

test('a request is signed over its time and its bytes where the settings have a secret', async () => {
  const secret = 'a-secret-of-requests'
  await using contract = await open(() => json(session), { request_signing_secret: secret, signature_separator: 'dot' })
  await contract.connector.send(order)
  await contract.connector.read(order)
  for (const { headers, body } of contract.server.requests) {
    const [, time = '', mac] = /^t=(\d+),v1=(\w+)$/.exec(String(headers['wave-signature'])) ?? []
    assert.equal(mac, waveMac(secret, time, '.', body))
  }
})

test('a refund is found in the list of transactions, on a later page, or it is under way or not there', async () => {
  const line = (id: string) => ({ transaction_type: 'api_checkout_refund', checkout_api_session_id: id })
  let listed: object[] = [{ ...line('cos-1'), transaction_id: 'T_2', amount: '-2500', currency: 'XOF' }]
  await using contract = await open(({ method, path }) => {
    if (method === 'POST') return { status: 200, body: '' }
    const more = !path.includes('after=')
    const items = more ? [line('cos-2')] : listed
    return json({ page_info: { has_next_page: more, end_cursor: 'c1' }, items })
  })
  const { connector, server } = contract
  const taken = await connector.send(refund)
  assert.ok(taken.kind === 'accepted')
  assert.equal(server.requests[0]!.path, '/wave/v1/checkout/sessions/cos-1/refund')
  assert.equal(server.requests[0]!.body.length, 0)
  const found = await connector.read(refund)
  assert.ok(found.kind === 'settled')
  assert.deepEqual([found.amount, found.operator_reference], [2_500, 'T_2'])
  listed = []
  assert.equal((await connector.read(refund)).kind, 'not_found')
  assert.equal((await connector.read({ ...refund, operator_state: taken.operator_state! })).kind, 'pending')
})

test('a refund just after our midnight is found in the list of the day before, where Wave’s clock is behind', async () => {
  const sent = (time: string) => {
    const sent_at = new Date(time)
    return { ...refund, sent_at, sent_ms_ago: Date.parse('2026-03-05T09:00:00Z') - sent_at.getTime() }
  }
  const refunded = { transaction_type: 'api_checkout_refund', checkout_api_session_id: 'cos-1', amount: '2500' }
  await using contract = await open(
    ({ path }) => {
      const items = path.includes('date=2026-03-02') ? [{ ...refunded, transaction_id: 'T_2', currency: 'XOF' }] : []
      return json({ page_info: { has_next_page: false, end_cursor: null }, items })
    },
    {},
    () => new Date('2026-03-01T09:00:00Z'),
  )
  const { connector } = contract
  assert.equal(
    (await connector.read(sent('2026-03-03T00:00:20Z'))).kind,
    'settled',
    'whatever this machine’s clock says',
  )
  assert.equal((await connector.read(sent('2026-03-03T00:20:00Z'))).kind, 'not_found')
})

test('a refund is found on a page of a thousand transactions, and not on one without an end', async () => {
  const refunded = { transaction_type: 'api_checkout_refund', checkout_api_session_id: 'cos-1', amount: '2500' }
  let lines = 1_000
  await using contract = await open(() => {
    const others = Array.from({ length: lines }, (_, at) => ({ transaction_id: `T_${at}`, note: 'x'.repeat(300) }))
    const items = [...others, { ...refunded, transaction_id: 'T_1000', currency: 'XOF' }]
    return json({ page_info: { has_next_page: false, end_cursor: null }, items })
  })
  assert.equal((await contract.connector.read(refund)).kind, 'settled')
  lines = 4_000
  assert.equal((await contract.connector.read(refund)).kind, 'unknown')
})

test('a refund without a stored session goes to the paid one, and is not sent while that is unknown', async () => {
  let result: object[] = [session, { ...paid, id: 'cos-9' }]
  await using contract = await open(({ method }) => (method === 'POST' ? { status: 200, body: '' } : json({ result })))
  const unkept = { ...refund, refund_of: { ...refund.refund_of!, operator_state: null } }
  assert.equal((await contract.connector.send(unkept)).kind, 'accepted')
  assert.equal(contract.server.requests.at(-1)!.path, '/wave/v1/checkout/sessions/cos-9/refund')
  result = [session]
  assert.equal((await contract.connector.send(unkept)).kind, 'unknown')
  assert.equal(contract.server.requests.at(-1)!.method, 'GET')
})

test('an operator outside the contract, or a payout without a number, is refused before anything is sent', async () => {
  await using contract = await open(() => json(session), { payouts: false })
  const { connector, server } = contract
  for (const one of [
    { ...order, operator: 'mtn_ci' },
    { ...payout, msisdn: null },
    { ...refund, refund_of: null },
  ]) {
    const outcome = await connector.send(one)
    assert.equal(outcome.kind === 'refused' && outcome.failure_code, 'operator_configuration')
  }
  assert.deepEqual(server.requests, [])
  assert.equal(connector.capabilitiesOf('mtn_ci'), null)
  assert.deepEqual(connector.capabilitiesOf('wave_ci'), {
    collect: true,
    collect_without_number: true,
    collects_from_number: true,
    payout: false,
    refund: 'full',
  })
})

test('a check says that the settings work, or names the problem in one sentence', async () => {
  const balance = json({ amount: '1250000', currency: 'XOF' })
  const none = json({ result: [] })
  const error = (code: string, status: number) => json({ code, message: 'x' }, status)
  async function check(answers: { balance?: ScriptedAnswer; sessions?: ScriptedAnswer; payouts?: ScriptedAnswer }) {
    await using contract = await open(({ path }) => {
      if (path.includes('balance')) return answers.balance ?? balance
      return (path.includes('checkout') ? answers.sessions : answers.payouts) ?? none
    })
    return await contract.connector.check!()
  }
  assert.deepEqual(await check({}), { kind: 'works' })
  const late = { ...balance, headers: { date: 'Mon, 02 Mar 2026 10:15:32 GMT' } }
  const problems: [() => Promise<ConnectorCheck>, RegExp][] = [
    [() => check({ balance: error('no-matching-api-key', 401) }), /api_key: it is wrong/],
    [() => check({ balance: error('invalid-auth', 401) }), /request_signing_secret/],
    [() => check({ balance: error('disabled-wallet', 403) }), /blocked the wallet/],
    [() => check({ balance: error('x-y', 403) }), /may not read the balance/],
    [() => check({ balance: json({ amount: '5', currency: 'GMD' }) }), /not one in francs/],
    [() => check({ balance: { status: 200, body: '<html>a shop</html>' } }), /francs|address/],
    [() => check({ balance: { status: 502 } }), /check the address/],
    [() => check({ balance: { fault: 'drop' } }), /gave no answer/],
    [() => check({ balance: late }), /clock of this machine/],
    [() => check({ sessions: error('x-y', 403) }), /checkout sessions/],
    [() => check({ payouts: error('x-y', 403) }), /set payouts to false/],
  ]
  for (const [result, sentence] of problems) {
    const checked = await result()
    assert.ok(checked.kind === 'fails', String(sentence))
    assert.match(englishOf(checked.problem), sentence)
    assert.doesNotMatch(checked.problem.join(' '), /a-key|a-secret|127\.0\.0\.1/)
  }
})

test('a balance is in whole francs, and an unreadable one is an error', async () => {
  let balance = json({ amount: '1250000', currency: 'XOF' })
  await using contract = await open(() => balance)
  assert.deepEqual(await contract.connector.balance!(), { amount: 1_250_000, currency: 'XOF' })
  balance = { status: 503 }
  await assert.rejects(contract.connector.balance!())
})

test('Wave’s own address in test mode gives a warning, because real money moves there', () => {
  const warning = (base_url: string) =>
    wave.realMoneyWarning!({ base_url, api_key: 'a-key-of-the-wallet', webhook_secret: 'a-secret' })
  assert.match(englishOf(warning('https://api.wave.com')!), /real money/)
  assert.equal(warning('http://127.0.0.1:4010/wave'), null)
})
