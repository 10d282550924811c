import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newCollector } from '../contract/collector.ts'
import { openBrowser } from '../harness/console.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

type Shown = { id: string; type: string; subject_id: string }
const eventsIn = (body: Record<string, unknown>) => body.events as Shown[]

async function newShop() {
  const shop = await newCollector(installation)
  const { merchant_id, livemode } = shop.tenant
  const base = `/console/${livemode ? 'live' : 'test'}/${merchant_id}`
  const { address } = installation.services[0]!
  const person = (roles: string[]) => openBrowser(installation.db.sql, address, { merchant_id, roles })
  return { shop, base, person }
}

test('events are filtered by type, day, operation and reference, and link to their operation', async () => {
  const from = new Date().toISOString().slice(0, 10)
  const { shop, base, person } = await newShop()
  const owner = await person(['owner'])
  const asked = {
    amount: 1_500,
    counterparty: { msisdn: newPayer() },
    simulate: 'succeed',
    merchant_reference: 'CMD-77',
  }
  const { id } = (await installation.pay(shop.merchant.key, asked)).json() as { id: string }
  const one = await shop.untilPayment(id, 'succeeded')
  const other = await shop.collect(30_000, { simulate: true })
  const typed = async (query: string) =>
    eventsIn((await owner.facts(`${base}/events${query}`)).body).map(({ type, subject_id }) => [type, subject_id])
  const all = await typed('')
  assert.deepEqual(
    all.toReversed().filter(([, of]) => of === one.id),
    [
      ['payment.pending', one.id],
      ['payment.succeeded', one.id],
    ],
  )
  assert.equal(all.length, 4)
  assert.deepEqual(await typed('?type=payment.succeeded'), [
    ['payment.succeeded', other.id],
    ['payment.succeeded', one.id],
  ])
  assert.deepEqual(await typed(`?type=payment.pending&about=${other.id}`), [['payment.pending', other.id]])
  assert.deepEqual(new Set((await typed('?about=CMD-77')).map(([, of]) => of)), new Set([one.id]))
  assert.deepEqual(await typed('?about=CMD-78'), [])
  const to = new Date().toISOString().slice(0, 10)
  assert.equal((await typed(`?from=${from}&to=${to}`)).length, 4)
  assert.deepEqual(await typed('?to=2020-01-01'), [])
  const page = await owner.get(`${base}/events?about=CMD-77`)
  assert.ok(page.text.includes(`href="${base}/payments/${one.id}"`))
  assert.match(page.text, /Retirer le filtre/)
  assert.match(page.text, new RegExp(`href="${base}/events/export\\?about=CMD-77&amp;format=csv"`))

  const [event] = eventsIn((await owner.facts(`${base}/events?about=${one.id}`)).body)
  const payment = await owner.get(`${base}/payments/${one.id}`)
  assert.ok(payment.text.includes(`href="${base}/events/${event!.id}"`), 'the operation leads to its events')
  const shown = await owner.get(`${base}/events/${event!.id}`)
  assert.ok(shown.text.includes(`href="${base}/payments/${one.id}"`))
  assert.doesNotMatch(shown.text, /\+?225\d{10}/, 'numbers are masked')
})

test('people with the right read events page by page, and export exactly the list', async () => {
  const { shop, base, person } = await newShop()
  const owner = await person(['owner'])
  const { merchant_id, livemode } = shop.tenant
  await shop.collect(1_500, { simulate: true })
  await installation.db.sql`
    insert into events (merchant_id, livemode, id, type, subject_id, body)
    select ${merchant_id}, ${livemode}, 'evt_0' || lpad(n::text, 25, '0'), 'payment.expired', 'txn_' || n, '{}'
      from generate_series(1, 120) as n`
  const first = await owner.facts(`${base}/events?type=payment.expired`)
  assert.equal(eventsIn(first.body).length, 50)
  const last = eventsIn(first.body).at(-1)!
  assert.equal(last.subject_id, 'txn_71')
  const second = await owner.facts(`${base}/events?type=payment.expired&starting_after=${last.id}`)
  assert.equal(eventsIn(second.body)[0]!.subject_id, 'txn_70')
  const csv = await owner.get(`${base}/events/export?format=csv&type=payment.expired`)
  assert.match(csv.headers.get('content-disposition')!, /events-/)
  const lines = csv.text.trim().split(/\r?\n/)
  assert.equal(lines.length, 121)
  assert.match(lines[0]!, /^Date;Identifiant;Type;Identifiant de l’opération;Livraisons;Livrées;Échouées$/)
  assert.equal((await owner.get(`${base}/events/export?format=csv&type=payment.expire`)).status, 400)
  const developer = await person(['developer'])
  assert.equal((await developer.get(`${base}/events`)).status, 200)
  assert.equal((await developer.get(`${base}/events/export?format=csv`)).status, 403)
  const accountant = await person(['accountant'])
  assert.equal((await accountant.get(`${base}/events/export?format=csv`)).status, 403)
})
