import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { readAnomalies, readAnomaly } from '../../src/anomalies/find-anomalies.ts'
import { violatedConstraint } from '../../src/platform/postgres/failures.ts'
import { actor } from '../harness/actor.ts'
import { untilWaiting } from '../harness/hold.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import { AMA, type AnomalyDesk, KOFI, openAnomalyDesk } from './anomaly-desk.ts'
import { checkPayment } from './answers.ts'
import { callAgain, simulatorCalls } from './change-of-mind.ts'
import { type Collector, newCollector } from './collector.ts'
import { refused } from './commands.ts'
import { listenFor, type Told } from './events.ts'
import { inline, PATIENCE } from './sender.ts'

let installation: Installation
/** Its commission is 1 %. */
let merchant: Collector
let desk: AnomalyDesk
let told: Told
before(async () => {
  installation = await openInstallation({ own: 'audits all books' })
  merchant = await newCollector(installation)
  desk = openAnomalyDesk(installation, merchant)
  told = await listenFor(installation, merchant)
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await told[Symbol.asyncDispose]()
})

const bandama = (...words: string[]) => installation.bandama(...words)

const available = async (of = merchant) => (await of.balances()).available

/** The francs that entries of an operation moved in external accounts, for a subject. */
async function onOperator(subject_id: string, operation: string): Promise<number[]> {
  const rows = await installation.db.sql<{ amount: number }[]>`
    select amount from ledger_entries
     where subject_id = ${subject_id} and operation = ${operation} and account like 'held:%'
     order by leg`
  return rows.map(({ amount }) => amount)
}

test('proof of another amount is closed by two people from the command line, and the payment is credited as proven', async () => {
  const before = await available()
  const { id, anomaly } = await desk.amountMismatch()
  const words = [
    '--id',
    anomaly.id,
    '--resolution',
    'as_proven',
    '--reason',
    'The payer typed it, the statement shows it',
  ]
  await refused(bandama('anomaly', 'propose', ...words, '--as', AMA), /--amount is missing: the francs/)
  const proposed = await bandama('anomaly', 'propose', ...words, '--amount', '1001', '--as', AMA)
  assert.deepEqual([proposed.status, proposed.proposed_by, proposed.amount], ['proposed', AMA, 1_001])
  assert.equal((await merchant.payment(id)).status, 'pending', 'nothing is done yet')
  await refused(bandama('anomaly', 'approve', '--id', anomaly.id, '--as', AMA), /The proposer cannot decide/)
  const approved = await bandama('anomaly', 'approve', '--id', anomaly.id, '--as', KOFI)
  assert.deepEqual([approved.status, approved.decided_by], ['approved', KOFI])

  const payment = await merchant.payment(id)
  assert.equal(payment.status, 'succeeded')
  const events = await told.until(id, ['payment.pending', 'payment.succeeded'])
  assert.deepEqual(events.at(-1)!.data, payment)
  assert.equal(await available(), before + 990 + 1, 'what was asked for, less the commission, and the franc above it')
  assert.deepEqual(await onOperator(id, 'collection_confirmed'), [-1_000])
  assert.deepEqual(await onOperator(String(approved.adjustment_id), 'adjustment'), [-1])

  const shown = await bandama('anomaly', 'show', '--id', anomaly.id)
  assert.notEqual(shown.closed_at, null)
  assert.deepEqual(shown.about, { direction: 'collect', amount: 1_000, state: 'confirmed', failure_code: null })
  assert.equal((shown.proposals as object[]).length, 1)
  const listed = (await bandama('anomaly', 'list', ...merchant.words)).anomalies as { id: string }[]
  assert.equal(
    listed.find((one) => one.id === anomaly.id),
    undefined,
  )
})

test('a fact that the operator repeats opens no second anomaly, also after the first was closed', async () => {
  const { id, anomaly } = await desk.amountMismatch()
  await desk.settle(anomaly.id, { resolution: 'nothing' })
  const reference = await desk.referenceOf(id)
  const asked = async () =>
    (await installation.db.sql<{ asked: number }[]>`select asked from instructions where subject_id = ${id}`)[0]!.asked
  const before = await asked()
  for (const time of [11, 12, 13]) await callAgain(installation, reference, time)
  await waitFor(async () => (await asked()) > before, { ...PATIENCE, what: 'the operator to be asked again' })
  assert.equal(
    (await desk.open()).find((one) => one.subject_id === id),
    undefined,
  )
  assert.equal((await merchant.payment(id)).status, 'pending', 'and it is still asked about')
})

test('a payment collected in part is credited as proven, and the merchant is not owed the difference', async () => {
  const { id, anomaly } = await desk.amountMismatch()
  await desk.report(id, 400)
  const less = await waitFor(
    async () => (await desk.open()).find((one) => one.subject_id === id && one.fact === '400 XOF'),
    { ...PATIENCE, what: 'the other amount' },
  )
  assert.notEqual(less.id, anomaly.id, 'another fact is another line')
  await desk.settle(anomaly.id, { resolution: 'nothing' })
  const before = await available()
  await desk.settle(less.id, { resolution: 'as_proven', amount: 400 })
  assert.equal((await merchant.payment(id)).status, 'succeeded')
  assert.equal(await available(), before + 990 - 600)
  // The payment says 1 000, and 400 came: a refund of it would give back what never was.
  await refused(bandama('refund', 'create', '--payment', id, '--as', AMA), /another amount than that of this payment/)
})

test('a proof after a refusal is credited as an adjustment, because a failed payment stays failed', async () => {
  const { sql } = installation.db
  const created = checkPayment(
    await installation.pay(merchant.merchant.key, { amount: 1_000, counterparty: { msisdn: '0708880002' } }),
    201,
  )
  await merchant.untilPayment(created.id, 'failed')
  await desk.report(created.id)
  const anomaly = await desk.until(created.id, 'proof_after_refusal')
  assert.equal(anomaly.fact, '1000 XOF')
  const before = await available()
  assert.deepEqual(await desk.propose(anomaly.id, { resolution: 'as_proven' }), {
    kind: 'refused',
    code: 'does_not_fit',
  })
  const proposal = await desk.settle(anomaly.id, { resolution: 'credit_available', amount: 990 })
  assert.equal(await available(), before + 990)
  assert.equal((await merchant.payment(created.id)).status, 'failed')
  assert.deepEqual(await onOperator(proposal.adjustment_id!, 'adjustment'), [-990])
  const [kept] = await sql<{ reason: string; proposed_by: string; decided_by: string }[]>`
    select reason, proposed_by, decided_by from adjustments where id = ${proposal.adjustment_id}`
  assert.deepEqual(kept, { reason: 'As the operator wrote', proposed_by: AMA, decided_by: KOFI })
})

test('money given back by hand ends the payment as cancelled, and the books show that it came and went', async () => {
  const before = await available()
  const { id, anomaly } = await desk.amountMismatch()
  await desk.settle(anomaly.id, { resolution: 'returned_by_hand', amount: 1_001 })
  const payment = await merchant.payment(id)
  assert.deepEqual([payment.status, payment.failure_code], ['failed', 'cancelled'])
  await told.until(id, ['payment.pending', 'payment.failed'])
  assert.deepEqual(await onOperator(anomaly.id, 'returned_by_hand'), [-1_001, 1_001])
  assert.equal(await available(), before)
})

/** A payout of 5 000 francs of which the operator says that it paid 5 100. */
async function payoutMisfit() {
  const { db, twin } = installation
  await merchant.deposit(5_000)
  await merchant.collect(1_000)
  const beneficiary = inline('0003')
  twin?.fault({ fault: 'states_amount', claimed_amount: 5_100, msisdn: beneficiary.msisdn })
  const sent = await merchant.send({ amount: 5_000, beneficiary })
  const { id } = sent.json() as { id: string }
  if (twin === null) {
    const reference = await desk.referenceOf(id)
    // It would not be confirmed for an hour.
    const confirmed = () =>
      db.sql`update simulator_orders set amount = 5100, msisdn_end = '1234' where reference = ${reference}`
    await waitFor(async () => (await confirmed()).count === 1, { ...PATIENCE, what: 'the simulator to have it' })
  }
  return { id, anomaly: await desk.until(id, 'amount_differs') }
}

test('a payout paid with another amount ends as proven, with the difference adjusted', async () => {
  const { id, anomaly } = await payoutMisfit()
  const before = await merchant.balances()
  await desk.settle(anomaly.id, { resolution: 'as_proven', amount: 5_100 })
  assert.equal((await merchant.untilPayout(id, 'succeeded')).status, 'succeeded')
  assert.deepEqual(await merchant.balances(), { ...before, available: before.available - 100, payouts_in_flight: 0 })
})

test('closing an anomaly locks the accounts in the same order as everything else', async () => {
  const { sql } = installation.db
  const { id, anomaly } = await payoutMisfit()
  await desk.propose(anomaly.id, { resolution: 'as_proven', amount: 5_100 })
  const { deciding } = await sql.begin(async (tx) => {
    const lock = (account: string) => tx`
      select from accounts
       where merchant_id = ${merchant.tenant.merchant_id} and livemode = ${livemode} and account = ${account}
         for no key update`
    await lock('available')
    const deciding = desk.decide(anomaly.id, true)
    await untilWaiting(sql)
    // Held by whoever waits for us, it would be a circle.
    await lock('transfer')
    return { deciding }
  })
  assert.equal((await deciding).kind, 'approved')
  await merchant.untilPayout(id, 'succeeded')
})

test('a report with an unknown reference waits once, and people can credit it to the right merchant', async () => {
  const { sql } = installation.db
  const reference = randomUUID()
  const unmatchedCallbacks = async () =>
    (await readAnomalies(sql, null)).filter(({ subject_id }) => subject_id === `simulator:${reference}`)
  assert.equal((await simulatorCalls(installation, reference, 1, false)).status, 401, 'a forged one')
  assert.deepEqual(await unmatchedCallbacks(), [])
  for (const time of [1, 1, 2, 3]) assert.equal((await simulatorCalls(installation, reference, time)).status, 200)
  const [unmatched, ...more] = await unmatchedCallbacks()
  assert.deepEqual(
    [unmatched!.kind, unmatched!.merchant_id, unmatched!.livemode, more.length],
    ['unknown_reference', 0, false, 0],
  )
  assert.deepEqual(unmatched!.evidence, { reference, time: 1 })
  const listed = (await bandama('anomaly', 'list')).anomalies as { id: string; merchant_id: number | null }[]
  assert.deepEqual(
    listed.filter(({ id }) => id === unmatched!.id).map(({ merchant_id }) => merchant_id),
    [null],
  )
  const credit = { resolution: 'credit_available', amount: 700 } as const
  assert.deepEqual(await desk.propose(unmatched!.id, credit), { kind: 'refused', code: 'merchant_needed' })
  const nobody = await desk.propose(unmatched!.id, { ...credit, of_merchant_id: 999_999 })
  assert.deepEqual(nobody, { kind: 'refused', code: 'unknown_merchant' })
  const before = await available()
  await desk.settle(unmatched!.id, { ...credit, of_merchant_id: merchant.tenant.merchant_id })
  assert.equal(await available(), before + 700)
  assert.equal((await simulatorCalls(installation, reference, 4)).status, 200)
  assert.deepEqual(await unmatchedCallbacks(), [], 'and stays closed')
})

test('a proposal that is refused leaves the anomaly open for another', async () => {
  const { anomaly } = await desk.amountMismatch()
  const first = await desk.propose(anomaly.id, { resolution: 'nothing' })
  assert.ok(first.kind === 'proposed')
  assert.deepEqual(await desk.propose(anomaly.id, { resolution: 'nothing' }), {
    kind: 'refused',
    code: 'already_proposed',
  })
  const refusal = await bandama('anomaly', 'refuse', '--id', anomaly.id, '--as', KOFI)
  assert.equal(refusal.status, 'refused')
  assert.deepEqual(await desk.decide(anomaly.id, true), { kind: 'refused', code: 'not_proposed' })
  await desk.settle(anomaly.id, { resolution: 'returned_by_hand', amount: 1_001 })
  const file = await readAnomaly(installation.db.sql, anomaly.id)
  assert.deepEqual(
    file!.proposals.map(({ status }) => status),
    ['refused', 'approved'],
  )
  assert.deepEqual(await desk.propose(anomaly.id, {}), { kind: 'refused', code: 'already_closed' })
})

test('neither one person alone nor an API key can close an anomaly', async () => {
  const { anomaly } = await desk.amountMismatch()
  const key = `key:${merchant.key_id}`
  assert.deepEqual(await desk.propose(anomaly.id, { proposed_by: actor(key) }), {
    kind: 'refused',
    code: 'not_a_person',
  })
  assert.deepEqual(await desk.decide('ano_1', true), { kind: 'refused', code: 'resource_not_found' })
  assert.deepEqual(await desk.decide(anomaly.id, true), { kind: 'refused', code: 'not_proposed' })
  await desk.propose(anomaly.id, { resolution: 'as_proven', amount: 1_001 })
  for (const who of [AMA, key]) {
    assert.deepEqual(await desk.decide(anomaly.id, true, who), { kind: 'refused', code: 'same_person' })
  }
  // Nor does the database let it, with our code out of the way.
  await assert.rejects(
    installation.db
      .sql`update anomaly_proposals set status = 'approved', decided_by = proposed_by, decided_at = clock_now()
                         where anomaly_id = ${anomaly.id}`,
    (error) => violatedConstraint(error)?.startsWith('anomaly_proposals') === true,
  )
  assert.equal((await desk.decide(anomaly.id, true)).kind, 'approved')
})

test('of concurrent decisions one counts, and it is carried out once', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { id, anomaly } = await desk.amountMismatch()
    const before = await available()
    await desk.propose(anomaly.id, { resolution: 'as_proven', amount: 1_001 })
    const results = await Promise.all([
      desk.decide(anomaly.id, true),
      desk.decide(anomaly.id, false),
      desk.decide(anomaly.id, true, 'yao@example.com'),
    ])
    const won = results.filter(({ kind }) => kind !== 'refused')
    assert.equal(won.length, 1, JSON.stringify(results))
    const done = won[0]!.kind === 'approved'
    assert.equal((await merchant.payment(id)).status, done ? 'succeeded' : 'pending')
    assert.equal(await available(), before + (done ? 991 : 0))
  }
})

test('an approval changes nothing if the operator has already ended the payment', async () => {
  const { id, anomaly } = await desk.amountMismatch()
  await desk.propose(anomaly.id, { resolution: 'as_proven', amount: 1_001 })
  const before = await available()
  await desk.report(id)
  await merchant.untilPayment(id, 'succeeded')
  assert.deepEqual(await desk.decide(anomaly.id, true), { kind: 'refused', code: 'does_not_fit' })
  assert.equal(await available(), before + 990)
})

test('an approval is rolled back whole if the payment ends at the same moment', async () => {
  const { sql } = installation.db
  const { id, anomaly } = await desk.amountMismatch()
  await desk.propose(anomaly.id, { resolution: 'as_proven', amount: 1_001 })
  const before = await available()
  const approval = await sql.begin(async (tx) => {
    await tx`update instructions set state = 'confirmed' where subject_id = ${id}`
    const deciding = desk.decide(anomaly.id, true)
    // It has looked, and now waits for the instruction that we hold.
    await untilWaiting(sql)
    return { deciding }
  })
  assert.deepEqual(await approval.deciding, { kind: 'refused', code: 'does_not_fit' })
  assert.equal(await available(), before)
  await sql`update instructions set state = 'sent' where subject_id = ${id}`
  assert.equal((await desk.decide(anomaly.id, true)).kind, 'approved', 'the proposal still stood')
  assert.equal(await available(), before + 991)
})

test('a debit that the available balance does not cover waits until it does', async () => {
  const poor = await newCollector(installation)
  const payment = await poor.collect(1_000)
  const { sql } = installation.db
  const [row] = await sql<{ id: string }[]>`
    insert into anomalies (merchant_id, livemode, subject_id, kind, fact, id, operator, evidence)
    values (${poor.tenant.merchant_id}, ${livemode}, ${payment.id}, 'refusal_after_proof', 'operator_refused', 'ano_poor',
            ${payment.operator}, '{}')
    returning id`
  await desk.propose(row!.id, { resolution: 'debit_available', amount: 1_000 })
  assert.deepEqual(await desk.decide(row!.id, true), { kind: 'refused', code: 'insufficient_funds' })
  assert.equal(await available(poor), 990)
  await poor.collect(100)
  assert.equal((await desk.decide(row!.id, true)).kind, 'approved')
  assert.equal(await available(poor), 990 + 99 - 1_000)
})

test('the books hold', async () => {
  const report = await bandama('audit')
  assert.equal(report.ok, true, JSON.stringify(report))
})
