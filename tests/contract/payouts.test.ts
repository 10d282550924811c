import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { newId } from '../../src/values/ids.ts'
import { actor } from '../harness/actor.ts'
import { moveToTransfer } from '../harness/fill-transfer.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode, otherMode } from '../harness/mode.ts'
import { resumeByTwo, stopPayouts } from '../harness/payout-stops.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment, checkRefusal, codeOf } from './answers.ts'
import { checkList } from './book.ts'
import { countRows } from './meet-refusals.ts'
import { checkPayout } from './payout-answers.ts'
import { inline, newNumber, newSender, PATIENCE, payout, post, type Sender } from './sender.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'audits all books' })
  installation.services.push(await installation.start({ args: ['--only', 'api'] }))
})
after(() => installation[Symbol.asyncDispose]())

async function bookOf({ key }: Sender) {
  return checkList(await installation.ask({ path: '/v1-beneficiaries', key })).data
}

test('a payout with only the required fields, from its creation to its end', async () => {
  const sender = await newSender(installation)
  const msisdn = newNumber()
  const created = checkPayout(await sender.send({ amount: 1, beneficiary: { msisdn, name: 'Al' } }), 201, {
    amount: 1,
    fee_amount: 0,
    total_debited: 1,
    status: 'created',
    beneficiary: { name: 'Al', label: null, msisdn: `+225${msisdn}` },
    reference: null,
    livemode,
  })
  const succeeded = await sender.untilPayout(created.id, 'succeeded')
  // The first answer stays true for ever; only the state moves on.
  assert.deepEqual({ ...succeeded, status: 'created' }, created)
})

test('a payout takes every optional field, and ignores those that the service sets', async () => {
  const sender = await newSender(installation)
  const theirs = { id: 'txn_1', status: 'succeeded', fee_amount: 0, total_debited: 1, livemode: true, merchant_id: 1 }
  const beneficiary = { ...inline(), operator: 'wave_ci', name: '  Fatou Diallo-N’Guessan ', label: 'x', id: 'x' }
  for (const reference of ['Salaire № 7 — août 🐟', '', '"\'; drop table payouts; --']) {
    const sent = { amount: 100_000, currency: 'xOf', reference, ...theirs, beneficiary, batch_id: 'pob_1', rank: 1 }
    const created = checkPayout(await sender.send(sent), 201, {
      amount: 100_000,
      total_debited: 100_000,
      reference,
      livemode,
      beneficiary: { name: 'Fatou Diallo-N’Guessan', label: null, msisdn: `+225${beneficiary.msisdn}` },
    })
    assert.deepEqual({ ...(await sender.untilPayout(created.id, 'succeeded')), status: 'created' }, created)
  }
  assert.deepEqual(
    (await bookOf(sender)).map(({ name, operator }) => [name, operator]),
    [['Fatou Diallo-N’Guessan', 'wave_ci']],
  )
})

test("three spellings of one number are one entry of the book, and each answer shows the caller's spelling", async () => {
  const sender = await newSender(installation)
  const number = newNumber()
  const writings = [number, `+225 ${number}`, `00225${number.replace(/(..)(?=.)/g, '$1-')}`]
  for (const [rank, msisdn] of writings.entries()) {
    const beneficiary = { name: `Name ${rank}`, label: null, msisdn: `+225${number}` }
    const sent = { amount: 100, beneficiary: { ...inline(), msisdn, name: `Name ${rank}` } }
    const { id } = checkPayout(await sender.send(sent), 201, { beneficiary })
    checkPayout(await sender.read(id), 200, { beneficiary })
  }
  const [entry, ...others] = await bookOf(sender)
  assert.deepEqual([others.length, entry!.name, entry!.label, entry!.last4], [0, 'Name 0', null, number.slice(-4)])
})

test('an answer shows only the end of a number from the book, with its label', async () => {
  const sender = await newSender(installation)
  const number = newNumber('4321')
  const sent = { msisdn: number, operator: 'moov_ci', name: 'Loyer' }
  const added = await installation.ask({ path: '/v1-beneficiaries', key: sender.key, body: sent })
  const entry = added.json() as { id: string }
  const beneficiary = { name: 'Loyer', label: 'Loyer', msisdn: '+225******4321' }
  for (const beneficiary_id of [entry.id, entry.id.toUpperCase()]) {
    const answer = await sender.send({ amount: 100, beneficiary_id })
    const { id } = checkPayout(answer, 201, { beneficiary })
    const read = await sender.read(id)
    checkPayout(read, 200, { beneficiary })
    for (const { text } of [answer, read]) assert.ok(!text.includes(number.slice(1)), 'the whole number is not there')
    const [{ operator }] = (await installation.db.sql`
      select operator from instructions where subject_id = ${id}`) as unknown as [{ operator: string }]
    assert.equal(operator, 'moov_ci', 'the operator of the entry is the one that sends')
  }
  // Named inline it is the same entry, and the caller who knows the number sees it.
  checkPayout(await sender.send({ amount: 100, beneficiary: sent }), 201, {
    beneficiary: { name: 'Loyer', label: 'Loyer', msisdn: `+225${number}` },
  })
  assert.equal((await bookOf(sender)).length, 1)
})

test("without an operator the number's prefix gives it", async () => {
  const sender = await newSender(installation)
  const proposed = { '01': 'moov_ci', '05': 'mtn_ci', '07': 'orange_ci' }
  for (const [prefix, operator] of Object.entries(proposed)) {
    const msisdn = `${prefix}${newNumber().slice(2)}`
    checkPayout(await sender.send({ amount: 100, beneficiary: { msisdn, name: 'Awa' } }), 201)
    const entry = (await bookOf(sender)).at(-1)!
    assert.deepEqual([entry.last4, entry.operator], [msisdn.slice(-4), operator])
  }
})

test('the fee comes on top, is taken at creation and comes back when the payout fails', async () => {
  const sender = await newSender(installation, { funds: 50_000 })
  const { words, tenant } = sender
  const { bandama, db } = installation
  const fees = ['--service', 'payout', '--bps', '100', '--fixed', '25', '--bearer', 'merchant']
  await bandama('fees', 'set', ...words.slice(0, 2), ...fees)
  const balance = async (transfer: number, payouts_in_flight: number, why: string) => {
    const expected = { available: 0, transfer, payouts_in_flight, settlements_in_flight: 0 }
    assert.deepEqual(await bandama('balance', ...words), expected, why)
  }
  await balance(50_000, 0, 'nothing has been sent')

  const stopped = { scope: 'merchant', merchant_id: tenant.merchant_id } as const
  await stopPayouts(db.sql, stopped, actor('a test'))
  const charged = { fee_amount: 125, total_debited: 10_125 }
  const good = checkPayout(await sender.send(payout(10_000)), 201, charged)
  const bad = checkPayout(await sender.send(payout(10_000, '0001')), 201, charged)
  await balance(29_750, 20_250, 'taken at creation')
  await resumeByTwo(db.sql, stopped)
  await sender.untilPayout(good.id, 'succeeded')
  const failed = await sender.untilPayout(bad.id, 'failed')
  assert.deepEqual(failed, { ...bad, status: 'failed', failure_code: 'recipient_limit_reached' })
  await balance(39_875, 0, 'one is paid, the other has come back with its fee')

  // A later schedule does not touch what exists.
  await db.sql`insert into fee_schedules (merchant_id, service, effective_from, fixed, bearer)
               values (${tenant.merchant_id}, 'payout', clock_now(), 7, 'payer')`
  await waitFor(async () => checkPayout(await sender.send(payout(1)), 201).fee_amount === 7, PATIENCE)
  checkPayout(await sender.read(good.id), 200, charged)
})

test('payouts use the transfer balance to its last franc, and never the collection balance', async () => {
  const sender = await newSender(installation, { funds: 1_000 })
  const { merchant } = sender
  const collected = checkPayment(await installation.pay(merchant.key, { amount: 5_000, simulate: 'succeed' }), 201)
  await waitFor(async () => (await sender.balances()).available === 5_000, PATIENCE)
  assert.equal(collected.net_amount, 5_000)
  checkRefusal(await sender.send(payout(1_001)), 409, 'insufficient_funds')
  checkPayout(await sender.send(payout(1_000)), 201)
  checkRefusal(await sender.send(payout(1)), 409, 'insufficient_funds')
  await moveToTransfer(installation.db.sql, sender.tenant, 1, createClock())
  checkPayout(await sender.send(payout(1)), 201)
  assert.deepEqual([(await sender.balances()).transfer, (await sender.balances()).available], [0, 4_999])
})

test('an idempotency key whose request was refused can be used again once there is money', async () => {
  const sender = await newSender(installation, { funds: 99 })
  const [idempotency_key, body] = [randomUUID(), payout(100)]
  for (let time = 1; time <= 2; time += 1) {
    checkRefusal(await sender.send(body, { idempotency_key }), 409, 'insufficient_funds')
  }
  await sender.deposit(1)
  checkPayout(await sender.send(body, { idempotency_key }), 201)
})

test('a replay is the original answer, byte for byte, in every later state of the payout and the merchant', async () => {
  const sender = await newSender(installation)
  const [idempotency_key, body] = [randomUUID(), payout(10_000, '0002')]
  const original = await sender.send(body, { idempotency_key })
  const { id } = checkPayout(original, 201, { status: 'created' })
  await sender.untilPayout(id, 'failed')
  const replays = async () => {
    for (const process of [0, 1]) {
      const replay = await sender.send(body, { idempotency_key }, process)
      assert.deepEqual([replay.status, replay.text], [201, original.text])
      assert.notEqual(replay.headers['service-request-id'], original.headers['service-request-id'])
    }
  }
  await replays()
  assert.equal((await countRows(installation, sender)).payouts, 1, 'and nothing was done again')
  await installation.db.sql`update merchants set active = false where merchant_id = ${sender.tenant.merchant_id}`
  await waitFor(async () => codeOf(await sender.send(payout(1))) === 'merchant_inactive', PATIENCE)
  await replays()
  checkPayout(await sender.read(id), 200, { status: 'failed' })
})

test('forty concurrent identical requests to two processes make one payout', async () => {
  const sender = await newSender(installation)
  const asked = post('/v1-payouts', sender.key, payout(100))
  const answers = await Promise.all(Array.from({ length: 44 }, (_, at) => installation.ask(asked, at % 2)))
  const created = answers.filter(({ status }) => status === 201)
  assert.equal(new Set(created.map(({ text }) => text)).size, 1)
  for (const answer of answers) if (answer.status !== 201) checkRefusal(answer, 409, 'idempotency_in_progress')
  assert.equal((await sender.balances()).transfer, 999_900)
})

test("another merchant's payout, one of the other mode, and a payment answer like one that does not exist", async () => {
  const sender = await newSender(installation)
  const live = await newSender(installation, { of: sender.merchant, mode: otherMode })
  const stranger = await newSender(installation)
  const held = { ...payout(100_001) }
  const paid = checkPayment(await installation.pay(sender.merchant.key, { amount: 100 }), 201)
  const unknown = await sender.read(newId('txn', 1))
  checkRefusal(unknown, 404, 'resource_not_found')
  for (const body of [payout(100), held]) {
    const { id } = (await sender.send(body)).json() as { id: string }
    const { id: inLive } = (await live.send(body)).json() as { id: string }
    const hidden = [live.read(id), stranger.read(id), sender.read(inLive), sender.read(paid.id)]
    for (const answer of await Promise.all(hidden)) {
      checkRefusal(answer, 404, 'resource_not_found')
      assert.equal(answer.text, unknown.text)
    }
    // The proof that the ids were good: their own keys find them, whatever their scope.
    for (const key of [sender.key, sender.merchant.key]) {
      assert.equal((await installation.ask({ path: `/v1-payouts/${id}`, key })).status, 200)
    }
    assert.equal((await live.read(inLive)).status, 200)
  }
})

test('a live key asks a real operator: without a connector the payout fails, and the money is back', async () => {
  const sender = await newSender(installation, { mode: 'live', funds: 500 })
  const { id } = checkPayout(await sender.send(payout(500, '0003')), 201, { livemode: true })
  const failed = await sender.untilPayout(id, 'failed')
  assert.equal(failed.failure_code, 'operator_configuration')
  assert.deepEqual(await sender.balances(), {
    available: 0,
    transfer: 500,
    payouts_in_flight: 0,
    settlements_in_flight: 0,
  })
  const taken = await installation.db.sql`
    select from simulator_orders where merchant_id = ${sender.tenant.merchant_id}`
  assert.equal(taken.length, 0)
})

test('the books hold', async () => {
  const report = await installation.bandama('audit')
  assert.equal(report.ok, true, JSON.stringify(report))
})
