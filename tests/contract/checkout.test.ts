import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { CheckoutSession } from '../../src/checkout/session.ts'
import { setFees } from '../harness/fees.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { livemode } from '../harness/mode.ts'
import { checkHeaders, checkPayment } from './answers.ts'
import { listenFor } from './events.ts'
import {
  auditPasses,
  countPayments,
  json,
  newSession,
  open,
  payOn,
  sessionFor,
  submit,
  until,
  untilAttempt,
  untilStatus,
} from './payer.ts'
import { newSender } from './sender.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [[], ['--only', 'api']], own: 'audits all books' })
})
after(() => installation[Symbol.asyncDispose]())

const fields = [
  'id',
  'object',
  'status',
  'url',
  'amount',
  'amount_source',
  'currency',
  'description',
  'reference',
  'return_url',
  'payment_id',
  'livemode',
  'created_at',
  'expires_at',
]

test('a session is answered with its address, open for half an hour', async () => {
  const merchant = await installation.newMerchant()
  const asked = {
    amount: 12_500,
    currency: 'xof',
    description: 'Pagne bleu',
    return_url: 'https://boutique.ci/merci?n=7',
  }
  const answer = await installation.ask(sessionFor(merchant.key, asked))
  assert.equal(answer.status, 201, answer.text)
  checkHeaders(answer)
  const session = answer.json() as CheckoutSession
  assert.deepEqual(Object.keys(session), fields)
  assert.match(session.id, /^cs_[0-9a-z]{26}$/)
  assert.match(session.url!, /^http:\/\/127\.0\.0\.1:\d+\/pay\/[0-9a-z]{40}$/)
  const { description, return_url, amount } = asked
  const { object, status, currency, payment_id, livemode } = session
  assert.deepEqual(
    { object, status, currency, payment_id, livemode, ...{ amount, description, return_url } },
    {
      object: 'checkout_session',
      status: 'open',
      currency: 'XOF',
      payment_id: null,
      livemode,
      ...{ amount, description, return_url },
    },
  )
  assert.equal(Date.parse(session.expires_at) - Date.parse(session.created_at), 30 * 60_000)
})

test('a session needs only an amount', async () => {
  const { key } = await installation.newMerchant()
  const session = await newSession(installation, key, { amount: 1, status: 'paid', livemode: true, unknown: [] })
  assert.equal(session.status, 'open')
  assert.deepEqual([session.description, session.return_url, session.livemode], [null, null, livemode])
})

test('requests without a key make two sessions; with the same key they make one, byte for byte, in every process', async () => {
  const { key } = await installation.newMerchant()
  const [one, other] = [await newSession(installation, key), await newSession(installation, key)]
  assert.notEqual(one.id, other.id)
  assert.notEqual(one.url, other.url)

  const asked = { ...sessionFor(key, { amount: 900, description: 'é' }), idempotency_key: randomUUID() }
  const first = await installation.ask(asked)
  const again = await installation.ask({ ...asked, text: '{ "description":"é", "amount":900 }' })
  assert.deepEqual([again.status, again.text], [201, first.text])
  const elsewhere = await installation.ask(asked, 1)
  // Each process of this rig is reached under an address of its own; the token in it is the same.
  const tokenIn = (text: string) => (JSON.parse(text) as { url: string }).url.split('/').at(-1)
  assert.equal(tokenIn(elsewhere.text), tokenIn(first.text))
  assert.equal((JSON.parse(elsewhere.text) as { id: string }).id, (first.json() as { id: string }).id)
})

test('a session is paid by its payer: money, events and the receipt', async () => {
  const sender = await newSender(installation, { funds: 0 })
  await using told = await listenFor(installation, sender)
  const { merchant } = sender
  const { path, id } = await newSession(installation, merchant.key, {
    amount: 10_000,
    return_url: 'https://boutique.ci/merci',
  })
  const before = await open(installation, path)
  assert.deepEqual([before.status, before.payable, before.attempt, before.return_url], ['open', true, null, null])
  assert.deepEqual(before.operators, ['orange_ci', 'mtn_ci', 'moov_ci', 'wave_ci'])

  const started = await payOn(installation, path, ' +225 05.00.00-00 00 ')
  assert.equal(started.attempt?.number, 1)
  assert.equal(started.attempt?.operator, 'mtn_ci')
  assert.equal(started.attempt?.msisdn_end, '00')
  const paid = await untilStatus(installation, path, 'paid')
  assert.equal(paid.return_url, 'https://boutique.ci/merci')
  assert.equal(paid.payable, false)
  const payment_id = paid.attempt!.payment_id
  assert.equal(paid.receipt?.payment_id, payment_id)
  assert.equal(paid.receipt?.amount_collected, 10_000)

  const payment = checkPayment(await installation.read(merchant.key, payment_id), 200, { status: 'succeeded' })
  assert.equal(payment.checkout_session_id, id)
  assert.equal(payment.merchant_reference, null)
  const [event] = await told.until(id, ['checkout_session.paid'])
  const { url: _, ...shown } = { ...event!.data } as unknown as CheckoutSession
  assert.deepEqual([shown.status, shown.payment_id, shown.amount], ['paid', payment_id, 10_000])
  assert.deepEqual(
    (await told.until(payment_id, ['payment.pending', 'payment.succeeded'])).map(({ data }) => data.status),
    ['pending', 'succeeded'],
  )
  assert.equal((await sender.balances()).available, 10_000)
  await auditPasses(installation)
})

test('no token is in the database, in an event or in the output of the service', async () => {
  const sender = await newSender(installation)
  await using told = await listenFor(installation, sender)
  const { path, id } = await newSession(installation, sender.merchant.key)
  const link = await installation.bandama('link', 'create', ...sender.words, '--amount', '500')
  await payOn(installation, path, newPayer())
  await untilStatus(installation, path, 'paid')
  const [event] = await told.until(id, ['checkout_session.paid'])
  const tokens = [path, new URL(String(link.url)).pathname].map((address) => address.split('/')[2]!)
  const { sql } = installation.db
  const tables = await sql<{ name: string }[]>`
    select relname::text as name
      from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`
  for (const token of tokens) {
    for (const { name } of tables) {
      const [found] = await sql<{ rows: number }[]>`
        select count(*)::int as rows from ${sql(name)} as t where t::text like ${`%${token}%`}`
      assert.equal(found!.rows, 0, name)
    }
    assert.ok(!JSON.stringify(event).includes(token))
    assert.ok(!installation.services.some((service) => service.output().includes(token)))
  }
})

test('a payer-borne fee is shown before it is taken, and the payment keeps it as shown', async () => {
  const sender = await newSender(installation, { funds: 0 })
  const fees = { service: 'collection', basis_points: 200, fixed: 50, minimum: 0, maximum: null } as const
  const { merchant_id } = sender.merchant
  await setFees(installation.db.sql, { ...fees, merchant_id, bearer: 'payer', effective_from: null })
  const { path } = await newSession(installation, sender.merchant.key)
  const facts = await until(installation, path, 'the fees', ({ fee_amount }) => fee_amount > 0)
  assert.deepEqual([facts.amount, facts.fee_amount, facts.amount_collected], [10_000, 250, 10_250])
  await payOn(installation, path, newPayer())
  const { receipt } = await untilStatus(installation, path, 'paid')
  assert.deepEqual([receipt?.amount, receipt?.fee_amount, receipt?.amount_collected], [10_000, 250, 10_250])
  assert.equal((await sender.balances()).available, 10_000)
})

test('the payer does not see a fee that the merchant bears', async () => {
  const sender = await newSender(installation, { funds: 0 })
  const fees = { service: 'collection', basis_points: 200, fixed: 0, minimum: 0, maximum: null } as const
  const { merchant_id } = sender.merchant
  await setFees(installation.db.sql, { ...fees, merchant_id, bearer: 'merchant', effective_from: null })
  const { path } = await newSession(installation, sender.merchant.key)
  await payOn(installation, path, newPayer())
  const facts = await untilStatus(installation, path, 'paid')
  assert.deepEqual([facts.fee_amount, facts.amount_collected, facts.receipt?.fee_amount], [0, 10_000, 0])
})

for (const [end, status, failure_code] of [
  ['0001', 'failed', 'payer_insufficient_funds'],
  ['0002', 'failed', 'payer_declined'],
  ['0003', 'expired', null],
] as const) {
  test(`after an attempt that ended as ${failure_code ?? status}, the payer tries again and pays once`, async () => {
    const { key, merchant_id } = await installation.newMerchant()
    const { path } = await newSession(installation, key)
    await payOn(installation, path, `0700${newPayer().slice(2, 4)}${end}`)
    const failed = await untilAttempt(installation, path, status)
    assert.deepEqual([failed.status, failed.payable, failed.attempt?.failure_code], ['open', true, failure_code])
    assert.notEqual(failed.attempt?.ended_at, null)
    await payOn(installation, path, newPayer())
    const paid = await untilStatus(installation, path, 'paid')
    assert.equal(paid.attempt?.number, 2)
    assert.deepEqual(await countPayments(installation, merchant_id), { payments: 2, orders: 2 })
    await auditPasses(installation)
  })
}

test('after a lost answer or a proof of another amount the page shows a doubt, and takes no other attempt', async () => {
  const { key, merchant_id } = await installation.newMerchant()
  const { path } = await newSession(installation, key)
  await payOn(installation, path, '0700000006')
  const doubt = await until(installation, path, 'the doubt', ({ attempt }) => attempt?.in_doubt === true)
  assert.deepEqual([doubt.status, doubt.attempt?.status, doubt.payable], ['open', 'pending', false])
  const answer = await submit(installation, path, { nonce: doubt.nonce, msisdn: newPayer() })
  assert.equal(answer.status, 409, answer.text)
  assert.equal((await countPayments(installation, merchant_id)).payments, 1)

  const lost = await newSession(installation, key)
  await payOn(installation, lost.path, '0700000004')
  assert.equal((await untilStatus(installation, lost.path, 'paid')).attempt?.in_doubt, false)
})

test('a session takes at most twenty attempts', async () => {
  const { key } = await installation.newMerchant()
  const { path, id } = await newSession(installation, key)
  await payOn(installation, path, '0700000002')
  await untilAttempt(installation, path, 'failed')
  await installation.db.sql`update checkout_sessions set attempts = 20 where id = ${id}`
  const { nonce, payable } = await open(installation, path)
  assert.equal(payable, false)
  const answer = await submit(installation, path, { nonce, msisdn: newPayer() })
  assert.equal(answer.status, 429, answer.text)
  await installation.db.sql`update checkout_sessions set attempts = 1 where id = ${id}`
})

test('a live session is separate from test mode: its page says so, and nothing of test mode reaches it', async () => {
  const merchant = await installation.newMerchant()
  const { key } = await merchant.newKey('live', 'collect')
  const { path } = await newSession(installation, key)
  const facts = await open(installation, path)
  assert.deepEqual([facts.livemode, facts.operators], [true, []])
})

test('a closed session shows that it is closed, and a session under way cannot be closed', async () => {
  const { key } = await installation.newMerchant()
  const waiting = await newSession(installation, key)
  await payOn(installation, waiting.path, '0700000008')
  await assert.rejects(installation.bandama('session', 'close', '--id', waiting.id), /being paid|is paying/i)
  const idle = await newSession(installation, key)
  assert.deepEqual(await installation.bandama('session', 'close', '--id', idle.id), {
    session_id: idle.id,
    status: 'closed',
  })
  assert.deepEqual(
    [(await open(installation, idle.path)).status, (await open(installation, idle.path)).payable],
    ['closed', false],
  )
  await assert.rejects(installation.bandama('session', 'close', '--id', idle.id), /paid, closed or expired/)
})

test('a browser gets a page, a program JSON', async () => {
  const { key } = await installation.newMerchant()
  const { path } = await newSession(installation, key)
  const type = async (Accept: string | undefined) =>
    (await installation.ask({ path, headers: { Accept } })).headers['content-type']
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  for (const accept of [undefined, '*/*', 'text/html', browser] as const) {
    assert.equal(await type(accept), 'text/html; charset=utf-8', accept ?? 'nothing')
  }
  assert.equal(await type('application/json'), 'application/json; charset=utf-8')
  assert.equal(
    (await installation.ask({ path, headers: json })).headers.vary,
    'Accept, Accept-Encoding, Accept-Language',
  )
})
