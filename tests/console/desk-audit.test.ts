import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordAct, WHOLE_SERVICE } from '../../src/audit-log/record-act.ts'
import { actor } from '../harness/actor.ts'
import { openBrowser } from '../harness/console.ts'
import { openTestDatabase } from '../harness/database.ts'
import { newMerchant } from '../harness/merchant.ts'
import { stopPayouts } from '../harness/payout-stops.ts'
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
  assert.match(page.text, /Envois arrêtés/)
  assert.match(page.text, /payouts\.stop/)
  const support = await openBrowser(db.sql, service.address, { staff: ['support'] })
  assert.equal((await support.get('/desk/test/audit')).status, 403)
})

test('the audit log is found by person, act, identifier and day, and shows the values that an act changed', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  const { merchant_id } = await newMerchant(db.sql)
  const key = { merchant_id, livemode: false }
  const [ama, kofi] = [actor('ama@example.com'), actor('kofi@example.com')]
  await db.sql.begin(async (tx) => {
    recordAct(tx, key, {
      actor: ama,
      act: 'caps.set',
      before: { day: 5_000, operation: 10 },
      after: { day: 9_000, operation: 10 },
    })
    for (let n = 0; n < 60; n += 1) recordAct(tx, key, { actor: kofi, act: 'settlement.validate', subject: `stl_${n}` })
  })
  const reader = await openBrowser(db.sql, service.address, { staff: ['compliance'] })
  type Page = { acts: { act: string; subject: string | null }[]; after: string | null }
  const read = async (query: string) =>
    (await reader.facts(`/desk/test/audit?merchant=${merchant_id}&${query}`)).body as Page
  assert.deepEqual(
    (await read('person=AMA@example.com')).acts.map(({ act }) => act),
    ['caps.set'],
  )
  assert.deepEqual(
    (await read('on=stl_7')).acts.map(({ subject }) => subject),
    ['stl_7'],
  )
  assert.equal((await read('until=2001-01-01')).acts.length, 0)
  assert.ok((await read('act=no.act&until=tomorrow&after=0_0')).acts.length === 50, 'invalid values count as absent')
  const first = await read('act=settlement.validate')
  assert.equal(first.acts.length, 50)
  const second = await read(`act=settlement.validate&after=${first.after}`)
  assert.equal(new Set([...first.acts, ...second.acts].map(({ subject }) => subject)).size, 60)
  assert.equal(second.after, null)

  const { text } = await reader.get('/desk/test/audit?person=ama@example.com')
  assert.match(text, /5000 → 9000/)
  assert.doesNotMatch(text, /10 → 10/)
})

test('the audit log can be read whatever the name of a connector is', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url })
  const names = ['constructor', 'toString', 'stl']
  await db.sql.begin(async (tx) => {
    for (const subject of names) {
      const place = { merchant_id: WHOLE_SERVICE, livemode: false }
      recordAct(tx, place, { actor: actor('ama@example.com'), act: 'connector.set', subject })
    }
  })
  const reader = await openBrowser(db.sql, service.address, { staff: ['compliance', 'administrator'] })
  const { status, text } = await reader.get('/desk/test/audit')
  assert.equal(status, 200, text)
  for (const name of names) {
    assert.match(text, new RegExp(`>${name}<`))
    assert.doesNotMatch(text, new RegExp(`href="[^"]*/${name}"`))
  }
})
