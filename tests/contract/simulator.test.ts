import assert from 'node:assert/strict'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { after, before, test } from 'node:test'
import { derivedKey } from '../../src/platform/config.ts'
import { Secret } from '../../src/values/secret.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import type { Merchant } from '../harness/merchant.ts'
import { type ReceivedRequest, type Receiver, startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment, checkPaymentShape } from './answers.ts'
import type { Answer } from './ask.ts'
import { checkWebhook } from './check-described.ts'
import type { Payment } from './payment-fields.ts'

const AMOUNT = 10_000
const FEE = 100

let installation: Installation
let merchant: Merchant
let receiver: Receiver
/** Of the merchant's endpoint. */
let secret: string
before(async () => {
  installation = await openInstallation({ own: 'audits all books' })
  receiver = await startReceiver()
  merchant = await installation.newMerchant()
  const words = ['--merchant', String(merchant.merchant_id)]
  await installation.bandama('fees', 'set', ...words, '--service', 'collection', '--bps', '100')
  const url = `${receiver.url}/webhooks`
  const endpoint = await installation.bandama('endpoint', 'create', ...words, '--mode', 'test', '--url', url)
  secret = String(endpoint.secret)
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

type Scenario = {
  /** The end of the payer's number. */
  end: string
  why: string
  status: 'succeeded' | 'failed' | 'expired' | 'pending'
  failure: [code: string, message: RegExp] | null
  events: string[]
  simulate?: 'succeed'
}
const succeeds = { status: 'succeeded', failure: null, events: ['payment.pending', 'payment.succeeded'] } as const
const scenarios: Scenario[] = [
  { end: '1234', why: 'succeeds', ...succeeds, events: [...succeeds.events] },
  {
    end: '0001',
    why: 'has not enough money',
    status: 'failed',
    failure: ['payer_insufficient_funds', /enough money/],
    events: ['payment.pending', 'payment.failed'],
  },
  {
    end: '0002',
    why: 'declines',
    status: 'failed',
    failure: ['payer_declined', /declined/],
    events: ['payment.pending', 'payment.failed'],
  },
  {
    end: '0003',
    why: 'lets the request lapse',
    status: 'expired',
    failure: null,
    events: ['payment.pending', 'payment.expired'],
  },
  { end: '0004', why: 'pays, and the answer is lost', ...succeeds, events: [...succeeds.events] },
  { end: '0005', why: 'pays, and the proof comes twice', ...succeeds, events: [...succeeds.events] },
  { end: '0006', why: 'pays another amount', status: 'pending', failure: null, events: ['payment.pending'] },
  { end: '0001', why: 'would fail, but is simulated', simulate: 'succeed', ...succeeds, events: [...succeeds.events] },
]

/** An event that the merchant's server has received, its signature verified. */
type MerchantEvent = {
  id: string
  object: string
  type: string
  api_version: string
  created_at: string
  livemode: boolean
  data: Payment
}

function untilStatus(id: string, status: string): Promise<Payment> {
  return waitFor(
    async () => {
      const payment = checkPayment(await installation.read(merchant.key, id), 200)
      return payment.status === status && payment
    },
    { what: `${id} to be ${status}` },
  )
}

const eventsOf = (id: string) => receiver.requests.map(readEvent).filter(({ data }) => data.id === id)

/** Waits for these events of a payment. They may overtake one another, so they are sorted by when they were made. */
async function untilEvents(id: string, types: readonly string[]): Promise<MerchantEvent[]> {
  await waitFor(() => eventsOf(id).length >= types.length, {
    what: `${types.join(' and ')} of ${id}, not ${eventsOf(id)
      .map(({ type }) => type)
      .join(' and ')}`,
  })
  const events = eventsOf(id).toSorted((one, other) => (one.id < other.id ? -1 : 1))
  assert.deepEqual(
    events.map(({ type }) => type),
    types,
  )
  return events
}

/** Reads an event like a merchant: checks the signature over the exact bytes and the time, and only then parses the body. */
function readEvent({ method, path, headers, body }: ReceivedRequest): MerchantEvent {
  assert.deepEqual([method, path], ['POST', '/webhooks'])
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['service-signature'])) ?? []
  const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest()
  assert.ok(timingSafeEqual(expected, Buffer.from(v1 ?? '', 'hex')), 'signed by the service')
  assert.ok(Math.abs(Date.now() / 1000 - Number(t)) <= 300, 'and lately')
  const event = JSON.parse(body.toString('utf8')) as MerchantEvent
  assert.deepEqual(Object.keys(event), ['id', 'object', 'type', 'api_version', 'created_at', 'livemode', 'data'])
  assert.match(event.id, /^evt_[0-9a-z]+$/)
  checkWebhook(event)
  assert.deepEqual([event.object, event.api_version, event.livemode], ['event', '2026-08-25', false])
  assert.equal(headers['service-event-id'], event.id)
  assert.equal(headers['user-agent'], 'Bandama-Webhooks/1.0')
  assert.equal(headers['content-type'], 'application/json')
  for (const name of ['signature', 'event-id']) assert.equal(headers[`legacy-${name}`], headers[`service-${name}`])
  // The first one of all is about the endpoint itself.
  if (event.type !== 'endpoint.test') checkPaymentShape(event.data, event.type)
  return event
}

for (const [rank, { end, why, status, failure, events, simulate }] of scenarios.entries()) {
  test(`a payer of …${end} ${why}: ${status}`, async () => {
    const counterparty = { msisdn: `070900${end}` }
    const sent = { amount: AMOUNT, counterparty, merchant_reference: `scenario ${rank}`, ...(simulate && { simulate }) }
    const created = checkPayment(await installation.pay(merchant.key, sent), 201, { fee_amount: FEE })
    const told = await untilEvents(created.id, events)
    const payment = await untilStatus(created.id, status)
    if (failure === null) assert.equal(payment.failure_code, null)
    else {
      assert.equal(payment.failure_code, failure[0])
      assert.match(payment.failure_message!, failure[1])
    }
    for (const { type, data } of told) {
      assert.equal(`payment.${data.status}`, type)
      const { status: _, succeeded_at, failed_at, failure_code, failure_message, next_action, ...fixed } = data
      for (const [name, value] of Object.entries(fixed)) assert.deepEqual(value, created[name as keyof Payment], name)
    }
    const { next_action: _, ...last } = told.at(-1)!.data
    const { next_action: __, ...read } = payment
    assert.deepEqual(last, read, 'the last event says what reading says')
  })
}

async function balance(): Promise<number> {
  const words = ['--merchant', String(merchant.merchant_id), '--mode', 'test']
  const { available, ...others } = await installation.bandama('balance', ...words)
  assert.deepEqual(others, { transfer: 0, payouts_in_flight: 0, settlements_in_flight: 0 })
  return available as number
}

test('the merchant is owed the net amount of the successful payments, once', async () => {
  const { sql } = installation.db
  // The second proof of 0005 has come before we look.
  await waitFor(
    async () => {
      const [row] = await sql<{ callbacks: number }[]>`
        select count(*)::int as callbacks
          from operator_callbacks c
          join operator_references r using (connector, reference)
          join payments p on (p.merchant_id, p.livemode, p.id) = (r.merchant_id, r.livemode, r.subject_id)
         where p.merchant_reference = 'scenario 5'`
      return row!.callbacks === 2
    },
    { what: 'both proofs' },
  )
  const succeeded = scenarios.filter(({ status }) => status === 'succeeded').length
  assert.equal(await balance(), succeeded * (AMOUNT - FEE))
})

/** The anomalies, as staff read them. */
async function anomalies(): Promise<{ subject_id: string; kind: string; evidence: object }[]> {
  const words = ['--merchant', String(merchant.merchant_id), '--mode', 'test']
  const listed = await installation.bandama('anomaly', 'list', ...words)
  return listed.anomalies as { subject_id: string; kind: string; evidence: object }[]
}

async function idOf(rank: number): Promise<string> {
  const [row] = await installation.db.sql<{ id: string }[]>`
    select id from payments where merchant_id = ${merchant.merchant_id} and merchant_reference = ${`scenario ${rank}`}`
  return row!.id
}

test('proof of another amount is listed for a person with its evidence, and credits nothing', async () => {
  const id = await idOf(6)
  const found = await waitFor(async () => (await anomalies()).find(({ subject_id }) => subject_id === id), {
    what: 'the anomaly',
  })
  assert.equal(found.kind, 'amount_differs')
  assert.match(JSON.stringify(found.evidence), /10001/)
  checkPayment(await installation.read(merchant.key, id), 200, { status: 'pending' })
})

/** The simulator changes its mind about a payment, as an operator may, and calls back, signed as its callbacks are. */
async function proveLate(id: string, time: number): Promise<Answer> {
  const { sql } = installation.db
  const [row] = await sql<{ reference: string }[]>`select reference from instructions where subject_id = ${id}`
  const { reference } = row!
  // The end of the number is all the simulator goes by when it is asked: this one pays.
  await sql`update simulator_orders set msisdn_end = '1234' where reference = ${reference}`
  const text = JSON.stringify({ reference, time })
  const key = derivedKey(new Secret(installation.services[0]!.secret_key), 'simulator callbacks')
  const headers = { 'X-Simulator-Signature': createHmac('sha256', key).update(text).digest('hex') }
  return installation.ask({ path: '/operators/simulator/callbacks', text, headers })
}

test('a proof after the request lapsed is credited, once even if it comes twice', async () => {
  const id = await idOf(3)
  const before = await balance()
  for (const time of [7, 7, 8]) assert.equal((await proveLate(id, time)).status, 200)
  await untilStatus(id, 'succeeded')
  await untilEvents(id, ['payment.pending', 'payment.expired', 'payment.succeeded'])
  assert.equal(await balance(), before + AMOUNT - FEE)
})

test('a proof that comes after a refusal is listed for a person and moves nothing', async () => {
  const id = await idOf(2)
  const before = await balance()
  assert.equal((await proveLate(id, 7)).status, 200)
  const found = await waitFor(async () => (await anomalies()).find(({ subject_id }) => subject_id === id), {
    what: 'the anomaly',
  })
  assert.equal(found.kind, 'proof_after_refusal')
  checkPayment(await installation.read(merchant.key, id), 200, { status: 'failed' })
  assert.equal(await balance(), before)
})

test('no event came twice, and each payer was asked once', async () => {
  const ids = receiver.requests.map(readEvent).map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  const [row] = await installation.db.sql<{ sends: number; taken: number; references: number }[]>`
    select (select count(*)::int from sends) as sends,
           (select count(*)::int from simulator_orders) as taken,
           (select count(distinct reference)::int from simulator_orders) as references`
  const asked = scenarios.filter(({ simulate }) => simulate === undefined).length
  assert.deepEqual(row, { sends: asked, taken: asked, references: asked })
})

test('the books hold', async () => {
  const report = await installation.bandama('audit')
  assert.equal(report.ok, true, JSON.stringify(report))
  assert.equal(report.transactions, scenarios.filter(({ status }) => status === 'succeeded').length + 1)
})
