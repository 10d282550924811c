import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { type Answer, E164, PAYER, SESSIONS, startWaveClient } from '../../../tests/harness/wave-client.ts'

const client = await startWaveClient()
after(client.close)
beforeEach(client.reset)
const { twin, receiver, call, sessionFor, payoutFor, openLink, make, read, pay, typeNumber } = client

test('a session gives a link, whose payer types a number, approves and is called about as completed', async () => {
  const order = sessionFor()
  const { status, body } = await call('POST', SESSIONS, order)
  assert.equal(status, 200)
  assert.match(body.id, /^cos-1[0-9a-f]{12}$/)
  assert.deepEqual(
    [body.amount, body.checkout_status, body.payment_status, body.client_reference, body.transaction_id],
    ['2500', 'open', 'processing', order.client_reference, null],
  )
  assert.equal(Date.parse(body.when_expires) - Date.parse(body.when_created), 1_800_000)
  assert.match((await openLink(body)).url, /\/phones\/pay\?operation=wave%2Fsession%2F/)
  await typeNumber(body, PAYER)
  await twin.phone(PAYER).approve()
  await twin.advance(0)
  const paid = await read(body.id)
  assert.deepEqual([paid.checkout_status, paid.payment_status], ['complete', 'succeeded'])
  assert.match(paid.transaction_id, /^T_\w+$/)
  assert.equal((await call('GET', `${SESSIONS}?transaction_id=${paid.transaction_id}`)).body.id, body.id)
  const [event, ...more] = receiver.requests.map(({ body: text }) => JSON.parse(String(text)))
  assert.equal(more.length, 0)
  assert.match(event.id, /^EV_/)
  assert.deepEqual([event.type, event.data], ['checkout.session.completed', paid])
  assert.deepEqual([twin.phone(PAYER).balance('wave_ci'), twin.wallets()['wave/CI']], [247_500, 10_002_475])
})

test('a try that fails leaves a session open, and the link leads to another try', async () => {
  const session = await make({ restrict_payer_mobile: E164 })
  await twin.phone(PAYER).decline()
  await twin.advance(0)
  const tried = await read(session.id)
  assert.deepEqual([tried.checkout_status, tried.payment_status], ['open', 'cancelled'])
  assert.equal(tried.last_payment_error.code, 'payment-failure')
  assert.equal(JSON.parse(String(receiver.requests[0]!.body)).type, 'checkout.session.payment_failed')
  await openLink(session)
  assert.equal((await read(session.id)).payment_status, 'processing')
  await twin.phone(PAYER).approve()
  assert.equal((await read(session.id)).payment_status, 'succeeded')
  assert.equal(twin.journal().length, 1)
})

test('a session expires after half an hour, at once when asked, and is not paid then', async () => {
  const [untouched, tried, closed] = [await make(), await make({ restrict_payer_mobile: E164 }), await make()]
  await twin.phone(PAYER).decline()
  const expired = await call('POST', `${SESSIONS}/${closed.id}/expire`)
  assert.deepEqual([expired.status, expired.body], [200, ''])
  assert.equal((await call('POST', `${SESSIONS}/${closed.id}/expire`)).status, 409)
  assert.equal((await call('POST', `${SESSIONS}/cos-nobody/expire`)).status, 404)
  // The twin's clock goes on by itself, too.
  await twin.advance(1_740)
  assert.equal((await read(untouched.id)).checkout_status, 'open')
  await twin.advance(60)
  const statuses = async (id: string) => {
    const { checkout_status, payment_status } = await read(id)
    return [checkout_status, payment_status]
  }
  assert.deepEqual(await statuses(untouched.id), ['expired', 'processing'])
  assert.deepEqual(await statuses(tried.id), ['expired', 'cancelled'])
  await openLink(tried)
  assert.deepEqual(twin.phone(PAYER).now().asking, [])
  assert.deepEqual(twin.journal(), [])
})

test('a reference may have several sessions, and the search finds them, after its delay', async () => {
  const client_reference = randomUUID()
  const [first, second] = [await make({ client_reference }), await make({ client_reference })]
  assert.notEqual(first.id, second.id)
  const search = async () =>
    (await call('GET', `${SESSIONS}/search?client_reference=${client_reference}`)).body.result.map(
      ({ id }: { id: string }) => id,
    )
  assert.deepEqual(await search(), [first.id, second.id])
  twin.change('wave', { search_lag_seconds: 3_600 })
  assert.deepEqual(await search(), [])
  assert.deepEqual((await call('GET', `${SESSIONS}/search?client_reference=nobody`)).body, { result: [] })
})

test('a refund returns the whole amount once, with an empty answer, and is in the list of transactions', async () => {
  const session = await make({ restrict_payer_mobile: E164 })
  const refund = () => call('POST', `${SESSIONS}/${session.id}/refund`)
  assert.deepEqual([(await refund()).status, (await refund()).body.code], [400, 'checkout-refund-failed'])
  await twin.phone(PAYER).approve()
  for (let time = 0; time < 2; time += 1) {
    const answer = await refund()
    assert.deepEqual([answer.status, answer.body], [200, ''])
    await twin.advance(2)
  }
  assert.equal(twin.phone(PAYER).balance('wave_ci'), 250_000)
  twin.change('wave', { page_size: 1 })
  const date = twin.now().slice(0, 10)
  const first = (await call('GET', `/v1/transactions?date=${date}`)).body
  const { end_cursor, has_next_page } = first.page_info
  const second = (await call('GET', `/v1/transactions?date=${date}&after=${end_cursor}`)).body
  assert.deepEqual([has_next_page, second.page_info.has_next_page], [true, false])
  assert.deepEqual(
    [...first.items, ...second.items].map((one) => [one.transaction_type, one.amount, one.checkout_api_session_id]),
    [
      ['api_checkout', '2500', session.id],
      ['api_checkout_refund', '2500', session.id],
    ],
  )
})

test('a payout is answered as done, and the same key moves nothing twice while it is remembered', async () => {
  const [body, key] = [JSON.stringify(payoutFor({ name: 'Awa Kone', payment_reason: 'Juin' })), randomUUID()]
  const first = await pay(body, key)
  assert.equal(first.status, 200)
  assert.match(first.headers.get('twin-unverified') ?? '', /Idempotency-Key/)
  const { id, status, receive_amount, fee, mobile } = first.body
  assert.match(id, /^pt-1/)
  assert.deepEqual([status, receive_amount, fee, mobile], ['succeeded', '10000', '100', E164])
  assert.deepEqual((await pay(body, key)).body, first.body)
  const other = await pay(body.replace('Juin', 'Mai'), key)
  assert.deepEqual([other.status, other.body.code], [409, 'idempotency-mismatch'])
  assert.deepEqual((await call('GET', `/v1/payout/${id}`)).body, first.body)
  const { client_reference } = JSON.parse(body)
  const search = async () => (await call('GET', `/v1/payouts/search?client_reference=${client_reference}`)).body.result
  assert.deepEqual(await search(), [first.body])
  assert.equal((await call('GET', '/v1/balance')).body.amount, '9989900')
  await twin.advance(86_401)
  assert.notEqual((await pay(body, key)).body.id, id, 'the key is forgotten')
  assert.equal((await search()).length, 2)
  assert.equal(twin.journal().length, 2)
  assert.equal(receiver.requests.length, 0, 'nobody is called about payouts')
})

test('a payout may be under way, and fail with its error', async () => {
  twin.change('wave', { payouts_at_once: false })
  const done = (await pay(payoutFor())).body
  assert.equal(done.status, 'processing')
  twin.script({ outcome: 'fail', reason: 'recipient-limit-exceeded', times: 1 })
  const failed = (await pay(payoutFor())).body
  await twin.advance(2)
  assert.equal((await call('GET', `/v1/payout/${done.id}`)).body.status, 'succeeded')
  const { status, payout_error } = (await call('GET', `/v1/payout/${failed.id}`)).body
  assert.deepEqual([status, payout_error.error_code], ['failed', 'recipient-limit-exceeded'])
})

test('a payout to a number without a wallet is refused in a way that nobody could verify', async () => {
  twin.script({ outcome: 'refuse', reason: 'recipient_not_found', times: 1 })
  const { status, body, headers } = await pay(payoutFor())
  assert.deepEqual([status, body.code], [422, 'recipient-account-inactive'])
  assert.match(headers.get('twin-unverified') ?? '', /without a wallet/)
})

test('each order that cannot be taken is refused with its code and status', async () => {
  const cases: [() => Promise<Answer>, number, string][] = [
    [() => call('POST', SESSIONS, sessionFor({ amount: 2500 })), 400, 'request-validation-error'],
    [() => call('POST', SESSIONS, sessionFor({ amount: '02500' })), 400, 'request-validation-error'],
    [() => call('POST', SESSIONS, sessionFor({ amount: '2500.00' })), 400, 'request-validation-error'],
    [() => call('POST', SESSIONS, sessionFor({ currency: 'EUR' })), 400, 'currency-mismatch'],
    [() => call('POST', SESSIONS, sessionFor({ success_url: 'http://a.ci' })), 400, 'request-validation-error'],
    [
      () => call('POST', SESSIONS, sessionFor({ restrict_payer_mobile: '0758412077' })),
      400,
      'request-validation-error',
    ],
    [() => call('POST', SESSIONS, 'amount=2500'), 400, 'request-not-json'],
    [() => call('POST', SESSIONS, '[]'), 400, 'request-parsing-error'],
    [() => pay(payoutFor({ mobile: '+221771234567' })), 400, 'country-mismatch'],
    [() => pay(payoutFor({ payment_reason: 'x'.repeat(41) })), 400, 'request-validation-error'],
    [() => call('POST', '/v1/payout', payoutFor()), 400, 'request-validation-error'],
    [() => pay(payoutFor({ receive_amount: '90000000' })), 422, 'insufficient-funds'],
    [() => call('GET', '/v1/balance', undefined, { Authorization: 'Bearer other' }), 401, 'no-matching-api-key'],
    [() => call('GET', '/v1/payout/pt-nobody'), 404, 'not-found'],
    [() => call('GET', '/v1/nothing'), 404, 'not-found'],
  ]
  for (const [ask, status, code] of cases) {
    const answer = await ask()
    assert.deepEqual([answer.status, answer.body.code], [status, code], String(ask))
  }
  assert.deepEqual(twin.operations(), [])
  twin.change('wave', { permissions: { payout: false } })
  assert.equal((await pay(payoutFor())).status, 403)
  assert.equal((await call('GET', '/v1/balance')).status, 200)
  for (const [error_shape, found] of [
    ['error_code', { error_code: 'not-found' }],
    ['error', { error: { code: 'not-found', httpcode: 404 } }],
  ] as const) {
    twin.change('wave', { error_shape })
    assert.partialDeepStrictEqual((await call('GET', '/v1/nothing')).body, found)
  }
})

test('a fault makes an order lost, or answered with 503, 429 or 500', async () => {
  const cases: [string, number | 'cut', string | undefined, number][] = [
    ['lose_answer', 'cut', undefined, 1],
    ['say_500', 500, 'internal-server-error', 1],
    ['say_503', 503, 'service-unavailable', 0],
    ['say_429', 429, 'too-many-requests', 0],
  ]
  for (const [fault, status, code, found] of cases) {
    twin.fault({ fault, times: 1 })
    const body = payoutFor()
    const answer = await pay(body).catch(() => ({ status: 'cut', body: {} as Answer['body'] }))
    assert.deepEqual([answer.status, answer.body.code], [status, code])
    const { result } = (await call('GET', `/v1/payouts/search?client_reference=${body.client_reference}`)).body
    assert.equal(result.length, found, fault)
  }
})

test('the numbers of the twin’s own table decide by themselves, on the page as well', async () => {
  const number = (ending: string) => `+22507000000${ending}`
  for (const [ending, payment_status, code] of [
    ['00', 'succeeded', undefined],
    ['01', 'cancelled', 'insufficient-funds'],
    ['02', 'cancelled', 'blocked-account'],
    ['03', 'cancelled', 'kyb-limits-exceeded'],
    ['04', 'processing', undefined],
    ['05', 'cancelled', 'payer-mobile-mismatch'],
  ] as const) {
    const restricted = await make({ restrict_payer_mobile: number(ending) })
    const open = await make()
    await typeNumber(open, number(ending).slice(4))
    await twin.advance(2)
    for (const { id } of [restricted, open]) {
      const found = await read(id)
      assert.deepEqual([found.payment_status, found.last_payment_error?.code], [payment_status, code], ending)
    }
  }
  for (const [ending, status, said] of [
    ['00', 200, 'succeeded'],
    ['01', 422, 'insufficient-funds'],
    ['02', 422, 'recipient-account-blocked'],
    ['03', 422, 'recipient-limit-exceeded'],
    ['04', 200, 'processing'],
  ] as const) {
    const answer = await pay(payoutFor({ mobile: number(ending) }))
    assert.deepEqual([answer.status, answer.body.status ?? answer.body.code], [status, said], ending)
  }
  const lost = payoutFor({ mobile: number('06') })
  await assert.rejects(pay(lost))
  assert.equal(twin.journal().filter(({ reference }) => reference === lost.client_reference).length, 1)
})

test('a recipient’s name matches or not, thirty times in five minutes', async () => {
  const { holder } = twin.phone(PAYER).now()
  const check = async (name?: string) => call('POST', '/v1/verify_recipient/', { mobile: E164, name })
  const matches = [await check(holder.toUpperCase()), await check('Nobody Else'), await check()]
  assert.deepEqual(
    matches.map(({ body }) => body.name_match),
    ['MATCH', 'NO_MATCH', 'NAME_NOT_KNOWN'],
  )
  for (let time = 3; time < 30; time += 1) assert.equal((await check(holder)).status, 200)
  assert.equal((await check(holder)).status, 429)
  await twin.advance(600)
  assert.equal((await check(holder)).status, 429, 'for an hour')
  await twin.advance(3_600)
  assert.equal((await check(holder)).status, 200)
})
