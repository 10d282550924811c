import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setCaps } from '../../src/payouts/caps/set-caps.ts'
import { createClock } from '../../src/platform/clock.ts'
import { actor } from '../harness/actor.ts'
import { approveBatch, approveRequest } from '../harness/approvals.ts'
import { type Installation, newPayer, openInstallation, payment } from '../harness/installation.ts'
import type { Mode } from '../harness/merchant.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment, checkRefusal } from './answers.ts'
import { newSender, type Sender } from './sender.ts'
import { newSettler } from './settler.ts'

// A merchant in live mode that two people of the company have not checked yet: 200 000 francs a day, and settlements to the proven number alone.

const LIMIT = 200_000

let installation: Installation
before(async () => {
  // Nothing is sent, so each payment waits.
  installation = await openInstallation({
    processes: [
      ['--only', 'api'],
      ['--only', 'api'],
    ],
  })
})
after(() => installation[Symbol.asyncDispose]())

const setChecked = (merchant_id: number, is_checked: boolean) =>
  installation.db.sql`update merchants set is_checked = ${is_checked} where merchant_id = ${merchant_id}`

/** A merchant as the desk opens it, before its first call. */
async function newUnchecked() {
  const merchant = await installation.newMerchant()
  await setChecked(merchant.merchant_id, false)
  return merchant
}

async function newCollector(mode: Mode = 'live') {
  const merchant = await newUnchecked()
  const { key } = await merchant.newKey(mode, 'collect')
  const pay = (amount: number, process = 0) =>
    installation.ask(payment(key, { amount, counterparty: { msisdn: newPayer() } }), process)
  return { merchant, key, pay }
}

test('payments of one day at once in two processes stay within the limit, to the franc', async () => {
  const { pay } = await newCollector()
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => pay(9_000, n % 2)))
  const accepted = answers.filter(({ status }) => status === 201)
  assert.equal(accepted.length, Math.floor(LIMIT / 9_000))
  for (const answer of answers.filter(({ status }) => status !== 201)) checkRefusal(answer, 422, 'amount_above_limit')
  const left = LIMIT - accepted.length * 9_000
  assert.match((await pay(left + 1)).text, new RegExp(`${LIMIT} francs a day\\. ${left} francs are left today`))
  checkPayment(await pay(left), 201)
  checkRefusal(await pay(1, 1), 422, 'amount_above_limit')
})

test('a payment that failed gives its part of the day back', async () => {
  const { key, pay } = await newCollector()
  const { id } = checkPayment(await pay(LIMIT), 201)
  checkRefusal(await pay(1), 422, 'amount_above_limit')
  const cancelled = await installation.ask({ method: 'POST', path: `/x/payments/${id}/cancel`, key })
  assert.equal(cancelled.status, 200, cancelled.text)
  checkPayment(await pay(LIMIT), 201)
})

test('in test mode, and once it is checked, a merchant has its usual limits', async () => {
  const tried = await newCollector('test')
  checkPayment(await tried.pay(LIMIT + 1), 201)
  const { pay, merchant } = await newCollector()
  const answer = await pay(LIMIT + 1)
  checkRefusal(answer, 422, 'amount_above_limit')
  assert.match(answer.text, /an account that is not checked yet: 200000 francs a day/)
  await setChecked(merchant.merchant_id, true)
  // The settings in memory are a second old at most.
  await waitFor(async () => (await pay(LIMIT + 1)).status === 201, { what: 'the merchant to be known as checked' })
})

test('a page asks for no more than a day', async () => {
  const { key } = await newCollector()
  const ask = (amount: number) => installation.ask({ method: 'POST', path: '/v1-checkout', key, body: { amount } })
  checkRefusal(await ask(LIMIT + 1), 422, 'amount_above_limit')
  assert.equal((await ask(LIMIT)).status, 201)
})

const live = { operation: 500_000, day: 1_000_000 }

async function newUncheckedSender(): Promise<Sender> {
  const sender = await newSender(installation, { mode: 'live', of: await newUnchecked() })
  await setCaps(installation.db.sql, sender.tenant, live)
  return sender
}

const to = () => ({ msisdn: newPayer(), operator: 'orange_ci', name: 'Koffi' })
const deps = () => ({
  ...{ sql: installation.db.sql, clock: createClock() },
  payoutCaps: { payout_cap_operation: 0, payout_cap_day: 0, unchecked_day_max: LIMIT },
})

test('payouts above the day wait, and no approval sends them', async () => {
  const { send } = await newUncheckedSender()
  assert.equal((await send({ amount: 150_000, beneficiary: to() })).status, 201)
  const held = await send({ amount: 50_001, beneficiary: to() }, {}, 1)
  assert.equal(held.status, 202, held.text)
  const { id, reason, limit } = held.json() as { id: string; reason: string; limit: number }
  assert.deepEqual([reason, limit], ['plafond_24h', LIMIT])
  const approved = await approveRequest(deps(), id, actor('koffi@example.ci'))
  assert.deepEqual([approved.kind, 'code' in approved && approved.code], ['refused', 'unchecked'])
})

test('payouts at once in two processes stay within the day', async () => {
  const { send } = await newUncheckedSender()
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => send({ amount: 30_000, beneficiary: to() }, {}, n % 2)),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 6)
  assert.equal(answers.filter(({ status }) => status === 202).length, 6)
})

test('a batch above the day waits, and is approved only once the merchant is checked', async () => {
  const { prepare, tenant } = await newUncheckedSender()
  const lines = [120_000, 80_001].map((amount) => ({ amount, beneficiary: to() }))
  const batch = (await prepare({ lines })).json() as { id: string; status: string }
  assert.equal(batch.status, 'en_attente_validation')
  const approve = () => approveBatch(deps(), batch.id, actor('koffi@example.ci'))
  const refused = await approve()
  assert.deepEqual([refused.kind, 'code' in refused && refused.code], ['refused', 'unchecked'])
  await setChecked(tenant.merchant_id, true)
  assert.equal((await approve()).kind, 'decided')
})

test('settlements go only to the number that the owner proved', async () => {
  const { db } = installation
  const { request, destination, tenant } = await newSettler(installation, { mode: 'live', of: await newUnchecked() })
  const answer = await request(5_000)
  checkRefusal(answer, 422, 'destination_non_designee')
  assert.match(answer.text, /not checked yet/)
  await db.sql`
    insert into destination_proposals
      (merchant_id, livemode, beneficiary_id, status, proposed_by, decided_by, decided_at, owner, proof_session_id)
    values (${tenant.merchant_id}, true, ${destination}, 'confirmed', 'aya@example.ci', 'aya@example.ci', clock_now(), 'aya@example.ci',
            ${`cs_${randomUUID()}`})`
  // The balance is the next thing to decide on.
  checkRefusal(await request(5_000), 422, 'montant_non_eligible')
})
