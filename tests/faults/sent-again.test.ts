import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkPayment } from '../contract/answers.ts'
import { type Collector, newCollector } from '../contract/collector.ts'
import { openRefundDesk, type RefundDesk } from '../contract/refund-desk.ts'
import { inline } from '../contract/sender.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { checkBooks } from '../harness/oracle.ts'
import { type NeverReached, openNeverReached } from './never-reached.ts'

// A payment, a payout and a refund never reach their operator. The operator's answers that it does not hold an order allow another send. Their
// three workers die one after the other, so that the jobs of all three are taken over after the same half minute.

let installation: Installation
let merchant: Collector
let refunds: RefundDesk
let lost: NeverReached
const ids = { payment: '', payout: '', refund: '' }
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']], own: 'reads whole tables' })
  merchant = await newCollector(installation)
  refunds = openRefundDesk(installation)
  lost = openNeverReached(installation)
  await merchant.deposit(5_000)
  const collected = await lost.whileWorking(() => merchant.collect(1_000, { simulate: true }))

  const counterparty = { msisdn: newPayer() }
  ids.payment = checkPayment(await installation.pay(merchant.merchant.key, { amount: 1_000, counterparty }), 201).id
  await lost.dieBeforeSending()
  assert.equal((await merchant.payment(ids.payment)).status, 'pending')
  ids.payout = ((await merchant.send({ amount: 1_000, beneficiary: inline('0000') })).json() as { id: string }).id
  await lost.dieBeforeSending()
  ids.refund = (await refunds.made(collected.id)).id
  await lost.dieBeforeSending()
  for (const id of Object.values(ids)) {
    assert.deepEqual(await lost.historyOf(id), { sends: 1, same: true, received: 0, answers: [] }, `${id} never left`)
  }
  await installation.start({ args: ['--only', 'worker'] })
})
after(() => installation[Symbol.asyncDispose]())

async function sentAgainOnce(subject_id: string): Promise<void> {
  const { answers, ...history } = await lost.historyOf(subject_id)
  assert.deepEqual(history, { sends: 2, same: true, received: 1 })
  const said = answers.join(' ')
  assert.match(said, /^(?:not_found ){3,}accepted (?:pending )*settled$/, 'asked first, and only then sent')
  const anomalies = await installation.db.sql`select from anomalies where subject_id = ${subject_id}`
  assert.equal(anomalies.length, 0, 'nobody was asked for help')
}

test('a payment that never reached its operator is sent again after inquiries, and succeeds', async () => {
  await merchant.untilPayment(ids.payment, 'succeeded')
  await sentAgainOnce(ids.payment)
})

test('an indeterminate payout that never reached its operator is sent again, and succeeds', async () => {
  await merchant.untilPayout(ids.payout, 'succeeded')
  await sentAgainOnce(ids.payout)
  const moves = await installation.db.sql<{ to_status: string }[]>`
    select to_status from payout_transitions_log where payout_id = ${ids.payout} order by number`
  assert.deepEqual(
    moves.map(({ to_status }) => to_status),
    ['processing', 'indeterminate', 'succeeded'],
  )
})

test('a refund that never reached its operator is sent again, and succeeds', async () => {
  await refunds.until(ids.refund, 'succeeded')
  await sentAgainOnce(ids.refund)
})

test('the books hold', () => checkBooks(installation.db.sql))
