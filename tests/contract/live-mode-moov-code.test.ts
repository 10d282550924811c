import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { SessionFacts } from '../../src/checkout/page/facts.ts'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { connectTwin } from '../harness/live-twin.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import { newSession, open, payOn, submit, untilAsked, untilAttempt, untilStatus } from './payer.ts'

// Live mode over a contract with Moov whose payers are sent a code, which they type on the hosted page.

let twin: RunningTwin
let installation: Installation
let key: string

before(async () => {
  twin = await startTwin()
  twin.change('moov', { collection: 'code' })
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  installation = await openInstallation({ env: { PORT: String(port), PUBLIC_URL: origin }, processes: [] })
  const { secret_key } = installation
  const operators = [{ api: 'moov', operator: 'moov_ci', prefix: '01' }] as const
  await connectTwin(installation.db.sql, twin, { secret_key, origin, operators })
  installation.services.push(await installation.start())
  const { newKey } = await installation.newMerchant()
  key = (await newKey('live', 'collect')).key
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
})

/** A session whose payer was sent a code. */
async function asked(): Promise<{ path: string; facts: SessionFacts; digits: string }> {
  const msisdn = newPayer().replace(/^07/, '01').replace(/0000$/, '7777')
  const { path } = await newSession(installation, key)
  await payOn(installation, path, msisdn, { operator: 'moov_ci' })
  const facts = await untilAsked(installation, path)
  assert.equal(facts.attempt!.next_action!.type, 'enter_code')
  return { path, facts, digits: twin.phone(msisdn).now().code!.digits }
}

test('a payer types the code of the SMS on the page, twice in one moment, and pays once', async () => {
  const { path, facts, digits } = await asked()
  const before = twin.journal().length
  const give = () => submit(installation, `${path}/code`, { nonce: facts.nonce, code: digits })
  for (const { status } of await Promise.all([give(), give()])) assert.equal(status, 200)
  await untilStatus(installation, path, 'paid')
  assert.equal(twin.journal().length, before + 1)
})

test('a wrong code ends the attempt, and the payer starts another', async () => {
  const { path, facts } = await asked()
  await submit(installation, `${path}/code`, { nonce: facts.nonce, code: '0000' })
  const failed = await untilAttempt(installation, path, 'failed')
  assert.deepEqual([failed.payable, failed.attempt!.failure_code], [true, 'operator_refused'])
})

test('a merchant with a page of its own gives the code by the API', async () => {
  const msisdn = newPayer().replace(/^07/, '01').replace(/0000$/, '7777')
  const body = { amount: 100, operator: 'moov_ci', counterparty: { msisdn } }
  const { id } = checkPayment(await installation.pay(key, body), 201)
  const read = async () => checkPayment(await installation.read(key, id), 200)
  const patience = { what: 'the payer to be asked and to have paid' }
  await waitFor(async () => (await read()).next_action?.type === 'enter_code', patience)
  const code = twin.phone(msisdn).now().code!.digits
  checkPayment(await installation.ask({ path: `/x/payments/${id}/code`, key, body: { code } }), 200)
  await waitFor(async () => (await read()).status === 'succeeded', patience)
})

test('a code that nobody types is taken for ten minutes; then the attempt lapses, and a late code pays nothing', async () => {
  const { path, facts, digits } = await asked()
  const before = twin.journal().length
  await installation.db.moveClock('9 minutes')
  const waits = await open(installation, path)
  assert.equal(waits.attempt!.next_action!.type, 'enter_code')
  await installation.db.moveClock('16 minutes')
  const lapsed = await untilAttempt(installation, path, 'expired')
  assert.equal(lapsed.payable, true)
  const late = await submit(installation, `${path}/code`, { nonce: facts.nonce, code: digits })
  assert.equal(late.status, 400, late.text)
  assert.equal(twin.journal().length, before)
  const report = await installation.bandama('audit')
  assert.equal(report.ok, true)
})

test('an order for a code whose answer was lost is recorded as one before it leaves, and ends by itself', async () => {
  const { sql } = installation.db
  const msisdn = newPayer().replace(/^07/, '01').replace(/0000$/, '7777')
  const before = twin.journal().length
  twin.fault({ fault: 'lose_answer', api: 'moov', on: 'other', times: 1 })
  const body = { amount: 300, operator: 'moov_ci', counterparty: { msisdn } }
  const { id } = checkPayment(await installation.pay(key, body), 201)
  const kept = async () =>
    (await sql`select state, operator_state from instructions where subject_id = ${id} and state = 'unknown'`)[0]
  assert.deepEqual(await waitFor(kept, { what: 'the answer to be lost' }), {
    state: 'unknown',
    operator_state: { by: 'code' },
  })
  // By the machine's time, which its connector takes, and which no test moves.
  await sql`update instructions set sent_at = now() - interval '121 seconds' where subject_id = ${id}`
  const read = async () => checkPayment(await installation.read(key, id), 200)
  await waitFor(async () => (await read()).status === 'failed', { what: 'the payment to fail' })
  assert.equal((await read()).failure_code, 'operator_unavailable')
  assert.equal(twin.journal().length, before)
})
