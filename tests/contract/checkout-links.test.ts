import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { SessionFacts } from '../../src/checkout/page/facts.ts'
import { setFees } from '../harness/fees.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode, otherMode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import { listenFor } from './events.ts'
import {
  addLink,
  auditPasses,
  json,
  newLink,
  open,
  openLink,
  payOn,
  submit,
  typeCode,
  untilAttempt,
  untilStatus,
} from './payer.ts'
import { newSender, PATIENCE } from './sender.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'moves the clock' })
})
after(() => installation[Symbol.asyncDispose]())

const formOf = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' }

test('a reusable link with a fixed amount: each payer has their own session and pays', async () => {
  const sender = await newSender(installation, { funds: 0 })
  await using told = await listenFor(installation, sender)
  const { merchant_id } = sender.merchant
  const link = await newLink(installation, merchant_id, '--amount', '1500', '--reusable', '--description', 'Attiéké')
  assert.match(link.link_id, /^lnk_[0-9a-z]{26}$/)
  const facts = await openLink(installation, link.path)
  assert.deepEqual(
    [facts.status, facts.payable, facts.price?.amount, facts.min_amount, facts.description],
    ['open', true, 1_500, null, 'Attiéké'],
  )
  const addresses: string[] = []
  for (let payer = 0; payer < 3; payer += 1) {
    const { address } = await payOn(installation, link.path, newPayer())
    const { receipt } = await untilStatus(installation, address, 'paid')
    assert.equal(receipt?.description, 'Attiéké')
    addresses.push(address)
  }
  assert.equal(new Set(addresses).size, 3)
  assert.equal((await sender.balances()).available, 4_500)
  await waitFor(() => told.all().filter(({ type }) => type === 'checkout_session.paid').length === 3, {
    ...PATIENCE,
    what: 'three events',
  })
  for (const { type, data } of told.all()) {
    if (type === 'checkout_session.paid') assert.equal((data as { link_id?: string }).link_id, link.link_id)
  }
  assert.equal((await openLink(installation, link.path)).status, 'open')
  await auditPasses(installation)
})

test('an amount that the payer chooses: both bounds are allowed, and the session shows them', async () => {
  const sender = await newSender(installation, { funds: 0 })
  await using told = await listenFor(installation, sender)
  const { path } = await newLink(
    installation,
    sender.merchant.merchant_id,
    '--min',
    '200',
    '--max',
    '5000',
    '--reusable',
  )
  const { price, min_amount, max_amount } = await openLink(installation, path)
  assert.deepEqual([price, min_amount, max_amount], [null, 200, 5_000])
  for (const amount of [200, 5_000]) {
    const { address } = await payOn(installation, path, newPayer(), { amount })
    const paid = await untilStatus(installation, address, 'paid')
    assert.equal(paid.receipt?.amount, amount)
  }
  await waitFor(() => told.all().filter(({ type }) => type === 'checkout_session.paid').length === 2, {
    ...PATIENCE,
    what: 'both events',
  })
  const bounds = told
    .all()
    .filter(({ type }) => type === 'checkout_session.paid')
    .map(({ data }) => data as unknown as { min_amount: number; max_amount: number })
  for (const session of bounds) assert.deepEqual([session.min_amount, session.max_amount], [200, 5_000])
})

for (const [written, amount] of [
  ['700', 700],
  ['1 500', 1_500],
  ['1.500', 1_500],
  ['1\u202f500 F CFA', 1_500],
  ['1 500 fcfa', 1_500],
] as const) {
  test(`a form with the amount ${JSON.stringify(written)} asks for ${amount}`, async () => {
    const { merchant_id } = await installation.newMerchant()
    const { path } = await newLink(installation, merchant_id, '--min', '500', '--max', '2000', '--reusable')
    const { nonce } = await openLink(installation, path)
    const text = new URLSearchParams({ nonce, amount: written, msisdn: newPayer() }).toString()
    const answer = await installation.ask({ path, text, headers: formOf })
    assert.equal(answer.status, 303, answer.text)
    const facts = await open(installation, answer.headers.location!.split('?')[0]!)
    assert.equal(facts.amount, amount)
  })
}

for (const written of ['', '0', '10,5', '10.50', '1 50', '-5', '1e3', 'mille', '١٥٠٠', '9999999999999999']) {
  test(`a form with the amount ${JSON.stringify(written)} is asked again, with what was typed still in it`, async () => {
    const { merchant_id } = await installation.newMerchant()
    const { path } = await newLink(installation, merchant_id, '--min', '1', '--max', '2000000', '--reusable')
    const { nonce } = await openLink(installation, path)
    const text = new URLSearchParams({ nonce, amount: written, msisdn: '0700000012' }).toString()
    const answer = await installation.ask({ path, text, headers: formOf })
    assert.equal(answer.status, 422)
    assert.match(answer.text, /07 00 00 00 12/)
    const [row] = await installation.db.sql<{ sessions: number }[]>`
      select count(*)::int as sessions from checkout_sessions where merchant_id = ${merchant_id}`
    assert.equal(row!.sessions, 0)
  })
}

test('a form without a number says so, and makes no session', async () => {
  const { merchant_id } = await installation.newMerchant()
  const { path } = await addLink(installation, merchant_id, { kind: 'fixed', amount: 900 })
  const { nonce } = await openLink(installation, path)
  for (const msisdn of ['', '  ']) {
    const text = new URLSearchParams({ nonce, msisdn, operator: 'wave_ci' }).toString()
    const answer = await installation.ask({ path, text, headers: formOf })
    assert.equal(answer.status, 422)
    assert.match(answer.text, /id="msisdn-error"/)
  }
  const [row] = await installation.db.sql<{ sessions: number }[]>`
    select count(*)::int as sessions from checkout_sessions where merchant_id = ${merchant_id}`
  assert.equal(row!.sessions, 0)
})

test('with a fee on top, the payer first gives the amount, then sees the fee and gives the number', async () => {
  const { merchant_id } = await installation.newMerchant()
  const fees = { merchant_id, service: 'collection', basis_points: 100, fixed: 0, minimum: 0, maximum: null } as const
  await setFees(installation.db.sql, { ...fees, bearer: 'payer', effective_from: null })
  const { path } = await newLink(installation, merchant_id, '--min', '500', '--max', '20000', '--reusable')
  const facts = await waitFor(
    async () => {
      const shown = await openLink(installation, path)
      return shown.fee_on_top && shown
    },
    { ...PATIENCE, what: 'the fees' },
  )
  const answer = await submit(installation, path, { nonce: facts.nonce, amount: 10_000 })
  const session = answer.json() as SessionFacts
  assert.deepEqual([session.kind, session.attempt, session.payable], ['session', null, true])
  assert.deepEqual([session.amount, session.fee_amount, session.amount_collected], [10_000, 100, 10_100])
  await payOn(installation, session.address, newPayer())
  await untilStatus(installation, session.address, 'paid')
})

test('a link for one payment is busy while somebody pays, free again after a failure, and paid once', async () => {
  const { merchant_id } = await installation.newMerchant()
  const { path } = await newLink(installation, merchant_id, '--amount', '900')
  const first = await payOn(installation, path, '0700000008')
  await untilAttempt(installation, first.address, 'pending')
  assert.deepEqual(
    [(await openLink(installation, path)).status, (await openLink(installation, path)).payable],
    ['busy', false],
  )
  await typeCode(installation, first.address, '000000')
  await untilAttempt(installation, first.address, 'failed')
  assert.equal((await openLink(installation, path)).status, 'open')
  const second = await payOn(installation, path, newPayer())
  await untilStatus(installation, second.address, 'paid')
  assert.equal((await openLink(installation, path)).status, 'paid')
  // A payer who failed before cannot pay a link that is paid.
  const late = await open(installation, first.address)
  assert.deepEqual([late.payable, late.status], [false, 'closed'])
  const again = await submit(installation, first.address, { nonce: late.nonce, msisdn: newPayer() })
  assert.match(again.text, /lien_indisponible/)
  await auditPasses(installation)
})

test('closing a link closes the pages opened from it, but not that of a payer who is paying', async () => {
  const { merchant_id } = await installation.newMerchant()
  const link = await newLink(installation, merchant_id, '--amount', '900', '--reusable')
  const idle = (
    await submit(installation, link.path, { nonce: (await openLink(installation, link.path)).nonce })
  ).json()
  const paying = await payOn(installation, link.path, '0700000008')
  await untilAttempt(installation, paying.address, 'pending')
  const closed = await installation.bandama('link', 'close', '--id', link.link_id)
  assert.deepEqual(closed, { link_id: link.link_id, status: 'closed', sessions_closed: 1 })
  assert.equal((await openLink(installation, link.path)).status, 'closed')
  assert.equal((await open(installation, (idle as SessionFacts).address)).status, 'closed')
  await typeCode(installation, paying.address, '123456')
  await untilStatus(installation, paying.address, 'paid')
  await assert.rejects(installation.bandama('link', 'close', '--id', link.link_id), /paid or closed/)
  await auditPasses(installation)
})

test('a session never outlives its link, and a link past its time is no longer payable', async () => {
  const { merchant_id } = await installation.newMerchant()
  const expires = new Date(Date.parse(new Date(performance.timeOrigin + performance.now()).toISOString()) + 600_000)
  const words = ['--amount', '900', '--reusable', '--expires', expires.toISOString()]
  const { path } = await newLink(installation, merchant_id, ...words)
  const { nonce } = await openLink(installation, path)
  const session = (await submit(installation, path, { nonce })).json() as SessionFacts
  assert.equal(session.expires_at, expires.toISOString())
  await installation.db.moveClock('11 minutes')
  try {
    const link = await openLink(installation, path)
    assert.deepEqual([link.status, link.payable], ['expired', false])
    assert.equal((await open(installation, session.address)).status, 'expired')
  } finally {
    await installation.db.moveClock('0')
  }
})

test('links are listed and shown with their addresses', async () => {
  const { merchant_id } = await installation.newMerchant()
  const made = await newLink(installation, merchant_id, '--min', '1', '--max', '5', '--description', 'Don')
  const words = ['--merchant', String(merchant_id), '--mode', mode]
  const { links } = (await installation.bandama('link', 'list', ...words)) as { links: Record<string, unknown>[] }
  assert.equal(links.length, 1)
  const shown = await installation.bandama('link', 'show', '--id', made.link_id)
  assert.deepEqual({ ...links[0], merchant_id }, shown)
  const { url, status, min_amount, max_amount, reusable, description } = shown
  assert.deepEqual([url, status, min_amount, max_amount, reusable, description], [made.url, 'open', 1, 5, false, 'Don'])
  const live = (await installation.bandama('link', 'list', '--merchant', String(merchant_id), '--mode', otherMode)) as {
    links: unknown[]
  }
  assert.deepEqual(live.links, [])
})

for (const [why, ...words] of [
  ['no amount'],
  ['an amount and bounds', '--amount', '5', '--min', '1', '--max', '9'],
  ['one bound', '--min', '5'],
  ['bounds crosswise', '--min', '6', '--max', '5'],
  ['no whole francs', '--amount', '5.5'],
  ['nothing', '--amount', '0'],
  ['a time that is over', '--amount', '5', '--expires', '2020-01-01T00:00:00Z'],
] as const) {
  test(`a link with ${why} is not made`, async () => {
    const { merchant_id } = await installation.newMerchant()
    await assert.rejects(newLink(installation, merchant_id, ...words))
  })
}

test('the poster of a link is a page to print, and only of a link that can be paid', async () => {
  const { merchant_id } = await installation.newMerchant()
  const link = await newLink(installation, merchant_id, '--amount', '900', '--reusable')
  const poster = () => installation.ask({ path: `${link.path}/poster`, headers: { Accept: 'text/html' } })
  const shown = await poster()
  assert.equal(shown.status, 200)
  assert.match(shown.text, /<svg/)
  await installation.bandama('link', 'close', '--id', link.link_id)
  assert.doesNotMatch((await poster()).text, /<svg[^>]*qr|data-situation="poster"/)
  assert.equal((await installation.ask({ path: `${link.path}/poster`, headers: json })).status, 200)
})
