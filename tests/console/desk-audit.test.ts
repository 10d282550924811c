import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordAct } from '../../src/audit-log/record-act.ts'
import { stopPayouts } from '../../src/payouts/stop-payouts.ts'
import { actor } from '../harness/actor.ts'
import { openBrowser } from '../harness/console.ts'
import { openTestDatabase } from '../harness/database.ts'
import { newMerchant } from '../harness/merchant.ts'
import { startService } from '../harness/start-service.ts'

test('compliance reads the acts of people, all or about one merchant; support does not', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  const { merchant_id } = await newMerchant(db.sql)
  await stopPayouts(db.sql, { scope: 'merchant', merchant_id }, actor('ama@example.com'))
  await stopPayouts(db.sql, { scope: 'operator', operator: 'moov_ci' }, actor('ama@example.com'))
  const reader = await openBrowser(db.sql, service.address, { staff: ['compliance'] })
  const acts = async (query: string) =>
    ((await reader.facts(`/desk/test/audit${query}`)).body as { acts: { act: string }[] }).acts.filter(
      ({ act }) => act === 'payouts.stop',
    ).length
  assert.equal(await acts(''), 2)
  assert.equal(await acts(`?merchant=${merchant_id}`), 1)
  // Many acts in the other mode hide none of this mode.
  const live = { merchant_id, livemode: true }
  await db.sql.begin(async (tx) => {
    for (let n = 0; n < 100; n += 1) recordAct(tx, live, { actor: actor('ama@example.com'), act: 'case.take' })
  })
  assert.equal(await acts(''), 2)
  const page = await reader.get(`/desk/test/audit?merchant=${merchant_id}`)
  assert.equal(page.status, 200)
  assert.match(page.text, /payouts\.stop/)
  const support = await openBrowser(db.sql, service.address, { staff: ['support'] })
  assert.equal((await support.get('/desk/test/audit')).status, 403)
})
