import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { CheckoutSession } from '../../src/checkout/session.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkRefusal } from './answers.ts'
import { listenFor } from './events.ts'
import { json, newLink, openLink, payOn, submit, untilStatus } from './payer.ts'
import { newSender, PATIENCE } from './sender.ts'

// The address of a link that people share, with an amount and a reference in it, is bounded and honest about its amount.

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

/** A link whose payers choose from 200 to 20 000 francs. */
async function freeLink(...more: string[]) {
  const sender = await newSender(installation, { funds: 0 })
  const { merchant_id } = sender.merchant
  return {
    sender,
    ...(await newLink(installation, merchant_id, '--min', '200', '--max', '20000', '--reusable', ...more)),
  }
}

test('the amount and the reference of an address become those of the session, of its event and of the lists', async () => {
  const { sender, path } = await freeLink()
  await using told = await listenFor(installation, sender)
  const asked = `${path}?amount=12500&ref=CMD-417&fbclid=IwAR0`
  const { price, reference, min_amount, url } = await openLink(installation, asked)
  assert.deepEqual([price?.amount, reference, min_amount], [12_500, 'CMD-417', null])
  assert.match(url, /\?amount=12500&ref=CMD-417$/)
  const { address } = await payOn(installation, asked, newPayer())
  const paid = await untilStatus(installation, address, 'paid')
  assert.deepEqual([paid.amount, paid.reference, paid.receipt?.merchant_reference], [12_500, 'CMD-417', 'CMD-417'])
  const receipt = await installation.ask({ path: `${address}?lang=fr`, headers: { accept: 'text/html' } })
  assert.match(receipt.text, /Référence de l’adresse[\s\S]*CMD-417/)
  assert.doesNotMatch(receipt.text, /Référence du marchand/)
  const event = await waitFor(() => told.all().find(({ type }) => type === 'checkout_session.paid'), {
    ...PATIENCE,
    what: 'the event',
  })
  const { amount, reference: kept, amount_source } = event.data as CheckoutSession
  assert.deepEqual([amount, kept, amount_source], [12_500, 'CMD-417', 'address'])
  const { key } = sender.merchant
  const listed = (await installation.ask({ path: '/x/payments', key })).json() as { data: Record<string, unknown>[] }
  const [payment] = listed.data
  assert.deepEqual(
    [payment?.amount, payment?.reference, payment?.amount_source, payment?.merchant_reference],
    [12_500, 'CMD-417', 'address', null],
  )
})

test('an amount that the payer typed says so, and one of a fixed link is the merchant’s', async () => {
  const { sender, path } = await freeLink('--reference', 'Caisse 2')
  const typed = await payOn(installation, path, newPayer(), { amount: 300 })
  await untilStatus(installation, typed.address, 'paid')
  const fixed = await newLink(installation, sender.merchant.merchant_id, '--amount', '700')
  const asked = await payOn(installation, `${fixed.path}?amount=700`, newPayer())
  await untilStatus(installation, asked.address, 'paid')
  const { data } = (await installation.ask({ path: '/x/payments', key: sender.merchant.key })).json() as {
    data: { amount: number; reference: string | null; amount_source: string }[]
  }
  assert.deepEqual(
    data.map(({ amount, reference, amount_source }) => [amount, reference, amount_source]),
    [
      [700, null, 'merchant'],
      [300, 'Caisse 2', 'payer'],
    ],
  )
})

test('an address that the link does not allow makes nothing, and its page says whom to ask', async () => {
  const { sender, path } = await freeLink('--reference', 'CMD-1')
  const fixed = await newLink(installation, sender.merchant.merchant_id, '--amount', '700')
  const { nonce } = await openLink(installation, path)
  const { nonce: ofFixed } = await openLink(installation, fixed.path)
  const refused = [
    [path, '?amount=199', 422, 'amount_too_small'],
    [path, '?amount=20001', 422, 'amount_too_large'],
    [path, '?amount=1e3', 422, 'invalid_amount'],
    [path, '?amount=500&amount=600', 422, 'invalid_amount'],
    [path, '?ref=CMD-2', 400, 'invalid_request'],
    [path, '?ref=a%0Ab', 400, 'invalid_request'],
    [path, '?ref=%E2%80%AE714', 400, 'invalid_request'],
    [fixed.path, '?amount=699', 422, 'invalid_amount'],
    [fixed.path, '?ref=Payez+le+0700000001', 400, 'invalid_request'],
  ] as const
  for (const [page, query, status, code] of refused) {
    checkRefusal(await installation.ask({ path: page + query, headers: json }), status, code)
    const form = { nonce: page === path ? nonce : ofFixed, msisdn: newPayer(), amount: 500 }
    checkRefusal(await submit(installation, page + query, form), status, code)
    const shown = await installation.ask({ path: page + query, headers: { Accept: 'text/html' } })
    assert.equal(shown.status, status)
    assert.match(shown.text, /Cette adresse n’est pas juste/)
    assert.doesNotMatch(shown.text, /<form/)
  }
  const [row] = await installation.db.sql<{ made: number }[]>`
    select count(*)::integer as made from checkout_sessions where merchant_id = ${sender.merchant.merchant_id}`
  assert.equal(row!.made, 0)
})

test('a payer who types another amount into the form still pays the one of the address, which the page shows', async () => {
  const { path } = await freeLink()
  const asked = `${path}?amount=12500`
  const shown = await installation.ask({ path: asked, headers: { Accept: 'text/html' } })
  assert.match(shown.text, /action="[^"]*\?lang=fr&amp;amount=12500"/)
  assert.doesNotMatch(shown.text, /name="amount"/)
  const { address, amount } = await payOn(installation, asked, newPayer(), { amount: 200 })
  assert.equal(amount, 12_500)
  await untilStatus(installation, address, 'paid')
})

test('one form gives one session for an amount and a reference, and another one for another reference', async () => {
  const { path } = await freeLink()
  const { nonce } = await openLink(installation, `${path}?amount=500&ref=A`)
  const addressOf = async (query: string) => {
    const answer = await submit(installation, path + query, { nonce })
    assert.equal(answer.status, 200, answer.text)
    return (answer.json() as { address: string }).address
  }
  const first = await addressOf('?amount=500&ref=A')
  assert.equal(await addressOf('?amount=500&ref=A'), first)
  assert.notEqual(await addressOf('?amount=500&ref=B'), first)
})

test('a handle leads to the page of its link, with an amount too, and an older one still does', async () => {
  const { path, link_id, sender } = await freeLink()
  const { bandama, ask } = installation
  const handles = [`awa-${newPayer().slice(-8)}`, `awa-${newPayer().slice(-8)}`]
  for (const handle of handles) {
    const named = (await bandama('link', 'name', '--id', link_id, '--handle', handle)) as { url: string }
    assert.equal(new URL(named.url).pathname, `/p/${handle}`)
  }
  for (const handle of handles) {
    const facts = await openLink(installation, `/p/${handle}?amount=500`)
    assert.deepEqual([facts.price?.amount, facts.address], [500, path])
  }
  const other = await newLink(installation, sender.merchant.merchant_id, '--amount', '700')
  await assert.rejects(bandama('link', 'name', '--id', other.link_id, '--handle', handles[0]!), /another link already/)
  for (const handle of ['wave', 'wave-awa', 'orange-money', 'Awa', 'a', 'awa--1', 'awa-']) {
    await assert.rejects(bandama('link', 'name', '--id', link_id, '--handle', handle), /3 to 30 small letters/)
  }
  checkRefusal(await ask({ path: '/p/nobody-has-this', headers: json }), 404, 'resource_not_found')
})
