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
  assert.match(titles, /^Date;Identifiant;État;État \(code\);Pour quoi;Montant \(F CFA\);/)
  assert.ok(row.includes(`;${link!.link_id};Fermé;closed;Tissu;25000;`) && row.endsWith(`;0;0;${shared};`), row)
  assert.deepEqual(others, [])
  const viewer = await openBrowser(db.sql, service.address, { merchant_id, roles: ['viewer'] })
  assert.equal((await viewer.post(at(), typed, at())).status, 403)
})

test('the filters of the links are in the address, and the export has exactly the links of the list', async () => {
  const from = new Date().toISOString().slice(0, 10)
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  const { merchant_id } = await newMerchant(db.sql)
  const at = (path = '') => `/console/live/${merchant_id}/links${path}`
  const owner = await openBrowser(db.sql, service.address, { merchant_id, roles: ['owner'] })
  const ids: Record<string, string> = {}
  for (const description of ['Tissu wax', 'Tissu uni', 'Pagne', 'Loyer', 'Foire']) {
    const { location } = await owner.post(at(), { description, amount: '25000', until: '' }, at())
    ids[description] = /lnk_\w+/.exec(location!)![0]
  }
  await owner.post(at(`/${ids.Pagne!}/close`), {}, at())
  await db.sql`update payment_links set expires_at = '2026-01-31' where id in (${ids.Loyer!}, ${ids.Foire!})`
  await db.sql`update payment_links set taken_by = 'cs_1' where id = ${ids.Foire!}`

  const listed = async (query: string) => {
    const { links } = (await owner.facts(at(query))).body as { links: { link_id: string; status: string }[] }
    const { text, status } = await owner.get(at(query.replace('?', '/export?format=csv&')))
    assert.equal(status, 200, query)
    const rows = text.trimEnd().split('\r\n').slice(1)
    assert.deepEqual(
      rows.map((row) => row.split(';')[1]),
      links.map(({ link_id }) => link_id),
      query,
    )
    return links.map(({ link_id }) => Object.keys(ids).find((name) => ids[name] === link_id))
  }
  const to = new Date().toISOString().slice(0, 10)
  const all = ['Foire', 'Loyer', 'Pagne', 'Tissu uni', 'Tissu wax']
  for (const [query, expected] of Object.entries({
    '?status=open': ['Tissu uni', 'Tissu wax'],
    '?status=busy': ['Foire'],
    '?status=closed': ['Pagne'],
    '?status=expired': ['Loyer'],
    '?status=paid': [],
    '?text=TISSU': ['Tissu uni', 'Tissu wax'],
    [`?text=${ids.Loyer}`]: ['Loyer'],
    '?text=tissu&status=closed': [],
    [`?from=${from}&to=${to}`]: all,
    '?to=2026-01-01': [],
    '?from=2099-01-01': [],
  }))
    assert.deepEqual(await listed(query), expected, query)

  const { text } = await owner.get(at('?text=tissu&status=open'))
  assert.ok(text.includes(`href="${at('/export')}?status=open&amp;text=tissu&amp;format=csv"`), 'the export keeps them')
  assert.ok(text.includes(`href="${at()}?text=tissu"`), 'each filter is removed alone')
  const wrong = await owner.get(at('?from=2026-02-31'))
  assert.match(wrong.text, /Filtre mis de côté, car il ne se lit pas\s: 2026-02-31/)
  assert.equal((await owner.get(at('/export?format=csv&from=2026-02-31'))).status, 400)
})
