import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { violatedConstraint } from '../../src/platform/postgres/failures.ts'
import { actor } from '../harness/actor.ts'
import { openBrowser } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { confirmSinglePerson, proposeSinglePerson } from '../harness/single-person.ts'
import { openMember } from '../harness/teams.ts'
import { newAloneShop, outcomeOf, untilOutcome } from './alone-shop.ts'

// A merchant with one person: if two staff members allow it, that person decides alone, a day ahead.

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'moves the clock' })
})
after(() => installation[Symbol.asyncDispose]())

test('once a second person has the right, waiting approvals end and the ordinary rule applies', async () => {
  const { sql } = installation.db
  const shop = await newAloneShop(installation)
  const { merchant_id } = shop.sender.tenant
  const reason = 'seule'
  const propose = () => proposeSinglePerson(sql, { merchant_id, reason }, actor('ama@example.com'))
  assert.equal((await propose()).kind, 'done')
  assert.deepEqual(await propose(), { kind: 'refused', code: 'already_open' })
  const confirm = (who: string) => confirmSinglePerson(sql, merchant_id, actor(who))
  assert.deepEqual(await confirm('AMA@example.com'), { kind: 'refused', code: 'same_person' })
  assert.equal((await confirm('kofi@example.com')).kind, 'done')
  const id = await shop.held()
  await shop.approve(id)
  const { address } = installation.services[0]!
  const second = await openBrowser(sql, address, { merchant_id, roles: ['approver'] })
  await untilOutcome(installation, id, 'not_alone')
  const terms = await sql`select ended_by from single_person_terms where merchant_id = ${merchant_id}`
  assert.equal(terms[0]!.ended_by, 'schedule')
  assert.equal(await shop.statusOf(id), 'pending_approval')
  assert.match((await shop.aya.get(`${shop.base}/approvals/${id}`)).text, /Une autre personne décide/)
  assert.equal((await second.facts(`${shop.base}/approvals/${id}`)).body.may_decide, true)
  assert.deepEqual(await propose(), { kind: 'refused', code: 'not_alone' })
})

test('the only person of a merchant approves alone, a day ahead, once two staff members allow it', async () => {
  const { sql } = installation.db
  const shop = await newAloneShop(installation)
  const { aya, base, sender, held } = shop
  const { merchant_id } = sender.tenant
  const [first, stopped] = [await held(), await held()]
  const page = `${base}/approvals/${first}`
  assert.match((await aya.get(page)).text, /Une autre personne décide/)
  const unasked = await aya.post(`${page}/approve-alone`, {}, page)
  assert.equal(unasked.location, page, 'nothing is asked: the staff do not allow it')

  const ama = await openMember(installation, 'Ama Koné', { staff: ['compliance'] })
  const kofi = await openMember(installation, 'Kofi Yao', { staff: ['compliance'] })
  const support = await openMember(installation, 'Issa Cissé', { staff: ['support'] })
  const desk = `/desk/${mode}/merchants/${merchant_id}/single-person`
  assert.equal((await ama.post(`${desk}/propose`, { reason: ' ' }, desk)).status, 409)
  const proposed = await ama.confirm(`${desk}/propose`, { reason: 'Elle tient sa boutique seule' }, desk)
  assert.match(proposed.ask.text, new RegExp(aya.email))
  assert.equal(proposed.done.location, `${desk}?done=saved`)
  assert.equal((await aya.facts(page)).body.may_decide, false)
  assert.equal((await aya.post(`${page}/approve-alone`, {}, page)).location, page, 'not confirmed yet')
  const own = await ama.confirm(`${desk}/confirm`, {}, desk)
  assert.equal(own.done.status, 409)
  assert.match(own.done.text, /Vous l’avez proposé/)
  assert.equal((await kofi.confirm(`${desk}/confirm`, {}, desk)).done.location, `${desk}?done=saved`)

  const asked = await aya.confirm(`${page}/approve-alone`, {}, page)
  assert.match(asked.ask.text, /100\u202f001[\s\S]*Prend effet dans 24 heures/)
  assert.equal(asked.done.location, `${page}?done=approved_alone`)
  assert.match((await aya.get(page)).text, /Approuvé, attend 24 heures/)
  assert.equal(await shop.statusOf(first), 'pending_approval', 'the interface knows no other state')
  await shop.approve(stopped)
  const halted = await aya.post(`${base}/approvals/${stopped}/stop-alone`, {}, `${base}/approvals/${stopped}`)
  assert.equal(halted.location, `${base}/approvals/${stopped}?done=stopped`)
  const third = await held()
  await shop.approve(third)
  assert.match((await support.get(desk)).text, new RegExp(third))
  await support.post(`${desk}/stop`, { subject: third }, desk)
  assert.deepEqual(await outcomeOf(installation, third), { outcome: 'stopped', ended_by: support.email })

  const key_id = await shop.newKey()
  const key = await aya.confirm(`${base}/keys/${key_id}/approve-alone`, {}, `${base}/keys`)
  assert.equal(key.done.location, `${base}/keys?done=approved_alone`)
  assert.match((await aya.get(`${base}/keys`)).text, /Approuvé, attend 24 heures/)

  // The database itself enforces the day.
  const decided = sql`
    update payout_requests set decided_by = ${aya.email}, status = 'rejected', decided_at = clock_now() where id = ${first}`
  await assert.rejects(decided, (error) => violatedConstraint(error) === 'payout_requests_makers_side')
  const confirmed = sql`
    update api_keys set confirmed_by = ${aya.email}, confirmed_at = clock_now() where key_id = ${key_id}`
  await assert.rejects(confirmed, (error) => violatedConstraint(error) === 'api_keys_two_people')
  await assert.rejects(sql`update solo_approvals set takes_effect_at = clock_now()`, /kept as it was|a_day/)

  await installation.db.moveClock('24 hours 1 minute')
  await untilOutcome(installation, first, 'carried_out')
  await untilOutcome(installation, key_id, 'carried_out')
  assert.equal(await shop.statusOf(first), 'approved')
  assert.deepEqual([await shop.statusOf(stopped), await shop.statusOf(third)], ['pending_approval', 'pending_approval'])
  const lines = await sql<{ act: string; with_proof: boolean }[]>`
    select act, step_up_id is not null as with_proof
      from audit_log
     where actor = ${aya.email} and subject = ${first}
     order by at, id`
  assert.deepEqual(
    [...lines],
    [
      { act: 'payout_request.approve_alone', with_proof: true },
      { act: 'payout_request.approve', with_proof: true },
    ],
  )
  const made = await sql`select confirmed_by from api_keys where key_id = ${key_id}`
  assert.equal(made[0]!.confirmed_by, aya.email)
})
