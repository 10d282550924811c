import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openBrowser } from '../harness/console.ts'
import { openTestDatabase } from '../harness/database.ts'
import { newMerchant } from '../harness/merchant.ts'
import { startService } from '../harness/start-service.ts'

test('a merchant finds its own calls by answer, operation, key and id, page by page, and no other merchant’s', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  const { merchant_id } = await newMerchant(db.sql)
  const { merchant_id: other } = await newMerchant(db.sql)
  const ids = Array.from({ length: 60 }, () => randomUUID())
  // Milliseconds apart, because the day before has no partition.
  const [{ newest } = { newest: new Date(0) }] = await db.sql<{ newest: Date }[]>`select clock_now() as newest`
  for (const [n, request_id] of ids.entries()) {
    const status = n % 2 === 0 ? 201 : 422
    await db.sql`
      insert into request_log (merchant_id, livemode, request_id, key_id, method, path, status, error_code, address, duration_ms, requested_at)
      values (${merchant_id}, true, ${request_id}, ${n === 7 ? 'rare' : 'common'}, 'POST', ${n === 9 ? '/v1-payouts' : '/v1-payments'},
              ${status}, ${status === 422 ? 'invalid_amount' : null}, '192.0.2.7', 12, ${new Date(newest.getTime() - n)})`
  }
  const owner = await openBrowser(db.sql, service.address, { merchant_id, roles: ['developer'] })
  const at = (query: string, mode = 'live', of = merchant_id) => `/console/${mode}/${of}/requests${query}`
  type Facts = { requests: { request_id: string }[]; after: string | null }
  const facts = async (query: string) => (await owner.facts(at(query))).body as Facts
  const found = async (query: string) => (await facts(query)).requests.map(({ request_id }) => request_id)

  const first = await facts('')
  const second = await facts(`?after=${first.after}`)
  const paged = [...first.requests, ...second.requests].map(({ request_id }) => request_id)
  assert.deepEqual(paged, ids, 'pages follow without a gap')
  assert.equal(second.after, null)
  assert.equal((await found('?status=4xx')).length, 30)
  assert.deepEqual(await found('?key=rare'), [ids[7]])
  assert.deepEqual(await found('?operation=POST+%2Fv1-payouts'), [ids[9]])
  assert.deepEqual(await found(`?request_id=${ids[3]}`), [ids[3]])
  assert.deepEqual(await found('?request_id=none'), [])
  const { text } = await owner.get(at('?status=4xx&operation=POST+%2Fv1-payments'))
  assert.match(text, /invalid_amount/)
  assert.match(text, /Retirer le filtre/)
  assert.deepEqual((await owner.facts(at('', 'test'))).body.requests, [])
  assert.match((await owner.get(at('?operation=v1-payments'))).text, /ne se lit pas[^<]*v1-payments/)

  const exporter = await openBrowser(db.sql, service.address, { merchant_id, roles: ['owner'] })
  assert.ok((await exporter.get(at('?status=4xx'))).text.includes(`href="${at('/export?status=4xx&amp;format=csv')}"`))
  const csv = await exporter.get(at('/export?status=4xx&format=csv'))
  assert.match(csv.headers.get('content-disposition')!, /"requests-/)
  const lines = csv.text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(';')[1])
  assert.deepEqual(lines, ['Identifiant', ...ids.filter((_, n) => n % 2 === 1)], 'all pages, in the order of the list')
  const one = await exporter.get(at(`/export?request_id=${ids[3]}&format=csv`))
  assert.deepEqual([one.text.includes(ids[3]!), one.text.trimEnd().split('\r\n').length], [true, 2])
  for (const query of ['operation=v1-payments', 'status=3xx'])
    assert.equal((await exporter.get(at(`/export?${query}&format=csv`))).status, 400, query)
  assert.equal((await owner.get(at('/export?format=csv'))).status, 403)
  const stranger = await openBrowser(db.sql, service.address, { merchant_id: other, roles: ['owner'] })
  assert.deepEqual((await stranger.facts(at(`?request_id=${ids[3]}`, 'live', other))).body.requests, [])
})
