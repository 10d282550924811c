import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkBatch } from '../contract/payout-answers.ts'
import { newSender, payout } from '../contract/sender.ts'
import { actor } from '../harness/actor.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { createKey } from '../harness/keys.ts'
import { mode } from '../harness/mode.ts'
import { resumePayouts, stopPayouts } from '../harness/payout-stops.ts'
import { openMember } from '../harness/teams.ts'
import { confirmed, read } from './batch-shop.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

async function newShop() {
  const sender = await newSender(installation, { funds: 2_000_000 })
  const { merchant_id } = sender.tenant
  const person = (name: string, roles: string[]) => openMember(installation, name, { merchant_id, roles })
  return { sender, merchant_id, base: `/console/${mode}/${merchant_id}`, person }
}

test('an approved batch is a task of its maker and of owners, until it is sent', async () => {
  const { sender, base, person } = await newShop()
  const { sql } = installation.db
  const [mariam, moussa, awa, owner] = await Promise.all([
    person('Mariam', ['maker']),
    person('Moussa', ['maker']),
    person('Awa', ['approver']),
    person('Aya', ['owner']),
  ])
  const { id } = checkBatch(await sender.prepare({ lines: [payout(300_000), payout(250_000)] }), 201)
  await sql`update payout_batches set made_by = ${mariam.email} where id = ${id}`
  const task = new RegExp(`href="${base}/batches/${id}">.*?Approuvé, à lancer : 550 000 F CFA`, 's')
  assert.doesNotMatch(await read(mariam.get(base)), task)
  const page = `${base}/approvals/${id}`
  assert.equal((await confirmed(awa, `${page}/approve`, {}, page)).status, 303)
  for (const one of [mariam, owner]) assert.match(await read(one.get(base)), task)
  for (const one of [moussa, awa]) assert.doesNotMatch(await read(one.get(base)), /à lancer/)
  assert.match(await read(mariam.get(`${base}/batches/${id}`)), /class="st wait">Approuvé, à lancer</)
  assert.ok((await sender.execute(id)).status < 300)
  assert.doesNotMatch(await read(mariam.get(base)), /à lancer/)
})

test('a single request opens directly from its task, and several open their list', async () => {
  const { sender, base, person } = await newShop()
  const awa = await person('Awa', ['approver'])
  const { id } = checkBatch(await sender.prepare({ lines: [payout(300_000), payout(250_000)] }), 201)
  const task = (to: string, title: string) => new RegExp(`href="${base}/approvals${to}">.*?${title}`, 's')
  assert.match(await read(awa.get(base)), task(`/${id}`, 'Une demande à approuver'))
  assert.equal((await awa.get(`${base}/approvals/${id}`)).status, 200)
  checkBatch(await sender.prepare({ lines: [payout(300_000), payout(250_000)] }), 201)
  assert.match(await read(awa.get(base)), task('', '2 demandes à approuver'))
})

test('a key that sends money is a task of those who may confirm it, and of nobody on its maker’s side', async () => {
  const { sender, base, person } = await newShop()
  const [yves, awa, viewer] = await Promise.all([
    person('Yves Kouadio', ['owner']),
    person('Awa', ['approver']),
    person('Jean', ['viewer']),
  ])
  const wanted = { key_prefix: 'bdm', scope: 'payout', name: 'Site web', needs_confirmation: true } as const
  const { key_id } = await createKey(installation.db.sql, sender.tenant, wanted, actor(yves.email))
  assert.match(await read(awa.get(base)), /Une clé à confirmer : Site web.*peut envoyer de l’argent · faite par Yves/s)
  for (const one of [yves, viewer]) assert.doesNotMatch(await read(one.get(base)), /Une clé à confirmer/)
  const keys = `${base}/keys`
  const page = `${keys}/${key_id}`
  assert.ok((await read(awa.get(base))).includes(`href="${page}"`), 'the task opens the key itself')
  const text = await read(awa.get(page))
  assert.match(text, /jusqu’à 100 000 F CFA par envoi.*Aucune adresse fixée.*Faite par Yves Kouadio/s)
  assert.doesNotMatch(text, /Première clé/, 'the key of this merchant’s server sends money already')
  await installation.bandama('key', 'revoke', '--key-id', sender.key_id)
  assert.match(await read(awa.get(page)), /Première clé qui envoie de l’argent/)
  assert.doesNotMatch(text, /\/revoke"/, 'an approver confirms and does not revoke')
  assert.equal((await viewer.get(page)).status, 403)
  const own = await yves.get(page)
  assert.deepEqual([own.status, own.location], [303, keys], 'its maker decides nothing')
  assert.equal((await confirmed(awa, `${keys}/${key_id}/confirm`, {}, page)).status, 303)
  assert.equal((await awa.get(page)).location, keys, 'a confirmed key waits for nobody')
  assert.doesNotMatch(await read(awa.get(base)), /Une clé à confirmer/)
})

test('a stop by the company shows at once to the merchant that it concerns, once, and to no other', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  const { sql } = installation.db
  const what = { scope: 'merchant', merchant_id: shop.merchant_id } as const
  const [aya, awa] = [await shop.person('Aya', ['owner']), await other.person('Awa', ['owner'])]
  await stopPayouts(sql, what, actor('ama@example.com'))
  const { id } = (await shop.sender.send(payout(5_000))).json() as { id: string }
  for (const page of ['/payouts', '/send', `/payouts/${id}`]) {
    const text = await read(aya.get(`${shop.base}${page}`))
    assert.equal(text.split('Vos envois sont arrêtés depuis').length, 2, page)
    assert.match(text, /ceux qui attendent partent à la reprise/)
    if (page !== '/send') assert.match(text, /<main[^>]* data-moving/, page)
  }
  for (const page of ['/payouts', '/send']) assert.doesNotMatch(await read(awa.get(`${other.base}${page}`)), /arrêtés/)
  for (const by of ['ama@example.com', 'kofi@example.com']) await resumePayouts(sql, what, actor(by))
  await shop.sender.untilPayout(id, 'succeeded')
  for (const page of ['/payouts', '/send', `/payouts/${id}`])
    assert.doesNotMatch(await read(aya.get(`${shop.base}${page}`)), /sont arrêtés/, page)
})
