import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Browser, openBrowser } from '../harness/console.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { newMerchant } from '../harness/merchant.ts'
import { type Service, startService } from '../harness/start-service.ts'

let db: TestDatabase
let service: Service
let base: string
let merchant_id: number
before(async () => {
  db = await openTestDatabase()
  service = await startService({ url: db.url })
  merchant_id = (await newMerchant(db.sql)).merchant_id
  base = `/console/test/${merchant_id}`
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await db[Symbol.asyncDispose]()
})

const languageOf = async ({ person_id }: Browser) =>
  (await db.sql`select language from persons where person_id = ${person_id}`)[0]!.language

test('a language is stored for its person, in every browser and at both doors, and the address can choose it for one page', async () => {
  const aya = await openBrowser(db.sql, service.address, { merchant_id, roles: ['owner'], staff: ['support'] })
  assert.match((await aya.get(`${base}/settings?lang=en`)).text, /<html lang="en">[\s\S]*Settings/)
  assert.equal(await languageOf(aya), 'fr')
  assert.match((await aya.get(`${base}/settings`)).text, /<html lang="fr">[\s\S]*Réglages/)

  const kept = await aya.post(`${base}/settings/language`, { language: 'en' }, `${base}/settings`)
  assert.equal(kept.location, `${base}/settings?done=saved`)
  for (const page of [`${base}/settings`, '/desk/live/settings']) {
    assert.match((await aya.get(page)).text, /<html lang="en">/, page)
  }
  await aya.post(`${base}/settings/language`, { language: 'en' }, `${base}/settings`)
  const lines = await db.sql`
    select act, before, after
      from audit_log
     where actor = ${aya.email}`
  assert.deepEqual([...lines], [{ act: 'person.set_language', before: { language: 'fr' }, after: { language: 'en' } }])
})

test('the menu stores the other language and returns to the same list, never to another site', async () => {
  const aya = await openBrowser(db.sql, service.address, { merchant_id, roles: ['owner'] })
  const list = `${base}/payments?status=succeeded&q=Awa+Kon%C3%A9`
  const { text } = await aya.get(`${list}&lang=fr&done=saved`)
  const back = /name="back" value="([^"]+)"/.exec(text)![1]!.replaceAll('&amp;', '&')
  assert.equal(back, list)
  const there = await aya.post(`${base}/settings/language`, { language: 'en', back }, `${base}/settings`)
  assert.equal(there.location, list)
  assert.equal(await languageOf(aya), 'en')
  for (const elsewhere of ['https://evil.example/', '//evil.example', '/pay/x']) {
    const sent = await aya.post(`${base}/settings/language`, { language: 'fr', back: elsewhere }, `${base}/settings`)
    assert.equal(sent.location, '/console', elsewhere)
  }
})

test('the settings show the notices of each role, and the number of open sessions', async () => {
  const approver = await openBrowser(db.sql, service.address, { merchant_id, roles: ['approver'] })
  const developer = await openBrowser(db.sql, service.address, { merchant_id, roles: ['developer'] })
  const staff = await openBrowser(db.sql, service.address, { staff: ['support'] })
  const facts = async (browser: Browser, path = `${base}/settings`) => (await browser.facts(path)).body
  const common = { language: 'fr', sessions: 1 }
  assert.deepEqual(await facts(approver), { ...common, notices: ['approval', 'confirmation', 'doubt'] })
  assert.deepEqual(await facts(developer), { ...common, notices: ['endpoint'] })
  assert.deepEqual(await facts(staff, '/desk/live/settings'), { ...common, notices: ['case'] })
  const { text } = await approver.get(`${base}/settings`)
  assert.match(text, new RegExp(`href="${base}/notices"`))
  assert.match(text, new RegExp(`href="${base}/account"`))
})
