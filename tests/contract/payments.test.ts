import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { newId } from '../../src/values/ids.ts'
import { type Installation, newPayer, openInstallation, payment } from '../harness/installation.ts'
import type { Merchant } from '../harness/merchant.ts'
import { livemode, mode, otherMode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment, checkRefusal } from './answers.ts'
import type { Payment } from './payment-fields.ts'

let installation: Installation
let merchant: Merchant
before(async () => {
  installation = await openInstallation()
  merchant = await installation.newMerchant()
})
after(() => installation[Symbol.asyncDispose]())

const pay = (body: unknown) => installation.pay(merchant.key, body)

/** The fields of a payment that the database keeps and no answer shows. */
async function storedOf({ id }: Payment): Promise<{ description: string; metadata: string; msisdn: string }> {
  const [row] = await installation.db.sql<{ description: string; metadata: string; msisdn: string }[]>`
    select description, metadata::text, msisdn from payments where id = ${id}`
  return row!
}

/** Reads a payment until it has the expected state. */
function untilStatus(key: string, { id }: Payment, status: string): Promise<Payment> {
  return waitFor(
    async () => {
      const payment = checkPayment(await installation.read(key, id), 200)
      return payment.status === status && payment
    },
    { what: `${id} to be ${status}` },
  )
}

test('a test payment needs only an amount and `simulate`', async () => {
  const created = checkPayment(await pay({ amount: 1, simulate: 'succeed' }), 201, {
    amount: 1,
    amount_collected: 1,
    fee_amount: 0,
    net_amount: 1,
    currency: 'XOF',
    status: 'created',
    operator: null,
    merchant_reference: null,
    livemode,
  })
  const succeeded = await untilStatus(merchant.key, created, 'succeeded')
  // The first answer stays true for ever; only the state moves on.
  assert.deepEqual({ ...succeeded, status: 'created', succeeded_at: null }, created)
  assert.ok(succeeded.succeeded_at! >= created.created_at)
})

test('a payment takes every optional field', async () => {
  const created = checkPayment(
    await pay({
      amount: 10_000,
      currency: 'XOF',
      operator: 'mtn_ci',
      counterparty: { msisdn: newPayer() },
      merchant_reference: 'Order № 7',
      description: 'Two loincloths',
      metadata: { cart: [1, 2], nested: { yes: true } },
      simulate: 'succeed',
    }),
    201,
    { amount: 10_000, operator: 'mtn_ci', merchant_reference: 'Order № 7', status: 'created' },
  )
  const stored = await storedOf(created)
  assert.deepEqual(JSON.parse(stored.metadata), { cart: [1, 2], nested: { yes: true } })
  assert.equal(stored.description, 'Two loincloths')
  await untilStatus(merchant.key, created, 'succeeded')
})

test('a live key asks a real operator; without a connector the payment fails and says why', async () => {
  const { key } = await merchant.newKey('live', 'collect')
  const sent = { amount: 100, counterparty: { msisdn: newPayer() }, simulate: 'succeed' }
  const created = checkPayment(await installation.pay(key, sent), 201, { livemode: true, operator: 'orange_ci' })
  const failed = await untilStatus(key, created, 'failed')
  assert.equal(failed.failure_code, 'operator_configuration')
  // Live mode ignores a value that test mode refuses.
  checkPayment(await installation.pay(key, { amount: 100, simulate: 'anything' }), 201, { livemode: true })
})

const unasked: [what: string, body: object, message: RegExp][] = [
  [
    'neither a payer nor an operator',
    { amount: 100 },
    /neither the number of the payer nor an operator was given\. Send/,
  ],
  ['a number in the wrong place', { amount: 100, msisdn: '0709000010' }, /Send `counterparty\.msisdn`/],
  ['an operator that asks on the telephone, and no number', { amount: 100, operator: 'mtn_ci' }, /number of the payer/],
]
for (const mode of ['test', 'live'] as const) {
  for (const [what, body, message] of unasked) {
    test(`a ${mode} payment that names ${what} is accepted, fails and says what was missing`, async () => {
      const { key } = await merchant.newKey(mode, 'collect')
      const created = checkPayment(await installation.pay(key, body), 201, { status: 'created' })
      const failed = await untilStatus(key, created, 'failed')
      assert.equal(failed.failure_code, 'operator_configuration')
      assert.match(failed.failure_message!, message)
      const [taken] = await installation.db.sql`
        select count(*) as orders from simulator_orders o join instructions i using (merchant_id, livemode, reference)
         where i.subject_id = ${created.id}`
      assert.deepEqual(taken, { orders: 0 }, 'nobody was asked')
    })
  }
}

test('with `simulate` a test payment needs no payer; a Wave payer is led to the app without a number', async () => {
  const { key } = merchant
  const simulated = checkPayment(await installation.pay(key, { amount: 100, simulate: 'succeed' }), 201)
  await untilStatus(key, simulated, 'succeeded')
  const led = checkPayment(await installation.pay(key, { amount: 100, operator: 'wave_ci' }), 201)
  const asked = async () => checkPayment(await installation.read(key, led.id), 200).next_action
  const next = await waitFor(asked, { what: 'the payer to be led to the app' })
  assert.equal(next.type, 'redirect')
})

test('a pending payment says what its payer must do, and other payments do not', async () => {
  await using slow = await openInstallation({ env: { SIMULATOR_DELAY_MS: '60000' } })
  const { key } = await slow.newMerchant()
  const { id } = checkPayment(await slow.pay(key, { amount: 100, counterparty: { msisdn: newPayer() } }), 201)
  const pending = await waitFor(
    async () => {
      const payment = checkPayment(await slow.read(key, id), 200)
      return payment.next_action !== undefined && payment
    },
    { what: 'the payer to be asked' },
  )
  assert.equal(pending.status, 'pending')
  assert.equal(pending.next_action?.type, 'approve_on_phone')
})

const numbers: [written: string, stored: string, operator: string][] = [
  ['0709000010', '+2250709000010', 'orange_ci'],
  ['+2250709000010', '+2250709000010', 'orange_ci'],
  ['2250709000010', '+2250709000010', 'orange_ci'],
  ['002250709000010', '+2250709000010', 'orange_ci'],
  ['07 09 00 00 10', '+2250709000010', 'orange_ci'],
  ['07.09.00.00.10', '+2250709000010', 'orange_ci'],
  ['07-09-00-00-10', '+2250709000010', 'orange_ci'],
  ['+225 07 09 00 00 10', '+2250709000010', 'orange_ci'],
  ['(+225) 07-09 00.00-10', '+2250709000010', 'orange_ci'],
  ['\u00a007\u202f09\u00a000 00 10 ', '+2250709000010', 'orange_ci'],
  ['0509000010', '+2250509000010', 'mtn_ci'],
  ['0109000010', '+2250109000010', 'moov_ci'],
]
for (const [written, stored, operator] of numbers) {
  test(`the payer ${JSON.stringify(written)} is ${stored.slice(0, 6)}… with ${operator}`, async () => {
    const created = checkPayment(await pay({ amount: 100, counterparty: { msisdn: written } }), 201, { operator })
    assert.equal((await storedOf(created)).msisdn, stored)
  })
}

test("the operator named in the request wins over the number's prefix, because numbers are portable", async () => {
  for (const operator of ['orange_ci', 'mtn_ci', 'moov_ci', 'wave_ci']) {
    checkPayment(await pay({ amount: 100, operator }), 201, { operator })
    checkPayment(await pay({ amount: 100, operator, counterparty: { msisdn: '0709000020' } }), 201, { operator })
  }
})

test('the currency is read in any letter case and written in capitals', async () => {
  for (const currency of ['XOF', 'xof', 'Xof', 'xOF']) {
    checkPayment(await pay({ amount: 100, currency }), 201, { currency: 'XOF' }, currency)
  }
})

test('a merchant cannot set the fields that the service sets', async () => {
  const theirs = {
    id: 'txn_mine',
    object: 'refund',
    status: 'succeeded',
    fee_amount: 0,
    net_amount: 1_000_000,
    amount_collected: 1,
    livemode: true,
    merchant_id: 1,
    created_at: '2020-01-01T00:00:00Z',
    succeeded_at: '2020-01-01T00:00:00Z',
    failed_at: '2020-01-01T00:00:00Z',
    failure_code: 'payer_declined',
    failure_message: 'x',
    next_action: { type: 'redirect', url: 'https://example.com', message: 'x' },
    msisdn: '0709000030',
    state: 'confirmed',
    collection_amount_max: 1,
  }
  const sent = { amount: 500, ...theirs, counterparty: { msisdn: '0709000031', name: 'x', merchant_id: 1 } }
  const text = JSON.stringify(sent).replace('{', '{"__proto__":{"status":"failed"},"constructor":{"prototype":{}},')
  const created = checkPayment(await installation.pay(merchant.key, undefined, { text }), 201, {
    amount: 500,
    amount_collected: 500,
    net_amount: 500,
    status: 'created',
    livemode,
    failure_code: null,
  })
  assert.notEqual(created.id, theirs.id)
  assert.ok(created.created_at > '2026')
  const [row] = await installation.db.sql`select merchant_id, livemode, msisdn from payments where id = ${created.id}`
  assert.deepEqual(row, { merchant_id: merchant.merchant_id, livemode, msisdn: '+2250709000031' })
})

test('descriptions, references and metadata are kept as they were written', async () => {
  const texts = [
    'Attiéké — poisson 🐟',
    '价格',
    'ما شاء الله',
    '"\'; drop table payments; --',
    '<script>',
    '%00 %s {} $1',
  ]
  for (const text of texts) {
    const merchant_reference = `${text} ${randomUUID()}`
    const sent = { amount: 100, description: text, merchant_reference, metadata: { [text]: text } }
    const created = checkPayment(await pay(sent), 201, { merchant_reference })
    checkPayment(await installation.read(merchant.key, created.id), 200, { merchant_reference })
    const { description, metadata } = await storedOf(created)
    assert.equal(description, text)
    assert.deepEqual(JSON.parse(metadata), { [text]: text })
  }
})

test('numbers in metadata stay as they were written', async () => {
  const metadata = '{"price":1.50,"big":12345678901234567890,"tiny":1e-400,"minus":-0,"__proto__":{"a":1.0}}'
  const text = `{"amount":100,"metadata":${metadata}}`
  const created = checkPayment(await installation.pay(merchant.key, undefined, { text }), 201)
  assert.equal((await storedOf(created)).metadata, metadata)
})

test("another merchant's payment and one of the other mode answer like one that does not exist", async () => {
  const stranger = await installation.newMerchant()
  const other = await merchant.newKey(otherMode, 'collect')
  const ours = checkPayment(await pay({ amount: 100 }), 201)
  const inOther = checkPayment(await installation.pay(other.key, { amount: 100 }), 201)
  const unknown = await installation.read(merchant.key, newId('txn', 1))
  checkRefusal(unknown, 404, 'resource_not_found')
  const hidden: [key: string, payment: Payment][] = [
    [stranger.key, ours],
    [(await stranger.newKey(otherMode, 'collect')).key, inOther],
    [other.key, ours],
    [merchant.key, inOther],
  ]
  for (const [key, { id }] of hidden) {
    const answer = await installation.read(key, id)
    checkRefusal(answer, 404, 'resource_not_found')
    assert.equal(answer.text, unknown.text)
  }
  // The proof that the ids were good: their own keys find them.
  checkPayment(await installation.read(merchant.key, ours.id), 200, { livemode })
  checkPayment(await installation.read(other.key, inOther.id), 200, { livemode: !livemode })
  checkPayment(await installation.read((await merchant.newKey(mode, 'payout')).key, ours.id), 200)
})

test('a reference is unique for one merchant in one mode', async () => {
  const sent = { amount: 100, merchant_reference: 'the same everywhere' }
  const stranger = await installation.newMerchant()
  const other = await merchant.newKey(otherMode, 'collect')
  for (const key of [merchant.key, stranger.key, other.key]) {
    checkPayment(await installation.pay(key, sent), 201)
    checkRefusal(await installation.pay(key, sent), 409, 'duplicate_reference')
  }
})

test('two concurrent requests with one reference make one payment', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => pay({ amount: 100, merchant_reference: 'raced for' })),
  )
  const [first, ...others] = answers.toSorted((one, other) => one.status - other.status)
  checkPayment(first!, 201)
  for (const answer of others) checkRefusal(answer, 409, 'duplicate_reference')
})

test('the service accepts unusual but valid HTTP', async () => {
  const asked = payment(merchant.key, { amount: 100 })
  const changes: Record<string, string>[] = [
    { 'Content-Type': 'application/json; charset=utf-8' },
    { 'Content-Type': 'APPLICATION/JSON;charset="UTF-8"' },
    { Authorization: `bearer   ${merchant.key}` },
    { 'Service-Version': '2026-08-25' },
    { Accept: 'text/html', Cookie: 'a=b', Origin: 'https://example.com' },
  ]
  for (const headers of changes) {
    const answer = await installation.ask({ ...asked, idempotency_key: randomUUID(), headers })
    checkPayment(answer, 201, {}, JSON.stringify(headers))
  }
  checkPayment(await installation.pay(merchant.key, undefined, { text: ' \r\n\t{ "amount"\n: 100 } ' }), 201)
})
