import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../harness/console.ts'
import { openTestDatabase } from '../harness/database.ts'
import { hold, patient, untilWaiting } from '../harness/hold.ts'
import { newMerchant } from '../harness/merchant.ts'
import { startService } from '../harness/start-service.ts'

/** The number of simultaneous pages of one merchant. */
const AT_ONCE = 2

test('pages of a merchant wait for one another, and never delay those of another merchant', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: patient(db.url), env: { RATE_PER_ADDRESS: '1000000' } })
  const open = async () => {
    const { merchant_id } = await newMerchant(db.sql)
    const browser = await openBrowser(db.sql, service.address, { merchant_id, roles: ['owner'] })
    return (path: string, mode = 'test') => browser.facts(`/console/${mode}/${merchant_id}${path}`)
  }
  const [busy, other] = [await open(), await open()]
  // These pages hang, because the rows that they read are locked.
  await using held = await hold(db.sql, (tx) => tx`lock table payment_links in access exclusive mode`)
  const stuck = Array.from({ length: AT_ONCE }, () => busy('/links'))
  await untilWaiting(db.sql, { count: AT_ONCE, statement: 'payment_links' })
  let answered = 0
  const waiting = Array.from({ length: 5 }, async () => {
    const { status } = await busy('/keys')
    answered += 1
    return status
  })

  assert.equal((await other('/keys')).status, 200, 'another merchant reads')
  assert.equal(answered, 0, 'and those of the first wait')
  await held.letGo()
  for (const answer of await Promise.all(stuck)) assert.equal(answer.status, 200)
  for (const status of await Promise.all(waiting)) assert.equal(status, 200)
})
