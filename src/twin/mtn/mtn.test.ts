import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { numbered, PARTY, PAYER, startMtnClient } from '../../../tests/harness/mtn-client.ts'

const client = await startMtnClient()
after(client.close)
beforeEach(client.reset)
const { twin, receiver, callback_url, call, bodyOf, order, read } = client

test('a request to pay is accepted with an empty 202, rings, and is read and called back as successful', async () => {
  const taken = await order('requesttopay', { payerMessage: 'Commande 1042', payeeNote: 'txn 8f0c' })
  assert.deepEqual([taken.status, taken.text], [202, ''])
  assert.equal((await read('requesttopay', taken.reference)).status, 'PENDING')
  await twin.phone(PAYER).approve()
  await twin.advance(0)
  const found = await read('requesttopay', taken.reference)
  assert.match(found.financialTransactionId, /^\d+$/)
  assert.deepEqual(found, {
    financialTransactionId: found.financialTransactionId,
    externalId: taken.reference,
    amount: '2500',
    currency: 'XOF',
    payer: { partyIdType: 'MSISDN', partyId: PARTY },
    payerMessage: 'Commande 1042',
    payeeNote: 'txn 8f0c',
    status: 'SUCCESSFUL',
  })
  const [callback, ...more] = receiver.requests
  assert.deepEqual([callback!.method, callback!.path, more.length], ['POST', new URL(callback_url).pathname, 0])
  assert.deepEqual(JSON.parse(String(callback!.body)), found)
  assert.deepEqual([callback!.headers['x-reference-id'], callback!.headers.signature], [undefined, undefined])
  assert.equal(twin.wallets()['mtn/CI'], 10_002_500)
})

test('a transfer arrives, leaves the wallet, and fails for want of money when the wallet is short', async () => {
  twin.setWallet('mtn/CI', 3_000)
  const [one, two] = [await order('transfer'), await order('transfer')]
  assert.deepEqual([one.status, two.status], [202, 202])
  await twin.advance(2)
  assert.equal((await read('transfer', one.reference)).status, 'SUCCESSFUL')
  const short = await read('transfer', two.reference)
  assert.deepEqual([short.status, short.reason.code], ['FAILED', 'NOT_ENOUGH_FUNDS'])
  const balance = await call('GET', 'disbursement', '/v1_0/account/balance')
  assert.deepEqual(balance.body, { availableBalance: '500', currency: 'XOF' })
  assert.equal((await call('GET', 'collection', '/v1_0/account/balance/XOF')).body.availableBalance, '500')
  assert.equal(twin.phone(PAYER).balance('mtn_ci'), 252_500)
})

test('the word for a full recipient is one that nobody could verify', async () => {
  twin.script({ outcome: 'fail', reason: 'recipient_limit_reached', times: 1 })
  const { reference } = await order('transfer')
  await twin.advance(2)
  const { body, headers } = await call('GET', 'disbursement', `/v1_0/transfer/${reference}`)
  assert.equal(body.reason.code, 'PAYEE_LIMIT_REACHED')
  assert.match(headers.get('twin-unverified') ?? '', /word of this reason/)
})

test('a payer who declines, is too late or has no money pays nothing', async () => {
  const ends: [() => Promise<unknown>, string][] = [
    [() => twin.phone(PAYER).decline(), 'APPROVAL_REJECTED'],
    [() => twin.advance(301), 'EXPIRED'],
    [
      async () => {
        twin.phone(PAYER).setBalance('mtn_ci', 100)
        await twin.phone(PAYER).approve()
      },
      'NOT_ENOUGH_FUNDS',
    ],
  ]
  for (const [end, code] of ends) {
    const { reference } = await order('requesttopay')
    await end()
    const { status, reason } = await read('requesttopay', reference)
    assert.deepEqual([status, reason.code], ['FAILED', code])
  }
  assert.deepEqual(twin.journal(), [])
})

test('a reference is accepted once, and an unused one is not found', async () => {
  const first = await order('transfer')
  const again = await order('transfer', { amount: '9' }, { 'X-Reference-Id': first.reference })
  assert.equal(again.status, 409)
  assert.deepEqual(again.body, { code: 'RESOURCE_ALREADY_EXIST', message: 'Duplicated reference id.' })
  await twin.advance(2)
  assert.equal(twin.journal().length, 1)
  const unknown = await call('GET', 'disbursement', `/v1_0/transfer/${randomUUID()}`)
  assert.equal(unknown.status, 404)
  assert.deepEqual(unknown.body, { code: 'RESOURCE_NOT_FOUND', message: 'Requested resource was not found.' })
  const other = await call('GET', 'disbursement', `/v1_0/requesttopay/${first.reference}`)
  assert.equal(other.status, 404, 'a request to pay cannot be read through the other product')
})

test('an order that cannot be taken is refused with the status of its mistake', async () => {
  const cases: [object, Record<string, string>, number, string | undefined][] = [
    [{}, { 'X-Reference-Id': '8f0c' }, 400, 'BAD_REQUEST'],
    [{}, { 'X-Reference-Id': '8f0c5a4e-6d0d-1f0b-9e0e-0c8f4b1a7d10' }, 400, 'BAD_REQUEST'],
    [{ amount: 2500 }, {}, 400, 'BAD_REQUEST'],
    [{ externalId: 'a b' }, {}, 400, 'BAD_REQUEST'],
    [{ payerMessage: 'Reçu d’avril' }, {}, 400, undefined],
    [{ payeeNote: 'x'.repeat(161) }, {}, 400, 'BAD_REQUEST'],
    [{ payer: undefined }, {}, 400, 'BAD_REQUEST'],
    [{ currency: 'EUR' }, {}, 500, 'INVALID_CURRENCY'],
    [{}, { 'X-Target-Environment': 'sandbox' }, 500, 'NOT_ALLOWED_TARGET_ENVIRONMENT'],
  ]
  for (const [changes, headers, status, code] of cases) {
    const answer = await order('requesttopay', changes, headers)
    assert.deepEqual([answer.status, answer.body?.code], [status, code], JSON.stringify([changes, headers]))
  }
  assert.deepEqual(twin.operations(), [])
})

test('the sandbox numbers behave by themselves, behind a prefix of Côte d’Ivoire as well', async () => {
  const failures: [string, number, string][] = [
    ['requesttopay', 50, 'INTERNAL_PROCESSING_ERROR'],
    ['requesttopay', 51, 'APPROVAL_REJECTED'],
    ['requesttopay', 52, 'EXPIRED'],
    ['requesttopay', 55, 'PAYER_NOT_FOUND'],
    ['requesttopay', 56, 'PAYEE_NOT_ALLOWED_TO_RECEIVE'],
    ['requesttopay', 57, 'NOT_ALLOWED'],
    ['requesttopay', 62, 'SERVICE_UNAVAILABLE'],
    ['requesttopay', 63, 'COULD_NOT_PERFORM_TRANSACTION'],
    ['transfer', 55, 'COULD_NOT_PERFORM_TRANSACTION'],
    ['transfer', 57, 'PAYER_NOT_FOUND'],
    ['transfer', 58, 'NOT_ALLOWED'],
    ['transfer', 63, 'SERVICE_UNAVAILABLE'],
    ['deposit', 55, 'PAYER_NOT_FOUND'],
  ]
  for (const [kind, ending, code] of failures) {
    for (const prefix of ['467331234', '22505000000']) {
      const { reference } = await order(kind, numbered(kind, ending, prefix))
      await twin.advance(0)
      const { status, reason } = await read(kind, reference)
      assert.deepEqual([status, reason.code], ['FAILED', code], `${kind} ${prefix}${ending}`)
    }
  }
  const delayed = await order('requesttopay', numbered('requesttopay', 54))
  await twin.advance(20)
  assert.equal((await read('requesttopay', delayed.reference)).status, 'CREATED')
  await twin.advance(10)
  assert.equal((await read('requesttopay', delayed.reference)).status, 'SUCCESSFUL')
  receiver.requests.length = 0
  const ongoing = await order('requesttopay', numbered('requesttopay', 53))
  assert.match(ongoing.headers.get('twin-unverified') ?? '', /30 s/)
  await twin.advance(600)
  assert.equal((await read('requesttopay', ongoing.reference)).status, 'PENDING')
  const claimed = JSON.parse(String(receiver.requests[0]!.body))
  assert.deepEqual([claimed.status, claimed.reason.code], ['FAILED', 'ONGOING'])
  const wrong = await order('requesttopay', { payer: { partyIdType: 'MSISDN', partyId: '0506123456' } })
  await twin.advance(0)
  assert.equal((await read('requesttopay', wrong.reference)).reason.code, 'PAYER_NOT_FOUND')
})

test('a refund names the request to pay, and never gives back more than was paid', async () => {
  const paid = await order('requesttopay')
  const refund = (amount: string, referenceIdToRefund = paid.reference) =>
    order('refund', { amount, referenceIdToRefund })
  const reasonOf = async ({ reference }: { reference: string }) => {
    await twin.advance(2)
    const { status, reason } = await read('refund', reference)
    return reason?.code ?? status
  }
  assert.equal(await reasonOf(await refund('2500')), 'COULD_NOT_PERFORM_TRANSACTION', 'it is not paid yet')
  await twin.phone(PAYER).approve()
  const part = await refund('1000')
  assert.match(part.headers.get('twin-unverified') ?? '', /a part/)
  assert.equal(await reasonOf(part), 'SUCCESSFUL')
  assert.equal(await reasonOf(await refund('1501')), 'COULD_NOT_PERFORM_TRANSACTION')
  assert.equal(await reasonOf(await refund('1500')), 'SUCCESSFUL')
  assert.equal(await reasonOf(await refund('1')), 'COULD_NOT_PERFORM_TRANSACTION')
  assert.equal(await reasonOf(await refund('100', '7')), 'NOT_ALLOWED')
  assert.equal(twin.phone(PAYER).balance('mtn_ci'), 250_000)
})

test('a fault makes an order lost, or answered with 503 or by the firewall', async () => {
  const cases: [object, number | 'cut', boolean][] = [
    [{ fault: 'lose_answer' }, 'cut', true],
    [{ fault: 'say_503' }, 503, false],
    [{ fault: 'say_500' }, 500, true],
    [{ fault: 'say_html' }, 200, true],
    [{ fault: 'say_429' }, 429, false],
  ]
  for (const [fault, status, held] of cases) {
    twin.fault({ ...(fault as { fault: string }), times: 1 })
    const reference = randomUUID()
    const answer = await order('transfer', {}, { 'X-Reference-Id': reference }).catch(() => ({ status: 'cut' }))
    assert.equal(answer.status, status)
    const found = await call('GET', 'disbursement', `/v1_0/transfer/${reference}`)
    assert.equal(found.status, held ? 200 : 404, JSON.stringify(fault))
  }
  twin.fault({ fault: 'read_not_found', times: 2 })
  const { reference } = await order('transfer')
  for (const status of [404, 404, 200])
    assert.equal((await call('GET', 'disbursement', `/v1_0/transfer/${reference}`)).status, status)
})

test('a script refuses at once in MTN’s words, and transfers that are not activated are forbidden while reads work', async () => {
  for (const [reason, status, code] of [
    ['operator_account_blocked', 500, 'NOT_ALLOWED'],
    ['INVALID_CURRENCY', 500, 'INVALID_CURRENCY'],
    ['operator_unavailable', 503, 'SERVICE_UNAVAILABLE'],
    ['invalid_number', 400, 'BAD_REQUEST'],
  ] as const) {
    twin.script({ outcome: 'refuse', reason, times: 1 })
    const answer = await order('transfer')
    assert.deepEqual([answer.status, answer.body.code], [status, code])
  }
  twin.change('mtn', { transfers_activated: false })
  const answer = await order('transfer')
  assert.deepEqual([answer.status, answer.body], [403, { statusCode: 403, message: 'Forbidden' }])
  assert.equal((await call('GET', 'disbursement', '/v1_0/account/balance')).status, 200)
})

test('callbacks come by PUT or POST, once, however they are answered, and may name the reference', async () => {
  receiver.answer({ status: 503 })
  twin.change('mtn', { callback_method: 'PUT', callback_reference: 'header' })
  const first = await order('transfer')
  await twin.advance(900)
  twin.change('mtn', { callback_method: 'POST', callback_reference: 'body' })
  const second = await order('transfer')
  await twin.advance(900)
  receiver.answer({})
  const [one, two, ...more] = receiver.requests
  assert.equal(more.length, 0, 'one attempt each')
  assert.deepEqual([one!.method, one!.headers['x-reference-id']], ['PUT', first.reference])
  assert.deepEqual([two!.method, JSON.parse(String(two!.body)).referenceId], ['POST', second.reference])
  const silent = await call('POST', 'disbursement', '/v1_0/transfer', {
    body: bodyOf('transfer'),
    headers: { 'X-Reference-Id': randomUUID() },
  })
  assert.equal(silent.status, 202)
  await twin.advance(2)
  assert.equal(receiver.requests.length, 2, 'none without an address')
})

test('a callback may lie about the state, the amount and the reference, and come before the answer', async () => {
  const said = () => JSON.parse(String(receiver.requests.at(-1)!.body))
  twin.fault({ fault: 'callback_claims_success', times: 1 })
  const { reference } = await order('requesttopay')
  await twin.advance(0)
  assert.deepEqual([said().status, (await read('requesttopay', reference)).status], ['SUCCESSFUL', 'PENDING'])
  twin.fault({ fault: 'callback_reference', times: 1 })
  const lying = await order('transfer')
  await twin.advance(2)
  assert.notEqual(said().externalId, lying.reference)
  receiver.requests.length = 0
  twin.fault({ fault: 'callback_early', times: 1 })
  await order('transfer')
  assert.equal(receiver.requests.length, 1)
})

test('answers are written as the sources disagree about them', async () => {
  twin.change('mtn', { reason_as_text: true, numeric_amounts: true })
  const failed = await order('requesttopay', numbered('requesttopay', 51))
  await twin.advance(0)
  const { amount, reason } = await read('requesttopay', failed.reference)
  assert.deepEqual([amount, reason], [2500, 'APPROVAL_REJECTED'])
  twin.change('mtn', { numeric_amounts: false, decimals: true })
  assert.equal((await read('requesttopay', failed.reference)).amount, '2500.0')
})

test('the holder of a number is active or not, has a name, and gets the notification of a delivery', async () => {
  const active = async (id: string) =>
    (await call('GET', 'disbursement', `/v1_0/accountholder/msisdn/${id}/active`)).body.result
  assert.deepEqual(
    [await active(PARTY), await active('0506123456'), await active('22505000000' + '51')],
    [true, false, false],
  )
  const { body } = await call('GET', 'disbursement', `/v1_0/accountholder/msisdn/${PARTY}/basicuserinfo`)
  assert.ok(body.given_name.length > 1 && body.family_name.length > 1)
  const { reference } = await order('requesttopay')
  const notify = (notificationMessage?: string) =>
    call('POST', 'collection', `/v1_0/requesttopay/${reference}/deliverynotification`, {
      body: { notificationMessage },
    })
  assert.equal((await notify('Merci')).status, 400)
  await twin.phone(PAYER).approve()
  for (const [message, status] of [
    ['Merci', 200],
    ['x'.repeat(160), 200],
    ['x'.repeat(161), 400],
    ['', 400],
    [undefined, 400],
  ] as const)
    assert.equal((await notify(message)).status, status, String(message))
})
