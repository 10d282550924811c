import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newNumber } from '../contract/sender.ts'
import { stepUpIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { otherMode } from '../harness/mode.ts'
import { batchesOf, batchIdIn, confirmed, csv, draftOf, makeBatch, newShop, read, untilAsked } from './batch-shop.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

test('a repeated submission makes no second batch', async () => {
  const shop = await newShop(installation)
  const draft = await draftOf(shop, csv(`Awa Koné;${newNumber()};;16000;`))
  const { mariam } = shop
  const question = await mariam.post(`${draft}/create`, { version: '1' }, draft)
  const step_up_id = stepUpIn(question)
  const fields = { version: '1', step_up_id, secret_code: await mariam.code() }
  const pages = await Promise.all([
    mariam.post(`${draft}/create`, fields, draft),
    mariam.post(`${draft}/create`, fields, draft),
  ])
  assert.ok(pages.some(({ status }) => status === 303))
  const again = await mariam.post(`${draft}/create`, fields, `/console/test/${shop.sender.tenant.merchant_id}/account`)
  assert.equal(again.status, 303)
  const batches = await batchesOf(installation, shop)
  assert.equal(batches.length, 1)
  assert.match(again.location!, new RegExp(batches[0]!.id))
})

test('the maker cannot approve a batch above the cap, and another person can', async () => {
  const shop = await newShop(installation, 2_000_000)
  const draft = await draftOf(shop, csv(`Awa Koné;${newNumber()};;600000;`))
  assert.match(await read(shop.mariam.get(draft)), /rien ne part avant une approbation/)
  const id = batchIdIn(await makeBatch(shop, draft))
  const approval = `${shop.base}/approvals/${id}`
  assert.match(await read(shop.mariam.get(`${shop.base}/batches/${id}`)), /À approuver/)
  const own = await confirmed(shop.mariam, `${approval}/approve`, {}, `${shop.base}/account`)
  assert.match(own.text, /Cette demande vient de vous/)
  const other = await confirmed(shop.aya, `${approval}/approve`, {}, approval)
  assert.equal(other.status, 303, other.text)
  const batch = (await shop.sender.readBatch(id)).json() as { status: string }
  assert.equal(batch.status, 'brouillon')
})

test('people who may see payouts read a batch, only makers act on it, and other merchants do not see it', async () => {
  const shop = await newShop(installation)
  const id = batchIdIn(await makeBatch(shop, await draftOf(shop, csv(`Awa Koné;${newNumber()};;16000;`))))
  const page = `${shop.base}/batches/${id}`
  const text = await read(shop.viewer.get(page))
  assert.match(text, /16 000/)
  assert.doesNotMatch(text, /Lancer l’envoi|drafts\/pbd_/)
  for (const act of ['execute', 'failed', 'names']) {
    assert.equal((await shop.viewer.post(`${page}/${act}`, {}, `${shop.base}/account`)).status, 403, act)
  }
  const mode = shop.sender.tenant.livemode ? 'live' : 'test'
  assert.equal((await shop.mariam.get(page.replace(`/console/${mode}/`, `/console/${otherMode}/`))).status, 404)
  const other = await newShop(installation)
  const elsewhere = page.replace(shop.base, other.base)
  for (const act of ['execute', 'failed', 'names']) {
    assert.equal((await other.mariam.post(`${elsewhere}/${act}`, {}, `${other.base}/account`)).status, 404, act)
  }
  assert.equal((await other.mariam.get(elsewhere)).status, 404)
  assert.equal((await shop.mariam.post(`${page}/failed`, {}, page)).status, 409, 'nothing of it has failed')
})

test('a batch that has sent nothing can be cancelled once, and an executed one cannot', async () => {
  const shop = await newShop(installation)
  const id = batchIdIn(await makeBatch(shop, await draftOf(shop, csv(`Awa Koné;${newNumber()};;16000;`))))
  const page = `${shop.base}/batches/${id}`
  assert.equal((await shop.viewer.post(`${page}/cancel`, {}, `${shop.base}/account`)).status, 403)
  const cancelled = await shop.mariam.post(`${page}/cancel`, {}, page)
  assert.equal(cancelled.location, `${page}?done=batch_cancelled`)
  const again = await shop.mariam.post(`${page}/cancel`, {}, `${shop.base}/account`)
  assert.equal(again.location, cancelled.location)
  assert.match(await read(shop.mariam.get(page)), /Rien n’est parti, et rien ne partira/)
  const acts = await installation.db.sql<{ act: string }[]>`
    select act from audit_log where subject = ${id} and act = 'payout_batch.cancel'`
  assert.equal(acts.length, 1)
  const other = batchIdIn(await makeBatch(shop, await draftOf(shop, csv(`Awa Koné;${newNumber()};;15000;`))))
  const sent = `${shop.base}/batches/${other}`
  await confirmed(shop.mariam, `${sent}/execute`, {}, sent)
  const late = await shop.mariam.post(`${sent}/cancel`, {}, `${shop.base}/account`)
  assert.equal(late.status, 409)
  assert.match(await read(late), /Le lot n’est pas annulé/)
})

test('a batch that fits its cap no more waits, and nobody who confirmed its sending agreed to that', async () => {
  const shop = await newShop(installation)
  const { mariam, sender } = shop
  const id = batchIdIn(await makeBatch(shop, await draftOf(shop, csv(`Awa Koné;${newNumber()};;16000;`))))
  const page = `${shop.base}/batches/${id}`
  const statusOf = async () => ((await sender.readBatch(id)).json() as { status: string }).status
  const setDay = (francs: string) => installation.bandama('caps', 'set', ...sender.words, '--day', francs)
  const { ask, answer } = await mariam.ask(`${page}/execute`, {}, page)
  assert.doesNotMatch(ask.text, /Une autre personne valide d’abord/)
  await installation.bandama('caps', 'set', ...sender.words, '--operation', '9000')
  await setDay('9000')
  const anew = await answer()
  assert.equal(anew.status, 422)
  assert.match(await read(anew), /Une autre personne valide d’abord.*au-dessus du plafond de 24 h, 9 000 F CFA/s)
  assert.equal(await statusOf(), 'brouillon')
  // The other way round: a question about a batch that would wait sends none.
  const waiting = await mariam.ask(`${page}/execute`, {}, page)
  await setDay('500000')
  assert.equal((await waiting.answer()).status, 422)
  assert.equal(await statusOf(), 'brouillon')
  await setDay('9000')
  const waits = await confirmed(mariam, `${page}/execute`, {}, page)
  assert.equal(waits.location, `${page}?done=batch_waits`)
  assert.equal(await statusOf(), 'en_attente_validation')
})

test('a batch is sent from its page with a fresh factor, and its failed lines make one new draft', async () => {
  const shop = await newShop(installation)
  const { mariam, base } = shop
  const draft = await draftOf(
    shop,
    csv(`Awa Koné;${newNumber()};;16000;A-1`, `Brou Kévin;${newNumber('0001')};;15000;B-2`),
  )
  const id = batchIdIn(await makeBatch(shop, draft))
  const page = `${base}/batches/${id}`
  const sent = await confirmed(mariam, `${page}/execute`, {}, page)
  assert.equal(sent.status, 303, sent.text)
  await shop.sender.untilBatch(id, 'termine_avec_erreurs')
  const text = await read(mariam.get(page))
  assert.match(text, /1 ligne sur 2 est arrivée, 1 a échoué\./)
  assert.match(text, /Lancé par vous/)
  assert.match(text, /Nouveau brouillon avec la ligne échouée/)
  const answers = await untilAsked(mariam, page)
  assert.match(answers, /L’opérateur le refuse encore/)
  assert.match(answers, /Aucune ligne échouée n’est partie\./)
  const made = await mariam.post(`${page}/failed`, { seen: '1' }, page)
  assert.equal(made.status, 303, made.text)
  const next = await mariam.get(made.location!)
  assert.match(next.text, /Brou Kévin/)
  assert.doesNotMatch(next.text, /Awa Koné/)
  const again = await mariam.post(`${page}/failed`, { seen: '1' }, page)
  assert.equal(again.location, made.location)
})
