import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assets } from '../../src/console/assets.ts'
import { openBrowser } from '../harness/console.ts'
import { openTestDatabase } from '../harness/database.ts'
import { newMerchant } from '../harness/merchant.ts'
import { startService } from '../harness/start-service.ts'

test('without a session a page leads to the sign-in and names where to go on', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  const { merchant_id } = await newMerchant(db.sql)
  const person = await openBrowser(db.sql, service.address, { merchant_id, roles: ['owner'] })
  const inside = await person.get('/console')
  assert.equal(inside.status, 303)
  assert.equal(inside.location, `/console/live/${merchant_id}`)
  const outside = await fetch(new URL('/console', service.address), { redirect: 'manual' })
  assert.equal(outside.status, 303)
  assert.equal(outside.headers.get('location'), '/console/sign-in')
})

test('the files of the console are kept for ever and packed', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  for (const name of assets.keys()) {
    const answer = await fetch(new URL(`/console/files/${name}`, service.address))
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('cache-control')!, /immutable/)
    assert.match(answer.headers.get('content-security-policy')!, /default-src 'none'/)
  }
  assert.equal((await fetch(new URL('/console/files/other.css', service.address))).status, 404)
})
