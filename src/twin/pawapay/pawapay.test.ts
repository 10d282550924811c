import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { startReceiver } from '../../../tests/harness/receiver.ts'
import { startTwin } from '../start-twin.ts'

const twin = await startTwin()
const receiver = await startReceiver()
after(() => twin.close())
after(() => receiver[Symbol.asyncDispose]())
const { base_url, api_token } = twin.connectors().pawapay!.settings

const PAYER = '0758412077'
const E164 = '+2250758412077'

beforeEach(async () => {
  await twin.reset()
  twin.change('pawapay', { callback_url: `${receiver.url}/callbacks`, signed_requests_only: false })
  receiver.requests.length = 0
  receiver.answer({})
})

// biome-ignore lint/suspicious/noExplicitAny: the test says what stands in an answer
type Json = any
type Answer = { status: number; headers: Headers; body: Json }

async function call(method: string, path: string, body?: unknown, token = api_token): Promise<Answer> {
  const answer = await fetch(`${base_url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json }
}

function party(provider = 'ORANGE_CIV', number = E164.slice(1)) {
  return { type: 'MMO', accountDetails: { phoneNumber: number, provider } }
}

function deposit(changes: object = {}) {
  return { depositId: randomUUID(), amount: '2500', currency: 'XOF', payer: party(), ...changes }
}

function payout(changes: object = {}) {
  return { payoutId: randomUUID(), amount: '10000', currency: 'XOF', recipient: party(), ...changes }
}

const read = async (noun: string, id: string) => (await call('GET', `/v2/${noun}/${id}`)).body

test('a deposit rings, is approved with the secret code, and is read and called back as completed', async () => {
  const order = deposit({ clientReferenceId: 'txn_1', metadata: [{ attempt: 'a1' }, { mail: 'x', isPII: true }] })
  const taken = await call('POST', '/v2/deposits', order)
  assert.equal(taken.status, 200)
  assert.deepEqual(
    { ...taken.body, created: null },
    { depositId: order.depositId, status: 'ACCEPTED', nextStep: 'FINAL_STATUS', created: null },
  )
  assert.equal((await read('deposits', order.depositId)).data.status, 'PROCESSING')
  await twin.phone(PAYER).approve()
  await twin.advance(0)
  const { data } = await read('deposits', order.depositId)
  assert.equal(data.status, 'COMPLETED')
  assert.equal(data.amount, '2500.00')
  assert.deepEqual(data.metadata, { attempt: 'a1', mail: 'x' })
  const [callback, ...more] = receiver.requests
  assert.equal(more.length, 0)
  const { clientReferenceId, ...without } = data
  assert.equal(clientReferenceId, 'txn_1')
  assert.deepEqual(JSON.parse(callback!.body.toString()), without)
  assert.deepEqual(
    twin.journal().map(({ reference, amount, msisdn }) => ({ reference, amount, msisdn })),
    [{ reference: order.depositId, amount: 2500, msisdn: E164 }],
  )
})

test('a payer who declines, lets it lapse, has no money or types three wrong codes pays nothing', async () => {
  const ends: [() => Promise<unknown>, string][] = [
    [() => twin.phone(PAYER).decline(), 'PAYMENT_NOT_APPROVED'],
    [() => twin.advance(121), 'PAYMENT_NOT_APPROVED'],
    [
      async () => {
        twin.phone(PAYER).setBalance('orange_ci', 100)
        await twin.phone(PAYER).approve()
      },
      'INSUFFICIENT_BALANCE',
    ],
    [
      async () => {
        for (let times = 0; times < 3; times += 1) await assert.rejects(twin.phone(PAYER).approve({ pin: '0000' }))
      },
      'PAYMENT_NOT_APPROVED',
    ],
  ]
  for (const [end, code] of ends) {
    const order = deposit()
    await call('POST', '/v2/deposits', order)
    await end()
    const { data } = await read('deposits', order.depositId)
    assert.equal(data.status, 'FAILED')
    assert.equal(data.failureReason.failureCode, code)
  }
  assert.deepEqual(twin.journal(), [])
})

test('an id is used once, also after it has failed', async () => {
  const order = deposit()
  await call('POST', '/v2/deposits', order)
  await twin.phone(PAYER).decline()
  const again = await call('POST', '/v2/deposits', { ...order, amount: '9' })
  assert.equal(again.status, 200)
  assert.equal(again.body.status, 'DUPLICATE_IGNORED')
  assert.equal((await read('deposits', order.depositId)).data.status, 'FAILED')
})

test('an unknown id is answered 200 and NOT_FOUND', async () => {
  const answer = await call('GET', `/v2/payouts/${randomUUID()}`)
  assert.deepEqual([answer.status, answer.body], [200, { status: 'NOT_FOUND' }])
})

test('each order that cannot be taken is refused with its code and status', async () => {
  const cases: [object, number, string][] = [
    [deposit({ amount: '2500.5' }), 200, 'INVALID_AMOUNT'],
    [deposit({ amount: '02500' }), 200, 'INVALID_AMOUNT'],
    [deposit({ amount: 2500 }), 400, 'INVALID_PARAMETER'],
    [deposit({ amount: '90000000' }), 200, 'AMOUNT_OUT_OF_BOUNDS'],
    [deposit({ currency: 'EUR' }), 200, 'INVALID_CURRENCY'],
    [deposit({ payer: party('MOOV_CIV') }), 200, 'INVALID_PROVIDER'],
    [deposit({ payer: party('MTN_MOMO_CIV', '+2250503456789') }), 200, 'INVALID_PHONE_NUMBER'],
    [deposit({ payer: undefined }), 400, 'MISSING_PARAMETER'],
    [deposit({ depositId: '8f0c' }), 400, 'INVALID_PARAMETER'],
    [deposit({ reason: 'x' }), 400, 'UNSUPPORTED_PARAMETER'],
    [deposit({ customerMessage: 'Été à Abidjan' }), 400, 'INVALID_PARAMETER'],
    [deposit({ metadata: [{ a: '1' }, { a: '2' }] }), 400, 'DUPLICATE_METADATA_FIELD'],
    [[], 400, 'INVALID_INPUT'],
  ]
  for (const [body, status, code] of cases) {
    const answer = await call('POST', '/v2/deposits', body)
    assert.deepEqual(
      [answer.status, answer.body.status, answer.body.failureReason.failureCode],
      [status, 'REJECTED', code],
    )
    assert.match(answer.headers.get('twin-unverified') ?? '', /rejected order/)
  }
  assert.deepEqual(twin.operations(), [])
})

test('a missing or wrong token is refused, and the account may forbid a kind', async () => {
  assert.equal((await fetch(`${base_url}/v2/wallet-balances`)).status, 401)
  const wrong = await call('GET', '/v2/wallet-balances', undefined, 'wrong')
  assert.deepEqual([wrong.status, wrong.body.failureReason.failureCode], [403, 'AUTHENTICATION_ERROR'])
  assert.match(wrong.headers.get('twin-unverified') ?? '', /401 or 403/)
  twin.change('pawapay', { payouts_allowed: false })
  for (const path of ['/v2/payouts', '/v2/payouts/bulk']) {
    const answer = await call('POST', path, path.endsWith('bulk') ? [payout()] : payout())
    assert.deepEqual([answer.status, answer.body.failureReason?.failureCode], [403, 'PAYOUTS_NOT_ALLOWED'])
  }
  twin.change('pawapay', { payouts_allowed: true })
})

test('a script that blocks our account is answered in the word of its kind', async () => {
  for (const [path, body, code] of [
    ['/v2/deposits', deposit(), 'DEPOSITS_NOT_ALLOWED'],
    ['/v2/payouts', payout(), 'PAYOUTS_NOT_ALLOWED'],
  ] as const) {
    twin.script({ outcome: 'refuse', reason: 'operator_account_blocked', times: 1 })
    const answer = await call('POST', path, body)
    assert.deepEqual([answer.status, answer.body.failureReason.failureCode], [403, code])
  }
})

test('a payout leaves the wallet, and one that the wallet cannot cover is refused', async () => {
  twin.setWallet('pawapay/CIV', 15_000)
  const order = payout()
  assert.equal((await call('POST', '/v2/payouts', order)).body.status, 'ACCEPTED')
  const second = await call('POST', '/v2/payouts', payout())
  assert.equal(second.body.failureReason.failureCode, 'PAWAPAY_WALLET_OUT_OF_FUNDS')
  await twin.advance(1)
  assert.equal((await read('payouts', order.payoutId)).data.status, 'COMPLETED')
  assert.deepEqual((await call('GET', '/v2/wallet-balances?country=CIV')).body.balances, [
    { country: 'CIV', balance: '5000.00', currency: 'XOF' },
  ])
  assert.equal(twin.phone(PAYER).balance('orange_ci'), 260_000)
})

test('a payout to a delayed provider is enqueued: it can be cancelled, and leaves when the provider is well again', async () => {
  twin.change('pawapay', { payout_status: { ORANGE_CIV: 'DELAYED', WAVE_CIV: 'CLOSED' } })
  const [one, two] = [payout(), payout()]
  for (const order of [one, two]) await call('POST', '/v2/payouts', order)
  assert.equal((await read('payouts', one.payoutId)).data.status, 'ENQUEUED')
  const closed = await call('POST', '/v2/payouts', payout({ recipient: party('WAVE_CIV') }))
  assert.equal(closed.body.failureReason.failureCode, 'PROVIDER_TEMPORARILY_UNAVAILABLE')
  assert.equal((await call('POST', `/v2/payouts/fail-enqueued/${one.payoutId}`)).body.status, 'ACCEPTED')
  const again = await call('POST', `/v2/payouts/fail-enqueued/${one.payoutId}`)
  assert.equal(again.body.failureReason.failureCode, 'INVALID_STATE')
  assert.equal((await read('payouts', one.payoutId)).data.failureReason.failureCode, 'MANUALLY_CANCELLED')
  twin.change('pawapay', { payout_status: { ORANGE_CIV: 'CLOSED' } })
  await twin.advance(1)
  assert.equal((await read('payouts', two.payoutId)).data.status, 'ENQUEUED')
  twin.change('pawapay', { payout_status: { ORANGE_CIV: 'OPERATIONAL', WAVE_CIV: 'OPERATIONAL' } })
  await twin.advance(1)
  assert.equal((await read('payouts', two.payoutId)).data.status, 'COMPLETED')
})

test('a deposit of WAVE_CIV has no address at first, then one where its payer agrees and returns', async () => {
  const order = deposit({
    payer: party('WAVE_CIV'),
    successfulUrl: 'https://shop.example.ci/ok',
    failedUrl: 'https://shop.example.ci/ko',
  })
  assert.equal((await call('POST', '/v2/deposits', order)).body.nextStep, 'GET_AUTH_URL')
  const before = (await read('deposits', order.depositId)).data
  assert.equal(before.authorizationUrl, undefined)
  await twin.advance(2)
  const { data } = await read('deposits', order.depositId)
  assert.deepEqual([data.status, data.nextStep], ['PROCESSING', 'REDIRECT_TO_AUTH_URL'])
  assert.ok(data.authorizationUrl.startsWith(`${twin.url}/phones/pay?`))
  assert.equal(JSON.parse(receiver.requests[0]!.body.toString()).authorizationUrl, data.authorizationUrl)
  await twin.phone(PAYER).approve()
  assert.equal((await read('deposits', order.depositId)).data.status, 'COMPLETED')
})

test('a callback with the address of a redirect always says PROCESSING', async () => {
  twin.change('pawapay', { authorization_url_seconds: 0 })
  twin.script({ outcome: 'succeed', after_seconds: 5, times: 1 })
  const order = deposit({ payer: party('WAVE_CIV') })
  await call('POST', '/v2/deposits', order)
  await twin.advance(0)
  const told = receiver.requests.map(({ body }) => JSON.parse(body.toString()) as Json)
  const first = told.find(({ depositId }) => depositId === order.depositId)
  assert.deepEqual([first.status, first.nextStep], ['PROCESSING', 'REDIRECT_TO_AUTH_URL'])
  twin.change('pawapay', { authorization_url_seconds: 1 })
})

test('refunds are partial, one at a time, and never more than was paid', async () => {
  const { depositId } = deposit()
  const refund = (amount?: string) => ({
    refundId: randomUUID(),
    depositId,
    ...(amount ? { amount, currency: 'XOF' } : {}),
  })
  const codeOf = async (order: object) => (await call('POST', '/v2/refunds', order)).body.failureReason?.failureCode
  assert.equal(await codeOf(refund()), 'NOT_FOUND')
  await call('POST', '/v2/deposits', deposit({ depositId }))
  assert.equal(await codeOf(refund()), 'INVALID_STATE')
  await twin.phone(PAYER).approve()
  assert.equal(await codeOf(refund('2501')), 'AMOUNT_TOO_LARGE')
  const first = refund('1000')
  assert.equal(await codeOf(first), undefined)
  assert.equal(await codeOf(refund('1')), 'REFUND_IN_PROGRESS')
  await twin.advance(1)
  assert.equal((await read('refunds', first.refundId)).data.status, 'COMPLETED')
  const rest = refund()
  assert.equal(await codeOf(rest), undefined)
  await twin.advance(1)
  assert.equal((await read('refunds', rest.refundId)).data.amount, '1500.00')
  assert.equal(await codeOf(refund()), 'DEPOSIT_ALREADY_REFUNDED')
  assert.equal(twin.phone(PAYER).balance('orange_ci'), 250_000)
})

test('the sandbox numbers behave by themselves', async () => {
  const deposits: [string, string, string | undefined][] = [
    ['2250503456789', 'COMPLETED', undefined],
    ['2250503456029', 'FAILED', 'PAYER_NOT_FOUND'],
    ['2250503456039', 'FAILED', 'PAYMENT_NOT_APPROVED'],
    ['2250503456069', 'FAILED', 'UNSPECIFIED_FAILURE'],
    ['2250503456129', 'PROCESSING', undefined],
  ]
  for (const [number, status, code] of deposits) {
    const order = deposit({ payer: party('MTN_MOMO_CIV', number) })
    await call('POST', '/v2/deposits', order)
    await twin.advance(3600)
    const { data } = await read('deposits', order.depositId)
    assert.deepEqual([data.status, data.failureReason?.failureCode], [status, code], number)
  }
  for (const [number, code] of [
    ['2250503456089', 'RECIPIENT_NOT_FOUND'],
    ['2250503456119', 'UNSPECIFIED_FAILURE'],
  ]) {
    const order = payout({ recipient: party('MTN_MOMO_CIV', number) })
    await call('POST', '/v2/payouts', order)
    await twin.advance(0)
    assert.equal((await read('payouts', order.payoutId)).data.failureReason.failureCode, code)
  }
  for (const [number, stated] of Object.entries({ 2250734567030: true, 2250503456029: true, 2250503456789: false })) {
    const { headers } = await call('POST', '/v2/payouts', payout({ recipient: party('MTN_MOMO_CIV', number) }))
    assert.equal(/one source/.test(headers.get('twin-unverified') ?? ''), stated, number)
  }
})

test('a doubt lasts as long as the script says and ends as it says', async () => {
  for (const [then, status] of [
    ['succeed', 'COMPLETED'],
    ['fail', 'FAILED'],
  ] as const) {
    twin.script({ outcome: 'doubt', after_seconds: 600, then, times: 1 })
    const order = payout()
    await call('POST', '/v2/payouts', order)
    await twin.advance(540)
    assert.equal((await read('payouts', order.payoutId)).data.status, 'IN_RECONCILIATION')
    await twin.advance(60)
    assert.equal((await read('payouts', order.payoutId)).data.status, status)
  }
})

test('500 UNKNOWN_ERROR comes with and without effect', async () => {
  for (const effect of [true, false]) {
    twin.fault({ fault: 'say_500', effect, times: 1 })
    const order = payout()
    const answer = await call('POST', '/v2/payouts', order)
    assert.deepEqual([answer.status, answer.body.failureReason.failureCode], [500, 'UNKNOWN_ERROR'])
    assert.equal(answer.body.status, undefined)
    assert.equal((await read('payouts', order.payoutId)).status, effect ? 'FOUND' : 'NOT_FOUND')
  }
})

test('the toolkit describes the account', async () => {
  const conf = (await call('GET', '/v2/active-conf?country=CIV&operationType=DEPOSIT')).body
  assert.deepEqual(conf.signatureConfiguration, { signedRequestsOnly: false, signedCallbacks: true })
  const [mtn, , wave] = conf.countries[0].providers
  assert.equal(mtn.currencies[0].operationTypes.DEPOSIT.callbackUrl, `${receiver.url}/callbacks`)
  assert.equal(wave.currencies[0].operationTypes.DEPOSIT.authType, 'REDIRECT_AUTH')
  assert.equal(mtn.currencies[0].operationTypes.PAYOUT, undefined)
  const [civ] = (await call('GET', '/v2/availability?country=CIV&operationType=PAYOUT')).body
  assert.deepEqual(civ.providers[0], { provider: 'MTN_MOMO_CIV', operationTypes: { PAYOUT: 'OPERATIONAL' } })
  const predicted = await call('POST', '/v2/predict-provider', { phoneNumber: '+225 05 03 45 67 89' })
  assert.deepEqual(predicted.body, { country: 'CIV', provider: 'MTN_MOMO_CIV', phoneNumber: '2250503456789' })
})

test('several payouts in one call are answered in their order', async () => {
  const [good, bad] = [payout(), payout({ amount: '0' })]
  const { body, headers } = await call('POST', '/v2/payouts/bulk', [good, bad, good])
  const statuses = body.map(({ status }: Json) => status)
  assert.deepEqual(statuses, ['ACCEPTED', 'REJECTED', 'DUPLICATE_IGNORED'])
  assert.match(headers.get('twin-unverified') ?? '', /rejected order/)
})

test('a callback is repeated for a quarter of an hour, and again when it is asked for', async () => {
  receiver.answer({ status: 503 })
  const order = payout()
  await call('POST', '/v2/payouts', order)
  const early = await call('POST', `/v2/payouts/resend-callback/${order.payoutId}`)
  assert.equal(early.body.failureReason.failureCode, 'INVALID_STATE')
  await twin.advance(3600)
  assert.equal(receiver.requests.length, 10)
  assert.equal(twin.callbacks()[0]!.state, 'given_up')
  receiver.answer({})
  assert.equal((await call('POST', `/v2/payouts/resend-callback/${order.payoutId}`)).body.status, 'ACCEPTED')
  await twin.advance(0)
  assert.equal(receiver.requests.length, 11)
})
