import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { actor } from '../harness/actor.ts'
import { stopAlone } from '../harness/alone.ts'
import { openBrowser } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { newAloneShop } from './alone-shop.ts'

// The desk's list of the approvals by one person, of all merchants.

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']] })
})
after(() => installation[Symbol.asyncDispose]())

type Listed = { subject_id: string; merchant_id: number; outcome: string | null }

test('the desk lists the waiting approvals of all merchants and the ends of the others, page by page', async () => {
  const { db, services } = installation
  const { address } = services[0]!
  const support = await openBrowser(db.sql, address, { staff: ['support'] })
  const [one, other] = [await newAloneShop(installation), await newAloneShop(installation)]
  for (const shop of [one, other]) await shop.allow()
  const [waiting, stopped, key_id] = [await one.held(), await other.held(), await other.newKey()]
  await one.approve(waiting)
  await other.approve(stopped)
  await other.approveKey(key_id)
  await stopAlone(db.sql, { ...other.sender.tenant, subject_id: stopped }, actor('ama@example.com'))

  const desk = `/desk/${mode}/merchants/single-person`
  const leave = await support.get(`/desk/${mode}/merchants/${one.merchant_id}/single-person`)
  assert.ok(leave.text.includes(`href="${desk}"`))
  const read = async (query = '') => {
    const { status, body } = await support.facts(`${desk}${query}`)
    assert.equal(status, 200)
    const approvals = body.approvals as Listed[]
    return { ids: approvals.map(({ subject_id }) => subject_id), after: body.after as string | null }
  }
  assert.deepEqual((await read()).ids, [waiting, key_id], 'the soonest first')
  const { text } = await support.get(desk)
  assert.match(text, new RegExp(`merchants/${one.merchant_id}/single-person[\\s\\S]*${waiting}`))
  assert.match(text, new RegExp(`href="/desk/${mode}/merchants" aria-current="page"`), 'the menu marks Merchants')
  assert.deepEqual((await read('?part=ended')).ids, [stopped])
  assert.match((await support.get(`${desk}?part=ended`)).text, /une personne l’a arrêté[\s\S]*ama@example\.com/)
  const elsewhere = mode === 'test' ? 'live' : 'test'
  assert.deepEqual((await support.facts(`/desk/${elsewhere}/merchants/single-person`)).body.approvals, [])

  await db.sql`
    insert into solo_approvals (merchant_id, livemode, subject_id, approved_at, approved_by, step_up_id, takes_effect_at, ended_at,
                                ended_by, outcome)
    select merchant_id, livemode, 'por_' || n, clock_now() - interval '3 days', approved_by, step_up_id,
           clock_now() - interval '1 day', clock_now() - interval '1 hour' * (n / 3), 'schedule', 'expired'
      from solo_approvals
     cross join generate_series(3, 62) as n
     where subject_id = ${stopped}`
  const first = await read('?part=ended')
  const second = await read(`?part=ended&after=${first.after}`)
  assert.deepEqual([first.ids.length, second.ids.length, second.after], [50, 11, null])
  assert.equal(new Set([...first.ids, ...second.ids]).size, 61, 'each once')
  assert.deepEqual((await read('?part=ended&after=nonsense')).ids, first.ids)
})

test('a staff member without the right to read merchants does not see it', async () => {
  const { db, services } = installation
  const person = await openBrowser(db.sql, services[0]!.address, { staff: ['administrator'] })
  assert.equal((await person.get(`/desk/${mode}/merchants/single-person`)).status, 403)
})
