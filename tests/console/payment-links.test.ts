import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../harness/console.ts'
import { openTestDatabase } from '../harness/database.ts'
import { newMerchant } from '../harness/merchant.ts'
import { startService } from '../harness/start-service.ts'

test('a person makes and closes a payment link, and a refused form keeps the typed text', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  const { merchant_id } = await newMerchant(db.sql)
  const at = (path = '', mode = 'live') => `/console/${mode}/${merchant_id}/links${path}`
  const maker = await openBrowser(db.sql, service.address, { merchant_id, roles: ['maker'] })
  const typed = { description: 'Tissu', amount: '25\u202f000', until: '' }
  for (const wrong of [{ amount: '2,5' }, { amount: '0' }, { until: '2099-02-31' }, { until: '2020-01-31' }]) {
    const refused = await maker.post(at(), { ...typed, ...wrong }, at())
    assert.equal(refused.status, 422, JSON.stringify(wrong))
    const kept = Object.values({ ...typed, ...wrong }).filter((value) => value !== '')
    for (const value of kept) assert.ok(refused.text.includes(`value="${value}"`), value)
  }
  const links = async () => (await maker.facts(at())).body.links as { link_id: string }[]
  assert.deepEqual(await links(), [])
  const { location } = await maker.post(at(), typed, at())
  const [link] = await links()
  assert.equal(location, at(`/${link!.link_id}?done=created`))
  const { text } = await maker.get(location)
  const [, shared] = /<p class="secret"[^>]*>(\S+)<\/p>/.exec(text)!
  assert.equal((await fetch(shared!)).status, 200, 'the address to share is that of the payer’s page')
  assert.ok(text.includes(`href="${shared}/poster"`), 'its poster is beside it')
  assert.match((await maker.get(at())).text, /25\u202f000/)
  assert.equal(
    (await maker.post(at(`/${link!.link_id}/close`, 'test'), {}, at())).status,
    404,
    'the other mode has none',
  )
  assert.equal(
    (await maker.post(at(`/${link!.link_id}/close`), {}, at())).location,
    at(`/${link!.link_id}?done=closed`),
  )
  assert.ok(!(await maker.get(at(`/${link!.link_id}`))).text.includes('/poster'), 'a closed link is not shared')
  assert.equal((await maker.post(at(`/${link!.link_id}/close`), {}, at())).status, 409)
  const accountant = await openBrowser(db.sql, service.address, { merchant_id, roles: ['accountant'] })
  assert.ok((await accountant.get(at())).text.includes(`href="${at('/export?format=csv')}"`))
  const [titles = '', row = '', ...others] = (await accountant.get(at('/export?format=csv'))).text
    .trimEnd()
    .split('\r\n')
  assert.match(titles, /^created_at,id,status,description,amount,/)
  assert.ok(row.includes(`,${link!.link_id},closed,Tissu,25000,`) && row.endsWith(`,0,0,${shared}`), row)
  assert.deepEqual(others, [])
  const viewer = await openBrowser(db.sql, service.address, { merchant_id, roles: ['viewer'] })
  assert.equal((await viewer.post(at(), typed, at())).status, 403)
})
