import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { startReceiver } from '../../../tests/harness/receiver.ts'
import { startTwin } from '../start-twin.ts'
import { defaults } from './settings.ts'

const PAYER = '0707123456'

const twin = await startTwin()
const receiver = await startReceiver()
const notif_url = `${receiver.url}/operators/orange/callbacks/token.order`
let token = ''
after(async () => {
  await twin.close()
  await receiver[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await twin.reset()
  twin.change('orange', { ...defaults })
  receiver.requests.length = 0
  token = (await askToken()).body.access_token
})

// biome-ignore lint/suspicious/noExplicitAny: the test says what stands in an answer
type Answer = { status: number; headers: Headers; body: any }

async function http(path: string, headers: Record<string, string>, body: string): Promise<Answer> {
  const answer = await fetch(`${twin.url}/orange${path}`, { method: 'POST', headers, body })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
}

function askToken(headers: Record<string, string> = {}, body = 'grant_type=client_credentials'): Promise<Answer> {
  const { client_id, client_secret } = twin.connectors().orange!.settings
  const usual = {
    Authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
    'Content-Type': 'application/x-www-form-urlencoded',
    Accept: 'application/json',
  }
  return http('/oauth/v3/token', { ...usual, ...headers }, body)
}

function call(name: string, body: object, country = 'ci', headers: Record<string, string> = {}): Promise<Answer> {
  const usual = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: 'application/json' }
  return http(`/orange-money-webpay/${country}/v1/${name}`, { ...usual, ...headers }, JSON.stringify(body))
}

const newOrderId = () => randomBytes(13).toString('hex')

async function announce(changes: object = {}, country = 'ci') {
  const order_id = newOrderId()
  const answer = await call(
    'webpayment',
    {
      merchant_key: twin.connectors().orange!.settings.merchant_key,
      currency: country === 'dev' ? 'OUV' : 'XOF',
      order_id,
      amount: 2_500,
      return_url: 'https://pay.example.ci/return/ok',
      cancel_url: 'https://pay.example.ci/return/ko',
      notif_url,
      lang: 'fr',
      reference: 'Chez Aya',
      ...changes,
    },
    country,
  )
  return { ...answer, order_id }
}

async function status(order_id: string, pay_token: string, amount: unknown = 2_500): Promise<Answer> {
  return await call('transactionstatus', { order_id, amount, pay_token })
}

async function onPage(url: string, fields: Record<string, string>) {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
  return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() }
}

test('a payer who types the code of the telephone on the page has paid, and the notice names no order', async () => {
  const { status: http_status, headers, body, order_id } = await announce()
  assert.deepEqual([http_status, body.status, body.message], [201, 201, 'OK'])
  assert.match(headers.get('twin-unverified') ?? '', /how long the page lives/)
  assert.match(body.pay_token, /^[0-9a-f]{64}$/)
  const shown = await fetch(body.payment_url)
  assert.match(await shown.text(), /Chez Aya/)
  const initiated = await status(order_id, body.pay_token)
  assert.deepEqual([initiated.status, initiated.body], [201, { status: 'INITIATED', order_id, txnid: null }])

  const back = await onPage(body.payment_url, { number: PAYER, code: twin.phone(PAYER).code() })
  assert.deepEqual([back.status, back.location], [303, 'https://pay.example.ci/return/ok'])
  assert.equal((await status(order_id, body.pay_token)).body.status, 'PENDING')
  await twin.advance(2)
  const { txnid, ...ended } = (await status(order_id, body.pay_token)).body
  assert.deepEqual(ended, { status: 'SUCCESS', order_id })
  assert.match(txnid, /^MP/)
  const [notice, ...more] = receiver.requests
  assert.deepEqual([notice!.method, notice!.path, more.length], ['POST', new URL(notif_url).pathname, 0])
  assert.deepEqual(JSON.parse(String(notice!.body)), { status: 'SUCCESS', notif_token: body.notif_token, txnid })
  assert.equal(twin.phone(PAYER).balance('orange_ci'), 247_500)
  assert.equal(twin.wallets()['orange/CI'], 10_002_500)
})

test('a payer who cancels, types three wrong codes, is short or never comes pays nothing', async () => {
  const ends: [(url: string) => Promise<unknown>, string][] = [
    [(url) => onPage(url, { do: 'cancel' }), 'FAILED'],
    [
      async (url) => {
        const code = twin.phone(PAYER).code()
        const wrong = { number: PAYER, code: code === '0000' ? '0001' : '0000' }
        const { status: refused, text } = await onPage(url, wrong)
        assert.equal(refused, 422)
        assert.match(text, /Ce code est faux/)
        assert.match((await onPage(url, { number: '12' })).text, /Dix chiffres/)
        await onPage(url, wrong)
        assert.equal((await onPage(url, wrong)).location, 'https://pay.example.ci/return/ko')
      },
      'FAILED',
    ],
    [
      async (url) => {
        twin.phone(PAYER).setBalance('orange_ci', 100)
        await onPage(url, { number: PAYER, code: twin.phone(PAYER).code() })
      },
      'FAILED',
    ],
    [() => twin.advance(601), 'EXPIRED'],
  ]
  for (const [end, word] of ends) {
    const { body, order_id } = await announce()
    await end(body.payment_url)
    await twin.advance(2)
    assert.equal((await status(order_id, body.pay_token)).body.status, word)
  }
  assert.deepEqual(twin.journal(), [])
  assert.equal(receiver.requests.length, ends.length)
})

test('a state is read with the order, its amount and its token together, or not at all', async () => {
  const { body, order_id } = await announce()
  const other = await announce()
  for (const [id, pay_token, amount] of [
    [order_id, body.pay_token, 2_501],
    [order_id, other.body.pay_token, 2_500],
    [newOrderId(), body.pay_token, 2_500],
  ] as const) {
    const answer = await status(id, pay_token, amount)
    assert.deepEqual([answer.status, answer.body.code], [404, 60])
    assert.match(answer.headers.get('twin-unverified')!, /do not agree/)
  }
  assert.equal((await status(order_id, body.pay_token, '2500')).status, 400)
  twin.change('orange', { status_http: 200 })
  assert.equal((await status(order_id, body.pay_token)).status, 200)
})

test('an announcement with a field in a wrong form is refused with its number', async () => {
  const cases: [object, number][] = [
    [{ amount: '2500' }, 24],
    [{ amount: 12.5 }, 24],
    [{ amount: 0 }, 24],
    [{ order_id: '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10' }, 24],
    [{ notif_url: `https://pay.example.ci/${'x'.repeat(120)}` }, 24],
    [{ notif_url: 'http://pay.example.ci/notice' }, 24],
    [{ reference: 'A name of more than thirty characters' }, 24],
    [{ notif_url: undefined }, 23],
    [{ merchant_key: 'of another merchant' }, 1202],
    [{ currency: 'OUV' }, 1203],
  ]
  for (const [changes, code] of cases) {
    const answer = await announce(changes)
    assert.deepEqual([answer.status, answer.body.code], [400, code], JSON.stringify(changes))
  }
  assert.deepEqual(twin.operations(), [])
})

test('an order id is used once: repeated it is refused and gives no second page', async () => {
  const { order_id } = await announce()
  const again = await announce({ order_id })
  assert.deepEqual([again.status, again.body.code, again.body.pay_token], [400, 1204, undefined])
  assert.equal(twin.operations().length, 1)
})

test('an order with a lost answer is never paid, whatever its script says', async () => {
  twin.script({ outcome: 'succeed' })
  const order_id = newOrderId()
  twin.fault({ fault: 'lose_answer', times: 1 })
  await assert.rejects(announce({ order_id }))
  await twin.advance(601)
  assert.deepEqual([twin.operations()[0]!.state, twin.journal().length], ['failed', 0])
  const { body, order_id: second } = await announce()
  await twin.advance(2)
  assert.equal((await status(second, body.pay_token)).body.status, 'SUCCESS')
})

test('the sandbox is another country with a currency of its own, and takes no token of production', async () => {
  const production = await call('transactionstatus', {}, 'dev')
  assert.deepEqual([production.status, production.body.code], [401, 41])
  twin.change('orange', { country_path: 'dev' })
  token = (await askToken()).body.access_token
  assert.equal((await announce({}, 'dev')).status, 201)
  assert.equal((await announce({ currency: 'XOF' }, 'dev')).body.code, 1203)
})

test('a token is asked for with a form, is good for its time, and every call says that it takes JSON', async () => {
  assert.equal((await askToken({ Accept: '*/*' })).status, 406)
  assert.equal((await askToken({ Authorization: 'Basic eDp5' })).status, 401)
  assert.equal((await askToken({}, '')).status, 400)
  twin.change('orange', { token_seconds: 60, token_seconds_as_text: true })
  const issued = await askToken()
  assert.deepEqual([issued.body.token_type, issued.body.expires_in], ['Bearer', '60'])
  token = issued.body.access_token
  assert.equal((await call('transactionstatus', {}, 'ci', { Accept: '*/*' })).status, 406)
  assert.equal((await announce()).status, 201)
  await twin.advance(61)
  assert.equal((await announce()).body.code, 42)
  token = (await askToken()).body.access_token
  twin.act('orange', 'forget-tokens')
  assert.equal((await announce()).body.code, 41)
})

test('a notice is sent once, by GET or with a wrong token where the settings say so, and may lie', async () => {
  receiver.answer({ status: 500 })
  twin.change('orange', { notice_method: 'GET', notice_token_wrong: true })
  twin.script({ outcome: 'succeed' })
  twin.fault({ fault: 'callback_opposite', times: 1 })
  const { body, order_id } = await announce()
  await twin.advance(900)
  receiver.answer({})
  const [notice, ...more] = receiver.requests
  const { pathname, searchParams } = new URL(notice!.path, receiver.url)
  assert.deepEqual([notice!.method, pathname, more.length], ['GET', new URL(notif_url).pathname, 0])
  assert.equal(searchParams.get('status'), 'FAILED')
  assert.notEqual(searchParams.get('notif_token'), body.notif_token)
  assert.equal((await status(order_id, body.pay_token)).body.status, 'SUCCESS')
  twin.act('orange', 'call-back', { reference: order_id })
  await twin.advance(1)
  assert.equal(receiver.requests.length, 2)
})
