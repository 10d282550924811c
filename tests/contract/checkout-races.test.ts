import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { SessionFacts } from '../../src/checkout/page/facts.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import { listenFor } from './events.ts'
import {
  auditPasses,
  countPayments,
  newLink,
  newSession,
  open,
  openLink,
  payOn,
  proveLate,
  submit,
  typeCode,
  untilAttempt,
  untilStatus,
} from './payer.ts'
import { newSender, PATIENCE } from './sender.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [[], []], own: 'moves the clock' })
})
after(() => installation[Symbol.asyncDispose]())

/** So many submits of one form at once, through both processes. */
function submits(path: string, count: number, fields: (at: number) => Record<string, unknown>) {
  return Promise.all(
    Array.from({ length: count }, (_, at) => submit(installation, path, fields(at), { process: at % 2 })),
  )
}

/** Every payment that the merchant's payers were asked for. */
async function paymentsOf(merchant_id: number) {
  return installation.db.sql<{ id: string; status: string; amount: number }[]>`
    select id, status, amount from payments where merchant_id = ${merchant_id} order by id`
}

test('twenty concurrent submits of one form through two processes make one payment, and each answer shows it', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { key, merchant_id } = await installation.newMerchant()
    const { path } = await newSession(installation, key)
    const { nonce } = await open(installation, path)
    const msisdn = newPayer()
    const answers = await submits(path, 20, () => ({ nonce, msisdn }))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    const ids = answers.map((answer) => (answer.json() as SessionFacts).attempt?.payment_id)
    assert.equal(new Set(ids).size, 1)
    await untilStatus(installation, path, 'paid')
    assert.deepEqual(await countPayments(installation, merchant_id), { payments: 1, orders: 1 })
  }
})

test('two tabs that submit two numbers at once make one attempt, and the other tab reads that one is under way', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { key, merchant_id } = await installation.newMerchant()
    const { path } = await newSession(installation, key)
    const tabs = [await open(installation, path), await open(installation, path)]
    // The payer does not approve before the check.
    const answers = await submits(path, 2, (at) => ({ nonce: tabs[at]!.nonce, msisdn: `070${at}000008` }))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    assert.equal((await countPayments(installation, merchant_id)).payments, 1)
  }
})

test('a form sent again after its attempt failed starts no other attempt', async () => {
  const { key, merchant_id } = await installation.newMerchant()
  const { path } = await newSession(installation, key)
  const { nonce } = await open(installation, path)
  const form = { nonce, msisdn: '0700000002' }
  assert.equal((await submit(installation, path, form)).status, 200)
  await untilAttempt(installation, path, 'failed')
  const again = await submit(installation, path, form)
  assert.deepEqual([again.status, (again.json() as SessionFacts).attempt?.status], [200, 'failed'])
  assert.equal((await countPayments(installation, merchant_id)).payments, 1)
})

test('a link for one payment, opened by ten people who pay at once, is paid by one of them', async () => {
  const { merchant_id } = await installation.newMerchant()
  const link = await newLink(installation, merchant_id, '--amount', '700')
  const forms = await Promise.all(Array.from({ length: 10 }, () => openLink(installation, link.path)))
  const answers = await submits(link.path, 10, (at) => ({ nonce: forms[at]!.nonce, msisdn: newPayer() }))
  const won = answers.filter(({ status }) => status === 200)
  assert.equal(won.length, 1, answers.map(({ text }) => text.slice(0, 80)).join('\n'))
  for (const answer of answers) if (answer.status !== 200) assert.match(answer.text, /lien_indisponible/)
  await untilStatus(installation, (won[0]!.json() as SessionFacts).address, 'paid')
  assert.equal((await openLink(installation, link.path)).status, 'paid')
  assert.deepEqual(await countPayments(installation, merchant_id), { payments: 1, orders: 1 })
  await auditPasses(installation)
})

test('the form of a reusable link sent twenty times at once is one session and one payment', async () => {
  const { merchant_id } = await installation.newMerchant()
  const link = await newLink(installation, merchant_id, '--min', '100', '--max', '1000', '--reusable')
  const { nonce } = await openLink(installation, link.path)
  const form = { nonce, msisdn: newPayer(), amount: 300 }
  const answers = await submits(link.path, 20, () => form)
  const addresses = answers.map((answer) => (answer.json() as SessionFacts).address)
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(addresses).size, 1)
  await untilStatus(installation, addresses[0]!, 'paid')
  // Sent once more when all is over, it leads to the receipt.
  const late = await submit(installation, link.path, form)
  assert.equal((late.json() as SessionFacts).status, 'paid')
  assert.deepEqual(await countPayments(installation, merchant_id), { payments: 1, orders: 1 })
})

test('an attempt that lapsed and is proven later pays the session, also one that has expired or was closed', async () => {
  for (const end of ['open', 'expired', 'closed'] as const) {
    const sender = await newSender(installation, { funds: 0 })
    await using told = await listenFor(installation, sender)
    const { path, id } = await newSession(installation, sender.merchant.key)
    await payOn(installation, path, '0700000003')
    const { attempt } = await untilAttempt(installation, path, 'expired')
    if (end === 'closed') await installation.bandama('session', 'close', '--id', id)
    if (end === 'expired') {
      await overdue(id)
      await told.until(id, ['checkout_session.expired'])
    }
    await proveLate(installation, attempt!.payment_id)
    const paid = await untilStatus(installation, path, 'paid')
    assert.equal(paid.receipt?.payment_id, attempt!.payment_id)
    await told.until(id, [...(end === 'expired' ? ['checkout_session.expired'] : []), 'checkout_session.paid'])
    assert.equal((await sender.balances()).available, 10_000)
  }
  await auditPasses(installation)
})

test('a late proof after another attempt has paid is credited and kept for a person, with its evidence', async () => {
  const sender = await newSender(installation, { funds: 0 })
  await using told = await listenFor(installation, sender)
  const { merchant } = sender
  const { path, id } = await newSession(installation, merchant.key)
  await payOn(installation, path, '0700000003')
  const lapsed = (await untilAttempt(installation, path, 'expired')).attempt!.payment_id
  await payOn(installation, path, newPayer())
  const paid = await untilStatus(installation, path, 'paid')

  await proveLate(installation, lapsed)
  await waitFor(async () => (await sender.balances()).available === 20_000, { ...PATIENCE, what: 'the second credit' })
  checkPayment(await installation.read(merchant.key, lapsed), 200, { status: 'succeeded' })
  const after = await open(installation, path)
  assert.equal(after.receipt?.payment_id, paid.receipt?.payment_id, 'the receipt is that of the first success')
  await told.until(id, ['checkout_session.paid'])
  const [anomaly] = await installation.db.sql<{ kind: string; evidence: Record<string, unknown> }[]>`
    select kind, evidence from anomalies where subject_id = ${lapsed}`
  assert.equal(anomaly?.kind, 'second_success')
  const { checkout_session_id, already_paid_by, amount } = anomaly.evidence
  assert.deepEqual([checkout_session_id, already_paid_by, amount], [id, paid.receipt?.payment_id, 10_000])
  await auditPasses(installation)
})

test('a late proof while another attempt is under way pays the session; should that one succeed too, it is kept', async () => {
  const sender = await newSender(installation, { funds: 0 })
  const { path } = await newSession(installation, sender.merchant.key)
  await payOn(installation, path, '0700000003')
  const lapsed = (await untilAttempt(installation, path, 'expired')).attempt!.payment_id
  await payOn(installation, path, '0733000008')
  const second = await untilAttempt(installation, path, 'pending')
  await proveLate(installation, lapsed)
  assert.equal((await untilStatus(installation, path, 'paid')).receipt?.payment_id, lapsed)
  await proveLate(installation, second.attempt!.payment_id)
  await waitFor(async () => (await sender.balances()).available === 20_000, { ...PATIENCE, what: 'the second credit' })
  const statuses = (await paymentsOf(sender.merchant.merchant_id)).map(({ status }) => status)
  assert.deepEqual(statuses, ['succeeded', 'succeeded'])
  await auditPasses(installation)
})

test('a link for one payment that was closed and is then proven paid by two payers is paid once, and the second is kept', async () => {
  const sender = await newSender(installation, { funds: 0 })
  const { path, link_id } = await newLink(installation, sender.merchant.merchant_id, '--amount', '10000')
  const lapsed: string[] = []
  for (const msisdn of ['0700000003', '0733000003']) {
    const { address } = await payOn(installation, path, msisdn)
    lapsed.push((await untilAttempt(installation, address, 'expired')).attempt!.payment_id)
  }
  await installation.bandama('link', 'close', '--id', link_id)
  for (const [at, payment_id] of lapsed.entries()) {
    await proveLate(installation, payment_id)
    const credited = 10_000 * (at + 1)
    await waitFor(async () => (await sender.balances()).available === credited, { ...PATIENCE, what: 'the credit' })
  }
  assert.equal((await openLink(installation, path)).status, 'paid')
  const kept = await installation.db.sql<{ subject_id: string; kind: string; fact: string }[]>`
    select subject_id, kind, fact from anomalies where subject_id = any(${lapsed})`
  assert.deepEqual(kept, [{ subject_id: lapsed[1], kind: 'second_success', fact: `after ${link_id}` }])
  await auditPasses(installation)
})

/** Puts a session past its time, around the trigger that fixes it. */
async function overdue(id: string): Promise<void> {
  await installation.db.sql.begin(async (tx) => {
    await tx`alter table checkout_sessions disable trigger checkout_sessions_fixed`
    await tx`update checkout_sessions set expires_at = clock_now() - interval '1 second' where id = ${id}`
    await tx`alter table checkout_sessions enable trigger checkout_sessions_fixed`
  })
}

test('a session does not expire during an attempt; it expires after the attempt has failed', async () => {
  const sender = await newSender(installation, { funds: 0 })
  await using told = await listenFor(installation, sender)
  const { path, id } = await newSession(installation, sender.merchant.key)
  await payOn(installation, path, '0744000008')
  await untilAttempt(installation, path, 'pending')
  await overdue(id)
  // Another session expires meanwhile, so the sweep has been here.
  const idle = await newSession(installation, sender.merchant.key)
  await overdue(idle.id)
  await told.until(idle.id, ['checkout_session.expired'])
  const { status, attempt, nonce } = await open(installation, path)
  assert.deepEqual([status, attempt?.status], ['open', 'pending'])
  // The payer's code is taken, although the time is over.
  await typeCode(installation, path, '000000')
  await untilStatus(installation, path, 'expired')
  await told.until(id, ['checkout_session.expired'])
  const late = await submit(installation, path, { nonce, msisdn: newPayer() })
  assert.match(late.text, /session_expired/)

  const paying = await newSession(installation, sender.merchant.key)
  await payOn(installation, paying.path, '0755000008')
  await untilAttempt(installation, paying.path, 'pending')
  await overdue(paying.id)
  await typeCode(installation, paying.path, '123456')
  await untilStatus(installation, paying.path, 'paid')
  await auditPasses(installation)
})

test('a session expires by the database’s clock, and reads as expired before any sweep', async () => {
  const sender = await newSender(installation, { funds: 0 })
  await using told = await listenFor(installation, sender)
  const { path, id } = await newSession(installation, sender.merchant.key)
  await installation.db.moveClock('31 minutes')
  try {
    const facts = await open(installation, path)
    assert.deepEqual([facts.status, facts.payable], ['expired', false])
    await told.until(id, ['checkout_session.expired'])
  } finally {
    await installation.db.moveClock('0')
  }
})
