import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newCollector } from '../contract/collector.ts'
import { openBrowser } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

const idsIn = (body: Record<string, unknown>) => (body.operations as { id: string }[]).map(({ id }) => id)

test('payments are listed newest first, filtered by the address, searched, and exported exactly as listed', async () => {
  const shop = await newCollector(installation)
  const { merchant_id, livemode } = shop.tenant
  const { address } = installation.services[0]!
  const base = `/console/${livemode ? 'live' : 'test'}/${merchant_id}`
  const small = await shop.collect(1_500, { simulate: true })
  const large = await shop.collect(30_000, { simulate: true })
  const accountant = await openBrowser(installation.db.sql, address, { merchant_id, roles: ['accountant'] })

  const all = await accountant.facts(`${base}/payments`)
  assert.equal(all.status, 200)
  assert.deepEqual(idsIn(all.body), [large.id, small.id])
  const narrowed = await accountant.facts(`${base}/payments?min=20000&status=succeeded`)
  assert.deepEqual(idsIn(narrowed.body), [large.id])
  assert.deepEqual(idsIn((await accountant.facts(`${base}/payments?status=failed`)).body), [])
  const page = await accountant.get(`${base}/payments?min=20000`)
  assert.match(page.text, /30\u202f000/)
  assert.doesNotMatch(page.text, /1\u202f500/)
  assert.match(page.text, /Ôter le filtre/)

  const csv = await accountant.get(`${base}/payments/export?format=csv&min=20000`)
  assert.equal(csv.status, 200)
  assert.match(csv.headers.get('content-disposition')!, livemode ? /"payments-/ : /"TEST-payments-/)
  assert.ok(csv.text.includes(large.id))
  assert.ok(!csv.text.includes(small.id))

  const found = await accountant.facts(`${base}/search?q=${large.id}`)
  assert.deepEqual(
    (found.body.hits as { operation: { id: string } }[]).map(({ operation }) => operation.id),
    [large.id],
  )
  const byAmount = await accountant.get(`${base}/search?${new URLSearchParams({ q: '30 000 F CFA' })}`)
  assert.ok(byAmount.text.includes(large.id))
  assert.match((await accountant.get(`${base}/search?q=rien`)).text, /Rien trouvé/)

  const other = await newCollector(installation)
  const stranger = await openBrowser(installation.db.sql, address, {
    merchant_id: other.tenant.merchant_id,
    roles: ['owner'],
  })
  const elsewhere = `/console/${livemode ? 'live' : 'test'}/${other.tenant.merchant_id}`
  assert.deepEqual((await stranger.facts(`${elsewhere}/search?q=${large.id}`)).body.hits, [])
  assert.equal((await stranger.get(`${base}/payments`)).status, 404)
  const viewer = await openBrowser(installation.db.sql, address, { merchant_id, roles: ['viewer'] })
  assert.equal((await viewer.get(`${base}/payments/export`)).status, 403)
  assert.ok(!(await viewer.get(`${base}/payments`)).text.includes('/payments/export'))
})
