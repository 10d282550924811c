import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openAnomaly } from '../../src/anomalies/open-anomaly.ts'
import type { Connector } from '../../src/operators/port.ts'
import { createRegistry } from '../../src/operators/routing/registry.ts'
import { withSimulator } from '../../src/operators/simulator/with-simulator.ts'
import { createClock } from '../../src/platform/clock.ts'
import { actor } from '../harness/actor.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { livemode } from '../harness/mode.ts'
import { perform } from '../harness/perform.ts'
import { waitFor } from '../harness/wait-for.ts'
import { withoutTriggers } from '../harness/without-triggers.ts'
import { AMA, type AnomalyDesk, KOFI, openAnomalyDesk } from './anomaly-desk.ts'
import { checkPayment } from './answers.ts'
import { callAgain } from './change-of-mind.ts'
import { type Collector, newCollector } from './collector.ts'
import { refused } from './commands.ts'
import { openRefundDesk } from './refund-desk.ts'
import { inline, PATIENCE } from './sender.ts'

// An operator may hold an order and never settle it: we ask about it for ever, and nobody ends it alone.

const DAY_SECONDS = 86_400

let installation: Installation
let merchant: Collector
let desk: AnomalyDesk
before(async () => {
  installation = await openInstallation({ own: 'breaks rows' })
  merchant = await newCollector(installation)
  desk = openAnomalyDesk(installation, merchant)
})
after(() => installation[Symbol.asyncDispose]())

/** The desk's registry: an operator that is silent after a tenth of a second. */
const registry = createRegistry(
  withSimulator({ name: livemode ? 'pawapay' : 'simulator', silenceAfter: 100 } as Connector),
)

const open = (subject_id: string, opened_by = AMA, known = registry) => {
  const deps = { sql: installation.db.sql, clock: createClock(), registry: known }
  return perform(openAnomaly, deps, { id: subject_id, values: { reason: 'Silent' } }, actor(opened_by))
}

/** The operator of live mode does not know for so long what became of an order, and then moves the money. */
function doubtful(direction: 'collection' | 'payout' | 'refund', msisdn: string, after_seconds = DAY_SECONDS): void {
  installation.twin?.script({ outcome: 'doubt', direction, msisdn, after_seconds })
}

/** Waits until the operator was asked in vain about an order that it holds, over which it takes a day: in live mode as `doubtful` says. */
async function keepOpen(subject_id: string): Promise<void> {
  const { sql } = installation.db
  const reference = await desk.referenceOf(subject_id)
  const delayed = async () => {
    const { count } = await sql`
      update simulator_orders set taken_at = clock_now() + interval '1 day' where reference = ${reference}`
    return count > 0
  }
  if (!livemode) await waitFor(delayed, { ...PATIENCE, what: 'the order to come' })
  const answered = async () => {
    const rows = await sql`
      select from operator_answers
       where subject_id = ${subject_id} and source = 'inquiry' and outcome in ('pending', 'unknown') limit 1`
    return rows.length > 0
  }
  await waitFor(answered, { ...PATIENCE, what: 'the operator not to say what became of it' })
}

/** Lets more than a day pass since an order was sent: within its operator's time, nobody may fail a live one. */
async function ageSends(subject_id: string): Promise<void> {
  await installation.db.sql.begin(async (tx) => {
    await withoutTriggers(tx)
    await tx`update sends set sent_at = clock_now() - interval '25 hours' where subject_id = ${subject_id}`
    await tx`update instructions set sent_at = clock_now() - interval '25 hours' where subject_id = ${subject_id}`
  })
}

async function opened(subject_id: string): Promise<string> {
  const result = await waitFor(
    async () => {
      const one = await open(subject_id)
      return !(one.kind === 'refused' && one.code === 'too_early') && one
    },
    { ...PATIENCE, what: 'its time of silence' },
  )
  assert.ok(result.kind === 'done', JSON.stringify(result))
  return result.result.anomaly_id
}

test('a refund that its operator never settles is given up by two people, and the merchant is owed its money', async () => {
  const refunds = openRefundDesk(installation)
  const payment = await merchant.collect(1_000, { to: '0707070003', simulate: true })
  const before = (await merchant.balances()).available
  doubtful('refund', '0707070003')
  const { id } = await refunds.made(payment.id)
  await keepOpen(id)
  const anomaly = await opened(id)
  assert.deepEqual(await open(id), { kind: 'refused', code: 'opened_before' })
  await ageSends(id)
  await desk.settle(anomaly, { resolution: 'as_refused' })
  assert.equal((await refunds.until(id, 'failed')).failure_code, 'cancelled')
  assert.equal((await merchant.balances()).available, before)
  assert.deepEqual(await merchant.payment(payment.id), payment)
})

test('a refund that the payer has seen arrive is ended as given back', async () => {
  const refunds = openRefundDesk(installation)
  const payment = await merchant.collect(1_000, { to: '0707080003', simulate: true })
  doubtful('refund', '0707080003')
  const { id } = await refunds.made(payment.id)
  await keepOpen(id)
  await desk.settle(await opened(id), { resolution: 'as_proven' })
  await refunds.until(id, 'succeeded')
  assert.equal((await merchant.payment(payment.id)).status, 'refunded')
})

test('an indeterminate payout is ended by two people, and its money comes back with the fee', async () => {
  await merchant.deposit(5_000)
  const before = await merchant.balances()
  const beneficiary = inline('0003')
  doubtful('payout', beneficiary.msisdn)
  const sent = await merchant.send({ amount: 5_000, beneficiary })
  const { id } = sent.json() as { id: string }
  await keepOpen(id)
  await ageSends(id)
  await merchant.untilPayout(id, 'indeterminate')
  await desk.settle(await opened(id), { resolution: 'as_refused' })
  assert.equal((await merchant.untilPayout(id, 'failed')).failure_code, 'cancelled')
  assert.deepEqual(await merchant.balances(), before)
})

test('people end a payment in doubt from the command line, and a later proof opens an anomaly of its own', async () => {
  const { sql } = installation.db
  const counterparty = { msisdn: `${newPayer().slice(0, 6)}0004` }
  doubtful('collection', counterparty.msisdn, 3_600)
  const { id } = checkPayment(await installation.pay(merchant.merchant.key, { amount: 1_000, counterparty }), 201)
  await keepOpen(id)
  const bandama = (...words: string[]) => installation.bandama('anomaly', ...words)
  // The command believes the settings of its own machine: the simulator's minute is a second there.
  await ageSends(id)
  const { anomaly_id } = await bandama('open', '--subject', id, '--reason', 'A day without a word', '--as', AMA)
  const words = ['--id', String(anomaly_id)]
  await bandama('propose', ...words, '--resolution', 'as_refused', '--reason', 'Not on their statement', '--as', AMA)
  await bandama('approve', ...words, '--as', KOFI)
  assert.deepEqual((await merchant.payment(id)).failure_code, 'cancelled')
  // The operator finds it after all.
  const reference = await desk.referenceOf(id)
  if (installation.twin !== null) {
    // The service's clock stays unchanged, so the clock of the signatures must stay too.
    installation.twin.change('pawapay', { signature_clock: 'machine' })
    await installation.twin.advance(3_600)
    await callAgain(installation, reference)
  } else {
    await sql`update simulator_orders set taken_at = clock_now() - interval '1 hour' where reference = ${reference}`
    await desk.report(id)
  }
  const proof = await desk.until(id, 'proof_after_refusal')
  await desk.settle(proof.id, { resolution: 'credit_available', amount: 990 })
})

test('money given back by hand after the request lapsed is not credited by a later proof, which opens an anomaly', async () => {
  const { sql } = installation.db
  const counterparty = { msisdn: `${newPayer().slice(0, 6)}0003` }
  const { id } = checkPayment(await installation.pay(merchant.merchant.key, { amount: 1_000, counterparty }), 201)
  await merchant.untilPayment(id, 'expired')
  await desk.report(id, 1_001)
  const { id: anomaly } = await desk.until(id, 'amount_differs')
  await desk.settle(anomaly, { resolution: 'returned_by_hand', amount: 1_001 })
  const before = await merchant.balances()
  const reference = await desk.referenceOf(id)
  await sql`update simulator_orders set amount = 1000 where reference = ${reference}`
  await callAgain(installation, reference, 8)
  await desk.until(id, 'proof_after_refusal')
  assert.equal((await merchant.payment(id)).status, 'expired')
  assert.deepEqual(await merchant.balances(), before)
})

test('a proof after the request lapsed is credited, also when the callback came before the operator could tell', async () => {
  const { sql } = installation.db
  const counterparty = { msisdn: `${newPayer().slice(0, 6)}0003` }
  const { id } = checkPayment(await installation.pay(merchant.merchant.key, { amount: 1_000, counterparty }), 201)
  await merchant.untilPayment(id, 'expired')
  const reference = await desk.referenceOf(id)
  const [known] = await sql<{ asked: number }[]>`select asked from instructions where subject_id = ${id}`
  const turn = (end: string) => sql`update simulator_orders set msisdn_end = ${end} where reference = ${reference}`
  // Asked about now, it says that it is not over yet.
  await turn('0008')
  await callAgain(installation, reference, 9)
  const answered = async () => {
    const rows = await sql`
      select from operator_answers where subject_id = ${id} and outcome = 'pending' and number > ${known!.asked} limit 1`
    return rows.length > 0
  }
  await waitFor(answered, { ...PATIENCE, what: 'the operator to be asked' })
  // No further callback comes.
  await turn('1234')
  assert.equal((await merchant.untilPayment(id, 'succeeded')).failure_code, null)
})

test('an anomaly is opened only about an instruction in doubt', async () => {
  const payment = await merchant.collect(1_000)
  assert.deepEqual(await open(payment.id), { kind: 'refused', code: 'not_open' })
  assert.deepEqual(await open('txn_1'), { kind: 'refused', code: 'resource_not_found' })
  assert.deepEqual(await open(payment.id, 'key:1'), { kind: 'refused', code: 'not_a_person' })
  const counterparty = { msisdn: `${newPayer().slice(0, 6)}0006` }
  const { id } = checkPayment(await installation.pay(merchant.merchant.key, { amount: 1_000, counterparty }), 201)
  await desk.until(id, 'amount_differs')
  const early = await open(id, AMA, createRegistry(withSimulator({ silenceAfter: 900_000 } as Connector)))
  assert.deepEqual(early, { kind: 'refused', code: 'too_early' })
  await refused(
    installation.bandama('anomaly', 'open', '--subject', 'txn_1', '--reason', 'Why', '--as', AMA),
    /No order with this id was sent to an operator/,
  )
})

test('the books hold', async () => {
  const report = await installation.bandama('audit')
  assert.equal(report.ok, true, JSON.stringify(report))
})
