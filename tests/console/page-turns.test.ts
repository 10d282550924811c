import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../harness/console.ts'
import { openTestDatabase } from '../harness/database.ts'
import { hold, untilWaiting } from '../harness/hold.ts'
import { newMerchant } from '../harness/merchant.ts'
import { startService } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'

/** Pages of one merchant that are written at once, and that wait for their turn. */
const AT_ONCE = 2
const WAITING = 100

test('pages of a merchant wait for one another, and never before those of another merchant', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url, env: { RATE_PER_ADDRESS: '1000000' } })
  const open = async () => {
    const { merchant_id } = await newMerchant(db.sql)
    const browser = await openBrowser(db.sql, service.address, { merchant_id, roles: ['owner'] })
    return (path: string, mode = 'test') => browser.facts(`/console/${mode}/${merchant_id}${path}`)
  }
  const [busy, other] = [await open(), await open()]
  // Pages that do not come back: what they read is locked.
  await using held = await hold(db.sql, (tx) => tx`lock table payment_links in access exclusive mode`)
  const stuck = Array.from({ length: AT_ONCE }, () => busy('/links'))
  await untilWaiting(db.sql, { count: AT_ONCE, statement: 'payment_links' })
  const refused: unknown[] = []
  const waiting = Array.from({ length: WAITING + 5 }, async () => {
    const { status, body } = await busy('/keys')
    if (status !== 200) refused.push({ status, ...body })
  })
  await waitFor(() => Promise.resolve(refused.length === 5), {
    deadline_ms: 20_000,
    what: 'what is too much to be refused',
  })
  for (const one of refused) assert.deepEqual(one, { status: 429, error: { code: 'rate_limit_exceeded' } })

  assert.equal((await other('/keys')).status, 200, 'another merchant reads meanwhile')
  await held.letGo()
  for (const answer of await Promise.all(stuck)) assert.equal(answer.status, 200)
  await Promise.all(waiting)
  assert.equal(refused.length, 5, 'those that waited were answered')
})
