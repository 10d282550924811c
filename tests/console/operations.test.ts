import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newCollector } from '../contract/collector.ts'
import { addLink, payOn, untilStatus } from '../contract/payer.ts'
import { AMA, KOFI, openRefundDesk } from '../contract/refund-desk.ts'
import { inline, newSender } from '../contract/sender.ts'
import { newSettler } from '../contract/settler.ts'
import { openBrowser } from '../harness/console.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode, otherMode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

/** Opens the pages of a merchant for one of its people. */
async function open(merchant_id: number, roles = ['accountant']) {
  const browser = await openBrowser(installation.db.sql, installation.services[0]!.address, { merchant_id, roles })
  return { browser, base: `/console/${mode}/${merchant_id}`, otherBase: `/console/${otherMode}/${merchant_id}` }
}

test('only its merchant sees the page of a successful payment, with a sentence, its facts and its timeline', async () => {
  const shop = await newCollector(installation)
  const paid = await shop.collect(25_000, { to: '0707123456', simulate: true })
  const { browser, base, otherBase } = await open(shop.tenant.merchant_id)

  const page = await browser.get(`${base}/payments/${paid.id}`)
  assert.equal(page.status, 200, page.text)
  assert.match(
    page.text,
    /<p class="say" role="status">Le client a payé avec Orange Money le [^<]+Vous recevez 24\u202f750\u00a0F\u00a0CFA/,
  )
  assert.match(page.text, /••\u00a034\u00a056/)
  assert.doesNotMatch(page.text, /07 ?07 ?12 ?34 ?56/)
  assert.match(page.text, /État\u00a0: Payé/)
  const { body } = await browser.facts(`${base}/payments/${paid.id}`)
  assert.doesNotMatch(JSON.stringify(body), /0707123456/)

  assert.equal((await browser.get(`${otherBase}/payments/${paid.id}`)).status, 404)
  assert.equal((await browser.get(`${base}/payouts/${paid.id}`)).status, 404)
  const other = await open((await newCollector(installation)).tenant.merchant_id)
  assert.equal((await other.browser.get(`${other.base}/payments/${paid.id}`)).status, 404)
})

test('the page of an unconfirmed payout says not to send it again', async () => {
  const sender = await newSender(installation)
  const beneficiary = inline('0003')
  const { id } = (await sender.send({ amount: 20_000, beneficiary, reference: 'PAIE-7' })).json() as { id: string }
  await sender.untilPayout(id, 'indeterminate')
  const { browser, base, otherBase } = await open(sender.tenant.merchant_id)

  const page = await browser.get(`${base}/payouts/${id}`)
  assert.equal(page.status, 200, page.text)
  assert.match(
    page.text,
    /<p class="say" role="status">[^<]+ n’a pas confirmé l’envoi à [^<]+L’argent est mis de côté en attendant\./,
  )
  assert.match(page.text, /Ne refaites pas cet envoi/)
  assert.match(page.text, /Ordre donné à/)
  assert.match(page.text, /PAIE-7/)

  assert.equal((await browser.get(`${otherBase}/payouts/${id}`)).status, 404)
  const other = await open((await newSender(installation)).tenant.merchant_id)
  assert.equal((await other.browser.get(`${other.base}/payouts/${id}`)).status, 404)
})

test('the page of a payment links to its call, its entries and its events, each by its right', async () => {
  const shop = await newCollector(installation)
  const paid = await shop.collect(25_000, { to: '0707123456', simulate: true })
  const { merchant_id } = shop.tenant
  const { browser, base } = await open(merchant_id, ['owner'])
  const path = `${base}/payments/${paid.id}`
  const told = await waitFor(
    async () => {
      const { traces } = (await browser.facts(path)).body as { traces: Traces }
      return traces.call !== null && traces.events.some(({ type }) => type === 'payment.succeeded') && traces
    },
    { what: 'the call and its events' },
  )
  assert.deepEqual([told.call!.method, told.call!.path, told.call!.status], ['POST', '/v1-payments', 201])
  assert.deepEqual(
    told.entries.map(({ account, amount }) => [account, amount]),
    [
      ['held:simulator', -25_000],
      ['available', 24_750],
      ['fees', 250],
    ],
  )
  const page = await browser.get(path)
  assert.match(page.text, /Écrit dans vos comptes\u00a0: Paiement reçu/)
  assert.match(page.text, /<td>Orange Money<\/td><td class="n">25\u202f000<\/td><td class="n"><\/td>/)
  const call = new RegExp(`href="(${base}/requests\\?request_id=${told.call!.request_id})"`).exec(page.text)
  assert.ok(call, page.text)
  const log = await browser.get(call[1]!)
  assert.ok(log.text.includes(`href="${path}"`), 'the log of calls leads back')
  assert.ok((await browser.get(`${base}/webhooks`)).status === 200)

  const accountant = await open(merchant_id)
  assert.ok(!(await accountant.browser.get(path)).text.includes('/requests?request_id='))
})

type Traces = {
  call: { method: string; path: string; status: number; request_id: string } | null
  entries: { account: string; amount: number }[]
  events: { type: string }[]
}

test('a refund and its payment link to each other, and only staff see the refund’s people', async () => {
  const shop = await newCollector(installation)
  const paid = await shop.collect(25_000, { simulate: true })
  const desk = openRefundDesk(installation)
  const refund = await desk.made(paid.id, { amount: 10_000, reason: 'Pagne abîmé', by_hand: true })
  const { merchant_id } = shop.tenant
  const { browser, base, otherBase } = await open(merchant_id)
  const path = `${base}/refunds/${refund.id}`

  const waits = await browser.get(path)
  assert.equal(waits.status, 200, waits.text)
  assert.match(
    waits.text,
    /<p class="say" role="status">Notre équipe rend 10\u202f000\u00a0F\u00a0CFA au client à la main/,
  )
  assert.ok(waits.text.includes(`href="${base}/payments/${paid.id}"`))
  assert.match(waits.text, /Pagne abîmé/)
  assert.equal((await desk.close(refund.id)).kind, 'closed')
  const page = await browser.get(path)
  assert.match(page.text, /<p class="say" role="status">Le client a reçu 10\u202f000\u00a0F\u00a0CFA le /)
  assert.match(page.text, /Écrit dans vos comptes\u00a0: Remboursement/)
  const { body } = await browser.facts(path)
  assert.doesNotMatch(`${page.text}${JSON.stringify(body)}`, new RegExp(`${AMA}|${KOFI}`))
  assert.ok((await browser.get(`${base}/payments/${paid.id}`)).text.includes(`href="${path}"`))
  assert.ok((await browser.get(`${base}/refunds`)).text.includes(`href="${path}"`))

  assert.equal((await browser.get(`${otherBase}/refunds/${refund.id}`)).status, 404)
  const other = await open((await newCollector(installation)).tenant.merchant_id)
  assert.equal((await other.browser.get(`${other.base}/refunds/${refund.id}`)).status, 404)
})

test('a settlement shows where the money is, and the call that requested it', async () => {
  const settler = await newSettler(installation)
  const { id } = (await settler.request(20_000)).json() as { id: string }
  const { browser, base, otherBase } = await open(settler.tenant.merchant_id, ['owner'])
  const path = `${base}/settlements/${id}`
  await waitFor(async () => ((await browser.facts(path)).body as { traces: Traces }).traces.call !== null, {
    what: 'the call',
  })
  const page = await browser.get(path)
  assert.match(
    page.text,
    /<p class="say" role="status">La demande attend l’équipe du service\. L’argent est mis de côté pour /,
  )
  assert.match(page.text, /POST \/v1-settlements/)
  assert.match(page.text, /Écrit dans vos comptes\u00a0: Reversement demandé/)
  assert.ok((await browser.get(`${base}/settlements`)).text.includes(`href="${path}"`))
  assert.equal((await browser.get(`${otherBase}/settlements/${id}`)).status, 404)
  const other = await open((await newCollector(installation)).tenant.merchant_id)
  assert.equal((await other.browser.get(`${other.base}/settlements/${id}`)).status, 404)
  const maker = await open(settler.tenant.merchant_id, ['maker'])
  assert.equal((await maker.browser.get(path)).status, 403)
})

test('a payment link and its payments link to each other', async () => {
  const { tenant, merchant } = await newCollector(installation)
  const { link_id, path: page } = await addLink(installation, merchant.merchant_id, { kind: 'fixed', amount: 1_500 })
  const { browser, base, otherBase } = await open(tenant.merchant_id)
  const path = `${base}/links/${link_id}`
  assert.match((await browser.get(path)).text, /Personne encore/)
  const { address } = await payOn(installation, page, newPayer())
  await untilStatus(installation, address, 'paid')

  const [paid] = (await browser.facts(path)).body.paid as { payment_id: string; amount: number }[]
  assert.equal(paid!.amount, 1_500)
  const payment = `${base}/payments/${paid!.payment_id}`
  assert.ok((await browser.get(path)).text.includes(`href="${payment}"`))
  const shown = await browser.get(payment)
  assert.ok(shown.text.includes(`href="${path}"`), shown.text)
  assert.match(shown.text, /Demandé par le lien/)
  assert.ok((await browser.get(`${base}/links`)).text.includes(`href="${path}"`))
  assert.equal((await browser.get(`${otherBase}/links/${link_id}`)).status, 404)
  const other = await open((await newCollector(installation)).tenant.merchant_id)
  assert.equal((await other.browser.get(`${other.base}/links/${link_id}`)).status, 404)
})
