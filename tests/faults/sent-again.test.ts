import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkPayment } from '../contract/answers.ts'
import { type Collector, newCollector } from '../contract/collector.ts'
import { AMA, KOFI, openRefundDesk } from '../contract/refund-desk.ts'
import { inline, PATIENCE } from '../contract/sender.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { checkBooks } from '../harness/oracle.ts'
import { waitFor } from '../harness/wait-for.ts'

// A worker dies between its commit and its call, so the order never reaches the operator. The operator's answers that it does not hold the order
// allow another send.

let installation: Installation
let merchant: Collector
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']] })
  merchant = await newCollector(installation)
})
after(() => installation[Symbol.asyncDispose]())

/** Starts a worker that begins the waiting sends and dies. */
async function dieBeforeSending(): Promise<void> {
  const dying = await installation
    .start({ args: ['--only', 'worker'], env: { CRASH_POINTS: 'on', CRASH_AT: 'after_intent_commit' } })
    // The process finds the fatal work at its start, so it may die before it reports ready.
    .catch(() => null)
  if (dying === null) return
  const ending = await waitFor(() => Promise.race([dying.ended, null]), { ...PATIENCE, what: 'the worker to die' })
  assert.equal(ending.signal, 'SIGKILL')
}

/** The sends of an instruction, and the operator's answers. */
async function historyOf(subject_id: string) {
  const [row] = await installation.db.sql<{ sends: number; same: boolean; received: number; answers: string[] }[]>`
    select (select count(*)::int from sends where subject_id = i.subject_id) as sends,
           (select count(distinct (reference, payload_hash)) = 1 from sends where subject_id = i.subject_id) as same,
           coalesce((select sum(times_received)::int from simulator_orders where reference = i.reference), 0) as received,
           (select array_agg(outcome order by number) from operator_answers where subject_id = i.subject_id) as answers
      from instructions i
     where subject_id = ${subject_id}`
  return row!
}

async function sentAgainOnce(subject_id: string): Promise<void> {
  const { answers, ...history } = await historyOf(subject_id)
  assert.deepEqual(history, { sends: 2, same: true, received: 1 })
  const said = answers.join(' ')
  assert.match(said, /^(?:not_found ){3,}accepted (?:pending )*settled$/, 'asked first, and only then sent')
  const anomalies = await installation.db.sql`select from anomalies where subject_id = ${subject_id}`
  assert.equal(anomalies.length, 0, 'nobody was asked for help')
}

test('a payment that never reached its operator is sent again after inquiries, and succeeds', async () => {
  const counterparty = { msisdn: newPayer() }
  const { id } = checkPayment(await installation.pay(merchant.merchant.key, { amount: 1_000, counterparty }), 201)
  await dieBeforeSending()
  assert.equal((await merchant.payment(id)).status, 'pending')
  const worker = await installation.start({ args: ['--only', 'worker'] })
  await merchant.untilPayment(id, 'succeeded')
  await sentAgainOnce(id)
  await worker.stop()
})

test('an indeterminate payout that never reached its operator is sent again, and succeeds', async () => {
  await merchant.deposit(5_000)
  const { id } = (await merchant.send({ amount: 1_000, beneficiary: inline('0000') })).json() as { id: string }
  await dieBeforeSending()
  const worker = await installation.start({ args: ['--only', 'worker'] })
  await merchant.untilPayout(id, 'succeeded')
  await sentAgainOnce(id)
  const moves = await installation.db.sql<{ to_status: string }[]>`
    select to_status from payout_transitions_log where payout_id = ${id} order by number`
  assert.deepEqual(
    moves.map(({ to_status }) => to_status),
    ['processing', 'indeterminate', 'succeeded'],
  )
  await worker.stop()
})

test('a refund that never reached its operator is sent again, and succeeds', async () => {
  const refunds = openRefundDesk(installation)
  const payment = await whileWorking(() => merchant.collect(1_000, { simulate: true }))
  const { id } = await refunds.made(payment.id)
  await dieBeforeSending()
  await whileWorking(async () => {
    await refunds.until(id, 'succeeded')
    await sentAgainOnce(id)
  })
})

test('a stopped payout is sent again only after the stop is lifted', async () => {
  const { id } = (await merchant.send({ amount: 1_000, beneficiary: inline('0000') })).json() as { id: string }
  await dieBeforeSending()
  await installation.bandama('payouts', 'stop', '--all', '--as', AMA)
  await whileWorking(async () => {
    const asked = async () => ((await historyOf(id)).answers ?? []).length >= 6
    await waitFor(asked, { ...PATIENCE, what: 'the operator to be asked often enough' })
    assert.deepEqual({ ...(await historyOf(id)), answers: 0 }, { sends: 1, same: true, received: 0, answers: 0 })
    for (const person of [AMA, KOFI]) await installation.bandama('payouts', 'resume', '--all', '--as', person)
    await merchant.untilPayout(id, 'succeeded')
    assert.deepEqual({ ...(await historyOf(id)), answers: 0 }, { sends: 2, same: true, received: 1, answers: 0 })
  })
})

test('the books hold', () => checkBooks(installation.db.sql))

async function whileWorking<Result>(work: () => Promise<Result>): Promise<Result> {
  const worker = await installation.start({ args: ['--only', 'worker'] })
  const result = await work()
  await worker.stop()
  return result
}
