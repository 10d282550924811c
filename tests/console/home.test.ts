import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newSender, payout } from '../contract/sender.ts'
import { openBrowser } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode, otherMode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

async function newShop({ funds = 1_000_000 } = {}) {
  const sender = await newSender(installation, { funds })
  const { merchant_id, livemode } = sender.tenant
  const base = `/console/${livemode ? 'live' : 'test'}/${merchant_id}`
  const { sql } = installation.db
  const open = (roles: string[], name = 'Aya Kouassi') =>
    openBrowser(sql, installation.services[0]!.address, { merchant_id, roles, name })
  const { key } = await sender.merchant.newKey(livemode ? 'live' : 'test', 'collect')
  return { sender, base, open, key, merchant_id }
}

test('the first page of an empty shop shows three steps and nothing else', async () => {
  const { base, open } = await newShop({ funds: 0 })
  const { status, text } = await (await open(['owner'])).get(base)
  assert.equal(status, 200)
  assert.match(text, /Bienvenue, Aya/)
  assert.match(text, /<ol class="steps">/)
  const steps = [...text.matchAll(/<li[^>]*><h2>([^<]+)/g)].map(([, title]) => title)
  assert.deepEqual(steps, ['Votre compte est ouvert', 'Faites payer une première fois', 'Dites où va votre argent'])
  for (const other of [/Derniers paiements/, /Encaissé/, /À faire/, /disponible/, /Le reste/])
    assert.doesNotMatch(text, other)
})

test('in live mode without an operator the first page says that nobody can pay yet, and leads to test mode', {
  skip: livemode && 'The live mode of these tests has operators.',
}, async () => {
  const { base, open } = await newShop({ funds: 0 })
  const { text } = await (await open(['owner'])).get(base.replace('/test/', '/live/'))
  assert.match(text, /Personne ne peut encore vous payer/)
  assert.match(text, new RegExp(`<a class="button" href="${base}">Essayer en mode test</a>`))
})

test('after a payment it shows what came in, the payment and its state, and never a whole phone number', async () => {
  const { base, open, key, sender } = await newShop()
  const asked = await installation.pay(key, {
    amount: 25_000,
    operator: 'orange_ci',
    counterparty: { msisdn: '0758411234' },
    merchant_reference: 'CMD-1042',
    simulate: 'succeed',
  })
  assert.equal(asked.status, 201, asked.text)
  const { id } = asked.json() as { id: string }
  await waitFor(async () => ((await installation.read(key, id)).json() as { status: string }).status === 'succeeded', {
    deadline_ms: 60_000,
    what: 'the payment to succeed',
  })
  const aya = await open(['owner'])
  const { text } = await aya.get(base)
  assert.match(text, /Encaissé aujourd’hui<\/p><p role="status"><span class="sum">25\u202f000/)
  assert.match(text, /1 paiement/)
  assert.match(text, /<div class="fresh" role="status"><a class="latest".*<b>\+25\u202f000/)
  assert.match(text, /Payé/)
  assert.match(text, /CMD-1042/)
  assert.match(text, /••\u00a012\u00a034/)
  assert.doesNotMatch(text, /58 ?41 ?12 ?34/)
  const { body } = await aya.facts(base)
  const { available, transfer } = await sender.balances()
  assert.deepEqual(
    [(body.balances as { available: number }).available, (body.balances as { transfer: number }).transfer],
    [available, transfer],
  )
  const { count, amount, fee_amount } = body.taken_today as { count: number; amount: number; fee_amount: number }
  assert.deepEqual([count, amount], [1, 25_000])
  assert.equal(amount - fee_amount, available, 'the shop bears the fee')
  assert.equal((body.last_paid as { id: string }).id, id)
  assert.doesNotMatch(JSON.stringify(body), /0758411234|2250758411234/)
})

test('a person sees their own tasks: approvals, roles to confirm, endpoints with held events', async () => {
  const { base, open, sender, merchant_id } = await newShop()
  const [owner, approver, viewer] = [await open(['owner']), await open(['approver']), await open(['viewer'])]
  assert.equal((await sender.send(payout(250_000))).status, 202)
  const { sql } = installation.db
  await open(['viewer'], 'Fatou Bamba').then(
    ({ person_id }) => sql`
      insert into person_roles (person_id, merchant_id, role, granted_by, needs_confirmation)
      values (${person_id}, ${merchant_id}, 'maker', ${owner.email}, true)`,
  )
  const made = await installation.bandama('endpoint', 'create', ...sender.words, '--url', 'http://127.0.0.1:9/')
  await installation.bandama('endpoint', 'disable', ...sender.words, '--endpoint', String(made.endpoint_id))
  const { id } = (await sender.send(payout(1_000))).json() as { id: string }
  await sender.untilPayout(id, 'succeeded')
  const [ofOwner, ofApprover, ofViewer] = await Promise.all([owner.get(base), approver.get(base), viewer.get(base)])
  assert.match(ofOwner!.text, /Une demande à approuver/)
  assert.match(ofOwner!.text, /Une adresse de webhook est arrêtée/)
  assert.doesNotMatch(ofOwner!.text, /Un rôle à confirmer/, 'the granter does not confirm')
  assert.match(ofApprover!.text, /Un rôle à confirmer/)
  assert.match(ofApprover!.text, /Fatou Bamba/)
  assert.doesNotMatch(ofApprover!.text, /Une adresse de webhook est arrêtée/)
  for (const words of [/à approuver<\/b>/, /à confirmer/, /Une adresse/]) assert.doesNotMatch(ofViewer!.text, words)
})

test('a developer sees no balance; another merchant and a stranger see nothing', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  const developer = await shop.open(['developer'])
  const { text } = await developer.get(shop.base)
  assert.doesNotMatch(text, /disponible/i)
  assert.equal(((await developer.facts(shop.base)).body as { balances: unknown }).balances, null)
  assert.equal((await developer.get(other.base)).status, 404)
})

test('each role first sees what it does', async () => {
  const { base, open, key } = await newShop()
  const counterparty = { msisdn: '0758411234' }
  assert.equal((await installation.pay(key, { amount: 5_000, counterparty, simulate: 'succeed' })).status, 201)
  const firstOf = async (role: string) => {
    const { text } = await (await open([role])).get(base)
    const main = text.slice(text.indexOf('<main'))
    return [...main.matchAll(/<a class="button(?: second)?" href="[^"]+"><svg.*?<\/svg>([^<]+)/g)].map(
      ([, words]) => words,
    )
  }
  assert.deepEqual(await firstOf('owner'), ['Faire payer', 'Envoyer de l’argent'])
  assert.deepEqual(await firstOf('maker'), ['Faire payer', 'Envoyer de l’argent'])
  assert.deepEqual(await firstOf('developer'), ['Clés', 'Webhooks'])
  assert.deepEqual(await firstOf('accountant'), ['Relevé', 'Paiements'])
  assert.deepEqual(await firstOf('approver'), [])
  const { text } = await (await open(['approver'])).get(base)
  assert.ok(
    text.indexOf('Argent pour les envois') < text.indexOf('Encaissé aujourd’hui'),
    'an approver decides on payouts',
  )
})

test('money without a destination is a task of those who may propose one; at most three tasks stand on the page', async () => {
  const { base, open, key, sender } = await newShop()
  const asked = await installation.pay(key, {
    amount: 5_000,
    counterparty: { msisdn: '0758411234' },
    simulate: 'succeed',
  })
  assert.equal(asked.status, 201, asked.text)
  const [owner, viewer] = [await open(['owner']), await open(['viewer'])]
  await waitFor(async () => (await sender.balances()).available > 0, { what: 'the payment to be credited' })
  assert.match((await owner.get(base)).text, /Dites où va votre argent/)
  assert.doesNotMatch((await viewer.get(base)).text, /Dites où va votre argent/)
  for (let nth = 1; nth <= 3; nth += 1) {
    const made = await installation.bandama('endpoint', 'create', ...sender.words, '--url', `http://127.0.0.1:9/${nth}`)
    await installation.bandama('endpoint', 'disable', ...sender.words, '--endpoint', String(made.endpoint_id))
  }
  const tasksOf = (text: string) => text.match(/<span class="dot(?: care| bad)?">.*?<b>/g)?.length ?? 0
  const short = (await owner.get(base)).text
  const all = (await owner.get(`${base}?tasks=all`)).text
  assert.match(short, /Tout voir \(/)
  assert.doesNotMatch(all, /Tout voir \(/)
  assert.ok(tasksOf(all) > tasksOf(short))
})

test('the other mode has its own first page, with its own money', async () => {
  const { base, open } = await newShop()
  const aya = await open(['owner'])
  const { status, body } = await aya.facts(base.replace(/\/(?:live|test)\//, `/${otherMode}/`))
  assert.equal(status, 200)
  assert.equal((body.balances as { transfer: number }).transfer, 0)
})
