import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PageFacts, SessionFacts } from '../../src/checkout/page/facts.ts'
import { createNumberHash } from '../../src/operators/prediction/number-hash.ts'
import { dropOldNumbers, KNOWN_DAYS } from '../../src/operators/prediction/number-store.ts'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { Msisdn } from '../../src/values/msisdn.ts'
import { Secret } from '../../src/values/secret.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { connectTwin } from '../harness/live-twin.ts'
import type { Merchant } from '../harness/merchant.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment, checkRefusal } from './answers.ts'
import { addLink, newSession, open, openLink, submit, untilStatus } from './payer.ts'
import { newSender, PATIENCE } from './sender.ts'
import { readBody } from './x-answers.ts'

// The operator that serves a number, as orders to it have ended: in live mode at the operators' twin, in test mode at the simulator.

type Prediction = { object: string; operator: string | null; confidence: string; basis: string; livemode: boolean }

let installation: Installation
let twin: RunningTwin
/** Two merchants, with keys of live and of test mode. */
let ama: { merchant: Merchant; live: string; test: string }
let bob: typeof ama

async function newCustomer(): Promise<typeof ama> {
  const merchant = await installation.newMerchant()
  const live = (await merchant.newKey('live', 'collect')).key
  return { merchant, live, test: merchant.key }
}

before(async () => {
  twin = await startTwin()
  installation = await openInstallation({ own: 'connects operators' })
  const { address } = installation.services[0]!
  await connectTwin(installation.db.sql, twin, { secret_key: installation.secret_key, origin: address })
  ama = await newCustomer()
  bob = await newCustomer()
  await waitFor(async () => {
    const { data } = (await installation.ask({ path: '/x/operators', key: ama.live })).json() as {
      data: { code: string; collection: { available: boolean } }[]
    }
    return data.every(({ code, collection }) => code === 'moov_ci' || collection.available)
  }, PATIENCE)
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
})

async function predict(key: string, msisdn: string): Promise<Prediction> {
  return readBody<Prediction>(await installation.ask({ path: '/x/operators/predict', key, body: { msisdn } }))
}

const untilPredicted = (key: string, msisdn: string, operator: string | null) =>
  waitFor(
    async () => {
      const predicted = await predict(key, msisdn)
      return predicted.operator === operator && predicted
    },
    { ...PATIENCE, what: `${operator} to be predicted` },
  )

async function pay(key: string, msisdn: string, operator: string, approve = true): Promise<void> {
  const { id } = checkPayment(await installation.pay(key, { amount: 500, operator, counterparty: { msisdn } }), 201)
  if (approve && key.includes('_live_')) await twin.phone(msisdn).approve()
  const open = ['created', 'pending']
  await waitFor(async () => !open.includes(checkPayment(await installation.read(key, id), 200).status), PATIENCE)
}

const answer = (operator: string | null, confidence: string, basis: string, livemode: boolean) => {
  return { object: 'operator_prediction', operator, confidence, basis, livemode }
}

test('for a new number the operator of its prefix is proposed', async () => {
  for (const [msisdn, operator] of [
    ['0112345678', 'moov_ci'],
    ['05 12 34 56 78', 'mtn_ci'],
    ['+2250712345678', 'orange_ci'],
  ] as const) {
    assert.deepEqual(await predict(ama.live, msisdn), answer(operator, 'medium', 'prefix', true))
    assert.deepEqual(await predict(ama.test, msisdn), answer(operator, 'medium', 'prefix', false))
  }
})

test('a ported number that paid is known to every merchant, only in live mode', async () => {
  const ported = newPayer()
  await pay(ama.live, ported, 'mtn_ci')
  const known = answer('mtn_ci', 'high', 'learned', true)
  assert.deepEqual(await untilPredicted(ama.live, ported, 'mtn_ci'), known)
  assert.deepEqual(await predict(bob.live, ported), known)
  for (const key of [ama.test, bob.test]) {
    assert.deepEqual(await predict(key, ported), answer('orange_ci', 'medium', 'prefix', false))
  }
})

test('a number that paid through the operator of its prefix gets the same answer as a new number', async () => {
  const [payer, stranger] = [newPayer(), newPayer()]
  await pay(ama.live, payer, 'orange_ci')
  // The second payment and its lesson were written after the first, so the first one's lesson is stored too.
  const ported = newPayer()
  await pay(ama.live, ported, 'mtn_ci')
  await untilPredicted(ama.live, ported, 'mtn_ci')
  assert.deepEqual(await predict(bob.live, payer), await predict(bob.live, stranger))
  assert.equal(await isKept(payer), false)
  // Gone back to its first operator.
  await pay(bob.live, ported, 'orange_ci')
  assert.deepEqual(await untilPredicted(ama.live, ported, 'orange_ci'), answer('orange_ci', 'medium', 'prefix', true))
  assert.equal(await isKept(ported), false)
})

test('an operator that does not know the number is not proposed again', async () => {
  // The twin's MTN has no wallet for it.
  const unknown = '0500000055'
  await pay(ama.live, unknown, 'mtn_ci', false)
  assert.deepEqual(await untilPredicted(bob.live, unknown, null), answer(null, 'none', 'learned', true))
  const declined = newPayer().replace(/^07/, '05').replace(/0000$/, '7777')
  const { id } = checkPayment(
    await installation.pay(ama.live, { amount: 500, operator: 'mtn_ci', counterparty: { msisdn: declined } }),
    201,
  )
  await twin.phone(declined).decline()
  await waitFor(async () => checkPayment(await installation.read(ama.live, id), 200).status === 'failed', PATIENCE)
  assert.equal((await predict(ama.live, declined)).operator, 'mtn_ci')
})

test("in test mode a merchant's orders, payouts too, teach only this merchant, and `simulate` teaches nothing", async () => {
  const number = newPayer()
  await pay(ama.test, number, 'moov_ci')
  await untilPredicted(ama.test, number, 'moov_ci')
  assert.equal((await predict(bob.test, number)).operator, 'orange_ci')
  assert.equal((await predict(ama.live, number)).operator, 'orange_ci')

  const sender = await newSender(installation)
  const payee = newPayer()
  const beneficiary = { msisdn: payee, operator: 'wave_ci', name: 'Awa Koné' }
  const { id } = (await sender.send({ amount: 500, beneficiary })).json() as { id: string }
  await sender.untilPayout(id, 'succeeded')
  assert.equal((await untilPredicted(sender.key, payee, 'wave_ci')).basis, 'learned')

  const pretended = newPayer()
  const body = { amount: 500, operator: 'mtn_ci', counterparty: { msisdn: pretended }, simulate: 'succeed' }
  const { id: payment } = checkPayment(await installation.pay(ama.test, body), 201)
  await waitFor(
    async () => checkPayment(await installation.read(ama.test, payment), 200).status === 'succeeded',
    PATIENCE,
  )
  await pay(ama.test, number, 'wave_ci')
  await untilPredicted(ama.test, number, 'wave_ci')
  assert.equal((await predict(ama.test, pretended)).operator, 'orange_ci')
})

test('no number is kept in clear, another key finds none, and after a year none is left', async () => {
  const { sql } = installation.db
  const number = newPayer()
  await pay(ama.live, number, 'mtn_ci')
  await untilPredicted(ama.live, number, 'mtn_ci')
  const rows = await sql<{ text: string }[]>`select r::text as text from number_operators r`
  assert.ok(rows.length > 0)
  for (const { text } of rows) {
    // The hash is printed as letters, and a number in it would be the bytes of its digits.
    assert.ok(!text.includes(number.slice(1)), text)
    assert.ok(!text.includes(Buffer.from(number).toString('hex')), text)
  }
  assert.equal(await isKept(number), true)
  assert.equal(await isKept(number, 'another secret key of this service, with letters'), false)
  assert.equal(await dropOldNumbers(sql), 0)
  await sql`update number_operators set learned_at = learned_at - make_interval(days => ${KNOWN_DAYS + 1})`
  assert.equal(await dropOldNumbers(sql), rows.length)
  assert.deepEqual(await predict(ama.live, number), answer('orange_ci', 'medium', 'prefix', true))
})

test('a page proposes the learned operator only to its own form, with the number in the body', async () => {
  const ported = newPayer()
  await pay(ama.test, ported, 'mtn_ci')
  await untilPredicted(ama.test, ported, 'mtn_ci')
  const session = await newSession(installation, ama.test)
  const link = await addLink(installation, ama.merchant.merchant_id, { kind: 'fixed', amount: 500 })
  for (const path of [session.path, link.path]) {
    const { nonce } = await open<PageFacts>(installation, path)
    const propose = (fields: object, headers = {}) =>
      submit(installation, `${path}/operator`, { nonce, ...fields }, { headers })
    const proposed = await propose({ msisdn: ported })
    assert.deepEqual([proposed.status, proposed.json()], [200, { operator: 'mtn_ci' }])
    assert.deepEqual((await propose({ msisdn: newPayer() })).json(), { operator: 'orange_ci' })
    checkRefusal(await propose({ msisdn: '12' }), 422, 'invalid_msisdn')
    checkRefusal(await propose({ msisdn: ported, nonce: 'x' }), 400, 'invalid_request')
    checkRefusal(await propose({ msisdn: ported }, { 'Sec-Fetch-Site': 'cross-site' }), 400, 'invalid_request')
    checkRefusal(await submit(installation, `${path}x/operator`, { nonce }), 404, 'resource_not_found')
  }
})

test('a form without a choice goes to the learned operator, and sent twice it is one payment', async () => {
  const ported = newPayer()
  await pay(ama.test, ported, 'mtn_ci')
  await untilPredicted(ama.test, ported, 'mtn_ci')
  const { path } = await newSession(installation, ama.test)
  const { nonce } = await open(installation, path)
  const form = { nonce, msisdn: ported }
  const { attempt } = (await submit(installation, path, form)).json() as SessionFacts
  assert.equal(attempt?.operator, 'mtn_ci')
  await untilStatus(installation, path, 'paid')
  // Served by another operator by then.
  await pay(ama.test, ported, 'wave_ci')
  await untilPredicted(ama.test, ported, 'wave_ci')
  const again = (await submit(installation, path, form)).json() as SessionFacts
  assert.equal(again.attempt?.payment_id, attempt?.payment_id)
})

test('a form that is shown again has the learned operator chosen', async () => {
  const ported = newPayer()
  await pay(ama.test, ported, 'mtn_ci')
  await untilPredicted(ama.test, ported, 'mtn_ci')
  const amounts = { kind: 'free', min_amount: 500, max_amount: 900 } as const
  const { path } = await addLink(installation, ama.merchant.merchant_id, amounts)
  const { nonce } = await openLink(installation, path)
  const text = String(new URLSearchParams({ nonce, msisdn: ported, amount: '100' }))
  const headers = { Accept: 'text/html', 'Content-Type': 'application/x-www-form-urlencoded' }
  const shown = await installation.ask({ method: 'POST', path, text, headers })
  assert.equal(shown.status, 422)
  assert.match(shown.text, /value="mtn_ci" checked/)
  assert.equal(shown.text.match(/ checked/g)?.length, 1)
})

/** Whether anything is kept of a number in live mode, under a key of the service. */
async function isKept(number: string, secret_key = installation.secret_key): Promise<boolean> {
  const hash = createNumberHash(new Secret(secret_key))({ ...ama.merchant, livemode: true }, Msisdn.parse(number)!)
  const rows = await installation.db.sql`
    select livemode from number_operators where livemode and number_hash = decode(${hash}, 'hex')`
  return rows.length > 0
}
