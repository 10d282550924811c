import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import { refused } from './commands.ts'
import { listenFor, type Told } from './events.ts'
import { checkBatch, checkPayout, checkPayoutShape, type Payout } from './payout-answers.ts'
import { newSender, PATIENCE, payout, type Sender } from './sender.ts'

/** The simulator's second and minute, in milliseconds: long enough that a busy machine does not turn ten of them into fifteen. */
const DELAY = 160
const FUNDS = 1_000_000
const AMOUNT = 10_000
const FEE = 100
const TOTAL = AMOUNT + FEE

type Scenario = { end: string; why: string; status: string; failure_code: string | null; events: string[] }

const succeeds = { status: 'succeeded', failure_code: null, events: ['payout.processing', 'payout.succeeded'] }
const fails = { status: 'failed', events: ['payout.processing', 'payout.failed'] }
const scenarios: Scenario[] = [
  { end: '1234', why: 'arrives', ...succeeds },
  { end: '0001', why: 'is more than the wallet may hold', failure_code: 'recipient_limit_reached', ...fails },
  { end: '0002', why: 'finds no wallet', failure_code: 'recipient_not_found', ...fails },
  {
    end: '0003',
    why: 'is not confirmed for an hour, and then is',
    ...succeeds,
    events: ['payout.processing', 'payout.indeterminate', 'payout.succeeded'],
  },
  { end: '0004', why: 'is answered by nobody, and found to have arrived', ...succeeds },
  { end: '0005', why: 'arrives, and is proven twice', ...succeeds },
  { end: '0006', why: 'is answered by nobody, and found to have failed', failure_code: 'operator_refused', ...fails },
]

let installation: Installation
let sender: Sender
let told: Told
/** By the end of the number. */
const created = new Map<string, Payout>()
before(async () => {
  installation = await openInstallation({ env: { SIMULATOR_DELAY_MS: String(DELAY), BATCH_WAIT_SECONDS: '0' } })
  sender = await newSender(installation, { funds: FUNDS })
  told = await listenFor(installation, sender)
  await installation.db.sql`
    insert into fee_schedules (merchant_id, service, effective_from, fixed)
    values (${sender.tenant.merchant_id}, 'payout', clock_now(), ${FEE})`
  for (const { end } of scenarios) {
    const answer = await sender.send({ ...payout(AMOUNT, end), reference: end })
    created.set(end, checkPayout(answer, 201, { status: 'created', total_debited: TOTAL }))
  }
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await told[Symbol.asyncDispose]()
})

for (const { end, why, status, failure_code, events } of scenarios) {
  test(`a payout to …${end} ${why}: ${status}`, async () => {
    const payout = created.get(end)!
    const ended = await sender.untilPayout(payout.id, status)
    assert.deepEqual(ended, { ...payout, status, failure_code })
    const about = await told.until(payout.id, events)
    for (const { type, data } of about) {
      checkPayoutShape(data as Payout)
      assert.equal(`payout.${data.status}`, type)
      const { status: _, failure_code: __, ...fixed } = data as Payout
      assert.deepEqual({ ...fixed, status, failure_code }, { ...ended }, 'everything else is fixed at creation')
    }
    assert.deepEqual(about.at(-1)!.data, ended, 'the last event says what reading says')
  })
}

/** When a payout came to be so, in milliseconds after it was sent. */
async function movedAfter(id: string): Promise<Record<string, number>> {
  const moves = await installation.db.sql<{ to_status: string; after: number }[]>`
    select m.to_status, (extract(epoch from m.transitioned_at - i.sent_at) * 1000)::float8 as after
      from payout_transitions_log m
      join instructions i on (i.merchant_id, i.livemode, i.subject_id) = (m.merchant_id, m.livemode, m.payout_id)
     where m.payout_id = ${id}`
  return Object.fromEntries(moves.map(({ to_status, after }) => [to_status, after]))
}

test('a payout becomes indeterminate after fifteen minutes of silence and not before, and only a proof ends that', async () => {
  const { indeterminate, succeeded } = await movedAfter(created.get('0003')!.id)
  assert.ok(indeterminate! >= 15 * DELAY, `indeterminate after ${indeterminate} ms`)
  assert.ok(succeeded! >= 60 * DELAY, `succeeded after ${succeeded} ms`)
  for (const { end } of scenarios.filter((scenario) => scenario.end !== '0003')) {
    assert.equal((await movedAfter(created.get(end)!.id)).indeterminate, undefined, end)
  }
})

/** How often the simulator took an order for each reference, and how often we began to send it. */
async function takenOf({
  tenant: { merchant_id },
}: Sender): Promise<{ sends: number; taken: number; references: number }> {
  const [row] = await installation.db.sql<{ sends: number; taken: number; references: number }[]>`
    select (select count(*)::int
              from sends s
              join instructions i using (merchant_id, livemode, subject_id)
             where s.merchant_id = ${merchant_id} and i.direction = 'payout') as sends,
           count(*)::int as taken, count(distinct reference)::int as references
      from simulator_orders
     where merchant_id = ${merchant_id} and direction = 'payout'`
  return row!
}

test('every payout was sent once, and the money and fee of each failed one came back', async () => {
  // The second proof of 0005 has come before we look.
  const proofs = async () => {
    const [row] = await installation.db.sql<{ proofs: number }[]>`
      select count(*)::int as proofs
        from operator_callbacks c
        join operator_references r using (connector, reference)
       where r.subject_id = ${created.get('0005')!.id}`
    return row!.proofs === 2
  }
  await waitFor(proofs, { ...PATIENCE, what: 'both proofs' })
  const count = scenarios.length
  assert.deepEqual(await takenOf(sender), { sends: count, taken: count, references: count })
  const paid = scenarios.filter(({ status }) => status === 'succeeded').length
  const balances = { available: 0, transfer: FUNDS - paid * TOTAL, payouts_in_flight: 0, settlements_in_flight: 0 }
  assert.deepEqual(await installation.bandama('balance', ...sender.words), balances)
  const [fees] = await installation.db.sql`
    select balance from accounts where merchant_id = ${sender.tenant.merchant_id} and account = 'fees' and not livemode`
  assert.deepEqual(fees, { balance: paid * FEE })
  const ids = told.all().map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length, 'no event came twice')
})

/** Sends to an operator that stays silent, and waits until we say so; then it remembers something else. */
async function afterSilence(merchant: Sender, remember: (reference: string) => Promise<unknown>): Promise<Payout> {
  const { id } = checkPayout(await merchant.send(payout(AMOUNT, '0003')), 201)
  const silent = await merchant.untilPayout(id, 'indeterminate')
  assert.equal((await merchant.balances()).payouts_in_flight, AMOUNT, 'the money is held')
  const [row] = await installation.db.sql<{ reference: string }[]>`
    select reference from instructions where subject_id = ${id}`
  await remember(row!.reference)
  return silent
}

test('a refusal found after the silence returns the money', async () => {
  const merchant = await newSender(installation)
  const { sql } = installation.db
  const silent = await afterSilence(
    merchant,
    (reference) => sql`update simulator_orders set msisdn_end = '0002' where reference = ${reference}`,
  )
  const failed = await merchant.untilPayout(silent.id, 'failed')
  assert.deepEqual(failed, { ...silent, status: 'failed', failure_code: 'recipient_not_found' })
  assert.deepEqual(await merchant.balances(), { ...(await merchant.balances()), transfer: FUNDS, payouts_in_flight: 0 })
})

test('an order that its operator has denied often enough is sent again, and its money arrives once', async () => {
  const merchant = await newSender(installation)
  const { sql } = installation.db
  const { id } = await afterSilence(
    merchant,
    (reference) => sql`delete from simulator_orders where reference = ${reference}`,
  )
  const succeeded = async () => {
    // By its plan it would be asked every half a minute by now.
    await sql`update instructions set next_check_at = clock_now() where subject_id = ${id} and state = 'unknown'`
    return checkPayout(await merchant.read(id), 200).status === 'succeeded'
  }
  await waitFor(succeeded, { ...PATIENCE, what: 'the payout to be sent again and to succeed' })
  const said = await sql`select from operator_answers where subject_id = ${id} and outcome = 'not_found'`
  assert.ok(said.length >= 3, 'it was asked first')
  assert.deepEqual(await takenOf(merchant), { sends: 2, taken: 1, references: 1 })
  assert.deepEqual(await merchant.balances(), {
    ...(await merchant.balances()),
    transfer: FUNDS - AMOUNT,
    payouts_in_flight: 0,
  })
})

const stop = (...words: string[]) => installation.bandama('payouts', 'stop', ...words, '--as', 'aya@example.com')
/** As the two people that it takes. */
async function resume(...words: string[]) {
  const first = await installation.bandama('payouts', 'resume', ...words, '--as', 'aya@example.com')
  assert.equal(first.waiting, true)
  return installation.bandama('payouts', 'resume', ...words, '--as', 'issa@example.com')
}

/** The worker has looked at everything there is to send. */
async function untilLooked(): Promise<void> {
  const { sql } = installation.db
  const jobs = async () => (await sql`select from jobs where kind = 'send-instructions'`).length
  await waitFor(async () => (await jobs()) === 0, { ...PATIENCE, what: 'the worker to look at what is prepared' })
}

/** Sends a payout and proves that it waits: accepted, its money taken, and no order with the operator. */
async function sendStopped(merchant: Sender, operator = 'orange_ci'): Promise<Payout> {
  const { beneficiary, amount } = payout(AMOUNT)
  const waiting = checkPayout(await merchant.send({ amount, beneficiary: { ...beneficiary, operator } }), 201)
  await untilLooked()
  return checkPayout(await merchant.read(waiting.id), 200, { status: 'created' })
}

test('after a stop of all payouts, accepted ones wait and collections go on; after the resume the payouts are sent', async () => {
  const one = await newSender(installation)
  const other = await newSender(installation)
  const batch = checkBatch(await other.prepare({ lines: [payout(AMOUNT), payout(AMOUNT)] }), 201)
  assert.deepEqual(await stop('--all'), { stopped: { scope: 'all' } })
  assert.deepEqual(await stop('--all'), { stopped: { scope: 'all' } }, 'stopping twice is stopping once')
  const waiting = await sendStopped(one)
  const batched = checkBatch(await other.execute(batch.id), 200, { status: 'en_cours' })
  await untilLooked()
  for (const { payout_id } of batched.lines) checkPayout(await other.read(payout_id!), 200, { status: 'created' })
  const { key } = one.merchant
  const { id } = checkPayment(await installation.pay(key, { amount: 100, counterparty: { msisdn: '0700000000' } }), 201)
  const collected = async () => checkPayment(await installation.read(key, id), 200).status === 'succeeded'
  await waitFor(collected, { ...PATIENCE, what: 'the collection' })
  for (const merchant of [one, other]) assert.deepEqual(await takenOf(merchant), { sends: 0, taken: 0, references: 0 })
  assert.deepEqual((await one.balances()).payouts_in_flight, AMOUNT)

  assert.deepEqual((await resume('--all')).resumed, { scope: 'all' })
  await one.untilPayout(waiting.id, 'succeeded')
  await other.untilBatch(batch.id, 'termine')
  assert.deepEqual(await takenOf(other), { sends: 2, taken: 2, references: 2 })
})

test('a stop for one merchant or one operator leaves other payouts going on', async () => {
  const one = await newSender(installation)
  const other = await newSender(installation)
  const merchant = ['--merchant', String(one.tenant.merchant_id)]
  const { merchant_id } = one.tenant
  assert.deepEqual(await stop(...merchant), { stopped: { scope: 'merchant', merchant_id } })
  assert.deepEqual(await stop('--operator', 'mtn_ci'), { stopped: { scope: 'operator', operator: 'mtn_ci' } })
  const ofMerchant = await sendStopped(one)
  const ofOperator = await sendStopped(other, 'mtn_ci')
  const free = checkPayout(await other.send(payout(AMOUNT)), 201)
  await other.untilPayout(free.id, 'succeeded')
  // One that is stopped twice over goes when nothing stops it any more.
  const ofBoth = await sendStopped(one, 'mtn_ci')
  await resume(...merchant)
  await one.untilPayout(ofMerchant.id, 'succeeded')
  await untilLooked()
  for (const [of, { id }] of [
    [one, ofBoth],
    [other, ofOperator],
  ] as const)
    checkPayout(await of.read(id), 200, { status: 'created' })
  await resume('--operator', 'mtn_ci')
  await Promise.all([one.untilPayout(ofBoth.id, 'succeeded'), other.untilPayout(ofOperator.id, 'succeeded')])
})

test('a command with an unknown merchant or operator says so, and stops nothing', async () => {
  await Promise.all([
    refused(stop(), /Give one of --all, --operator and --merchant/, 2),
    refused(stop('--all', '--operator', 'mtn_ci'), /Give one of/, 2),
    refused(stop('--operator', 'nobody_ci'), /--operator must be one of orange_ci/, 2),
    refused(stop('--merchant', '999999'), /There is no merchant 999999/),
    refused(resume('--all'), /were not stopped/),
  ])
  assert.equal((await installation.db.sql`select from payout_stops where lifted_at is null`).length, 0)
})

test('the books hold', async () => {
  const report = await installation.bandama('audit')
  assert.equal(report.ok, true, JSON.stringify(report))
})
