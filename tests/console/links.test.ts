import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../harness/console.ts'
import { openTestDatabase } from '../harness/database.ts'
import { newMerchant } from '../harness/merchant.ts'
import { startService } from '../harness/start-service.ts'

type Link = { link_id: string; url: string; status: string; amount: number | null; paid_count: number }

test('a link is made in three fields, lists what it brought, and is closed, by those who may and in its own mode', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  const { merchant_id } = await newMerchant(db.sql)
  const { merchant_id: other } = await newMerchant(db.sql)
  const at = (path: string, mode = 'live', of = merchant_id) => `/console/${mode}/${of}${path}`
  const maker = await openBrowser(db.sql, service.address, { merchant_id, roles: ['maker'] })
  const list = async (mode = 'live') => (await maker.facts(at('/links', mode))).body.links as Link[]

  const typed = { description: 'Pagne Vlisco', amount: 'beaucoup', until: '2020-01-01' }
  const refused = await maker.post(at('/links'), typed)
  assert.equal(refused.status, 422)
  for (const kept of ['Pagne Vlisco', 'beaucoup', '2020-01-01'])
    assert.ok(refused.text.includes(`value="${kept}"`), kept)
  assert.equal((await maker.post(at('/links'), { ...typed, amount: '25 000' })).status, 422, 'the day has passed')
  assert.deepEqual(await list(), [])

  const made = await maker.post(at('/links'), { description: 'Pagne Vlisco', amount: '25 000' })
  assert.equal(made.location, at('/links?done=created'))
  await maker.post(at('/links'), { description: 'Boutique', amount: '', reusable: 'yes' })
  const [free, fixed] = (await list()) as [Link, Link]
  assert.deepEqual([fixed.amount, free.amount, fixed.status], [25_000, null, 'open'])
  await db.sql`
    insert into checkout_sessions (merchant_id, livemode, id, link_id, status, amount, currency, payment_id, expires_at, paid_at)
    values (${merchant_id}, true, 'cs_1', ${free.link_id}, 'paid', 1500, 'XOF', 'txn_1', clock_now(), clock_now())`
  const { text } = await maker.get(at('/links'))
  assert.match(text, /1\u202f500/)
  assert.ok(text.includes(`${fixed.url}/poster`))
  assert.deepEqual(await list('test'), [])

  const close = (path: string) => maker.post(path, {}, at('/links'))
  assert.equal((await close(at(`/links/${fixed.link_id}/close`, 'test'))).status, 404)
  const stranger = await openBrowser(db.sql, service.address, { merchant_id: other, roles: ['owner'] })
  const theirs = await stranger.post(
    at(`/links/${fixed.link_id}/close`, 'live', other),
    {},
    at('/links', 'live', other),
  )
  assert.equal(theirs.status, 404)
  const viewer = await openBrowser(db.sql, service.address, { merchant_id, roles: ['viewer'] })
  assert.equal((await viewer.post(at(`/links/${fixed.link_id}/close`), {}, at('/links'))).status, 403)
  assert.equal((await close(at(`/links/${fixed.link_id}/close`))).location, at('/links?done=closed'))
  const again = await close(at(`/links/${fixed.link_id}/close`))
  assert.equal(again.status, 409)
  assert.match(again.text, /déjà payé ou fermé/)
})
