import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { SessionFacts } from '../../src/checkout/page/facts.ts'
import { setFees } from '../harness/fees.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { checkRefusal } from './answers.ts'
import {
  addLink,
  auditPasses,
  countPayments,
  newSession,
  open,
  openLink,
  payOn,
  proveLate,
  submit,
  typeCode,
  until,
  untilAsked,
  untilAttempt,
  untilStatus,
} from './payer.ts'

// A page that cannot be sure says neither that nothing was taken nor that there is nothing to pay. And the payer pays the price
// that the page showed before.

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'moves the clock' })
})
after(() => installation[Symbol.asyncDispose]())

const html = async (path: string) =>
  (await installation.ask({ path: `${path}?lang=en`, headers: { Accept: 'text/html' } })).text

/** A session whose only attempt was declined, and of which the operator has said since that it was paid. */
async function contradicted() {
  const { key, merchant_id } = await installation.newMerchant()
  const { path, id } = await newSession(installation, key)
  await payOn(installation, path, '0700000002')
  const failed = await untilAttempt(installation, path, 'failed')
  assert.match(await html(path), /Nothing was taken from you/)
  await proveLate(installation, failed.attempt!.payment_id)
  const doubted = await until(installation, path, 'the doubt', ({ attempt }) => attempt?.in_doubt === true)
  return { path, id, merchant_id, failed, doubted }
}

test('a failure that its operator contradicts is a doubt: nobody is told that nothing was taken, nor asked to pay again', async () => {
  const { path, id, merchant_id, failed, doubted } = await contradicted()
  assert.deepEqual([doubted.status, doubted.payable, doubted.attempt?.status], ['open', false, 'failed'])
  const unsure = await html(path)
  assert.match(unsure, /data-situation="unsure"/)
  assert.match(unsure, /Do not pay a second time/)
  assert.doesNotMatch(unsure, /Nothing was taken|<form/)
  // The earlier form, still open in another tab, sends no payment request either.
  const stale = await submit(installation, path, { nonce: failed.nonce, msisdn: newPayer() })
  checkRefusal(stale, 409, 'idempotency_in_progress')
  assert.equal((await countPayments(installation, merchant_id)).payments, 1)
  // Nor is it forgotten when the session is closed.
  await installation.bandama('session', 'close', '--id', id)
  assert.match(await html(path), /data-situation="unsure"/)
  await auditPasses(installation)
})

test('a payer who looks for a code or opens an app has fifteen minutes before the page mentions a doubt', async () => {
  const { key, merchant_id } = await installation.newMerchant()
  const paths: string[] = []
  for (const msisdn of ['0700000008', '0700000009']) {
    const { path } = await newSession(installation, key)
    await payOn(installation, path, msisdn)
    await untilAsked(installation, path)
    paths.push(path)
  }
  // The operator gives them longer than that.
  await installation.db.sql`
    update simulator_orders set taken_at = clock_now() + interval '1 hour' where merchant_id = ${merchant_id}`
  const situations = async () =>
    Promise.all(paths.map(async (path) => /data-situation="(\w+)"/.exec(await html(path))?.[1]))
  try {
    // A code is taken for ten minutes.
    await installation.db.moveClock('9 minutes')
    assert.deepEqual(await situations(), ['enter_code', 'redirect'])
    // Once the code is typed, the time counts from it.
    await typeCode(installation, paths[0]!, '123456')
    assert.notEqual((await situations())[0], 'unsure')
    await installation.db.moveClock('14 minutes')
    assert.equal((await situations())[1], 'redirect')
    await installation.db.moveClock('16 minutes')
    assert.equal((await situations())[1], 'unsure')
  } finally {
    await installation.db.moveClock('0')
  }
})

test('a payer pays the amount that the page showed; after a change of the fee the page is shown again first', async () => {
  const { key, merchant_id } = await installation.newMerchant()
  const { path } = await newSession(installation, key)
  const link = await addLink(installation, merchant_id, { kind: 'free', min_amount: 500, max_amount: 20_000 })
  const formOn = async (address: string, more: Record<string, string>) => {
    const fields = [...(await html(address)).matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
    const hidden = Object.fromEntries(fields.map(([, name, value]) => [name!, value!]))
    return new URLSearchParams({ ...hidden, msisdn: newPayer(), ...more }).toString()
  }
  const forms = [
    [path, await formOn(path, {})],
    [link.path, await formOn(link.path, { amount: '10 000' })],
  ] as const
  const fees = { merchant_id, service: 'collection', basis_points: 100, fixed: 0, minimum: 0, maximum: null } as const
  await setFees(installation.db.sql, { ...fees, bearer: 'payer', effective_from: null })
  await until(installation, path, 'the fee', ({ fee_amount }) => fee_amount === 100)

  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' }
  for (const [address, text] of forms) {
    const answer = await installation.ask({ path: address, text, headers })
    assert.equal(answer.status, 400)
    assert.match(answer.text, /role="alert"[\s\S]*Payer 10\u202f100/)
    assert.equal((await countPayments(installation, merchant_id)).payments, 0)
  }
  const again = await installation.ask({ path, text: await formOn(path, {}), headers })
  assert.equal(again.status, 303, again.text)
  assert.equal((await untilStatus(installation, path, 'paid')).receipt?.amount_collected, 10_100)
})

/** Two people close what does not fit. */
async function close(payment_id: string, ...resolution: string[]): Promise<void> {
  const [row] = await installation.db.sql<{ id: string }[]>`select id from anomalies where subject_id = ${payment_id}`
  const propose = ['--id', row!.id, ...resolution, '--reason', 'Seen in its portal', '--as', 'awa@example.com']
  await installation.bandama('anomaly', 'propose', ...propose)
  await installation.bandama('anomaly', 'approve', '--id', row!.id, '--as', 'koffi@example.com')
}

test('a session can be paid again after its money was given back by hand, but not after the merchant was credited', async () => {
  for (const [payable, ...resolution] of [
    [true, '--resolution', 'returned_by_hand', '--amount', '10000'],
    [false, '--resolution', 'credit_available', '--amount', '10000'],
  ] as const) {
    const { path, failed } = await contradicted()
    await close(failed.attempt!.payment_id, ...resolution)
    const facts = await open(installation, path)
    assert.deepEqual([facts.payable, facts.attempt?.in_doubt], [payable, !payable], resolution[1])
  }
})

test('while one payer pays a single-use link, no other payer reads that theirs was paid or cancelled', async () => {
  const { merchant_id } = await installation.newMerchant()
  const { path } = await addLink(installation, merchant_id, { kind: 'fixed', amount: 900 }, false)
  const { nonce } = await openLink(installation, path)
  const waiting = (await submit(installation, path, { nonce })).json() as SessionFacts
  const paying = await payOn(installation, path, `${newPayer().slice(0, 6)}0008`)
  await untilAttempt(installation, paying.address, 'pending')
  const busy = await open(installation, waiting.address)
  assert.deepEqual([busy.status, busy.payable], ['busy', false])
  const page = await html(waiting.address)
  assert.match(page, /data-situation="busy"/)
  assert.doesNotMatch(page, /paid or cancelled/)
  const refused = await submit(installation, waiting.address, { nonce: busy.nonce, msisdn: newPayer() })
  checkRefusal(refused, 409, 'lien_indisponible')
  await typeCode(installation, paying.address, '000000')
  await untilAttempt(installation, paying.address, 'failed')
  assert.equal((await open(installation, waiting.address)).status, 'open')
  await payOn(installation, waiting.address, newPayer())
  await untilStatus(installation, waiting.address, 'paid')
  assert.equal((await open(installation, paying.address)).status, 'closed')
})
