import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { mayDecideAlone } from '../../src/payouts/alone/approve-alone.ts'
import { carryOutAlone } from '../../src/payouts/alone/carry-out-alone.ts'
import { PATIENCE } from '../contract/sender.ts'
import { actor } from '../harness/actor.ts'
import { approveRequestAlone, stopAlone } from '../harness/alone.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { confirmSinglePerson, proposeSinglePerson } from '../harness/single-person.ts'
import { openMember, seated } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'
import { aloneDeps, backToThePresent, DAY, newAloneShop, outcomeOf } from './alone-shop.ts'

// The ends of an approval by one person. No worker runs; each test runs the sweep itself.

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']], own: 'moves the clock' })
})
after(() => installation[Symbol.asyncDispose]())
const sweep = () => carryOutAlone(aloneDeps(installation))
const moveBack = () => backToThePresent(installation)

/** Waits until this many sessions of the database wait for a lock. */
async function untilWaiting(sessions: number): Promise<void> {
  const { sql } = installation.db
  const waiting = async () => {
    const [row] = await sql<{ waiting: number }[]>`
      select count(*)::integer as waiting
        from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`
    return row!.waiting >= sessions
  }
  await waitFor(waiting, { ...PATIENCE, what: `${sessions} sessions that wait for a lock` })
}

const actsOn = async (subject: string) => {
  const lines = await installation.db.sql<{ act: string }[]>`
    select act from audit_log where subject = ${subject} order by at, id`
  return lines.map(({ act }) => act)
}

test('a stop while the approval takes effect stops nothing, and the page says so', async () => {
  const { sql, moveClock } = installation.db
  const shop = await newAloneShop(installation)
  await shop.allow()
  const [request_id, key_id] = [await shop.held(), await shop.newKey()]
  const ama = actor('ama@example.com')
  const agreed = { [request_id]: shop.approve, [key_id]: shop.approveKey }
  for (const [subject_id, agree] of Object.entries(agreed)) {
    await moveBack()
    assert.match((await agree(subject_id)).location ?? '', /done=approved_alone/)
    await moveClock(DAY)
    // Both write to the audit log last: the sweep stops there, between its decision and its commit.
    let stopping: ReturnType<typeof stopAlone> | undefined
    let sweeping: Promise<void> | undefined
    await sql.begin(async (tx) => {
      await tx`lock table audit_log in share mode`
      sweeping = sweep()
      await untilWaiting(1)
      stopping = stopAlone(sql, { ...shop.sender.tenant, subject_id }, ama)
      await untilWaiting(2)
    })
    await sweeping
    assert.deepEqual(await stopping, { kind: 'refused', code: 'took_effect' })
    assert.deepEqual(await outcomeOf(installation, subject_id), { outcome: 'carried_out', ended_by: 'schedule' })
    assert.ok(!(await actsOn(subject_id)).some((act) => act.endsWith('.stop_alone')))
  }
  assert.equal(await shop.statusOf(request_id), 'approved')
  await moveBack()

  // A person who presses Stop a moment too late reads so, at each of the three doors.
  const { base, aya, merchant_id } = shop
  for (const [path, page] of [
    [`${base}/approvals/${request_id}/stop-alone`, `${base}/approvals/${request_id}`],
    [`${base}/keys/${key_id}/stop-alone`, `${base}/keys`],
  ] as const) {
    const late = await aya.post(path, {}, page)
    assert.equal(late.location, `${page}?done=took_effect`)
    assert.match((await aya.get(late.location!)).text, /Trop tard/)
  }
  const support = await openMember(installation, 'Issa Cissé', { staff: ['support'] })
  const desk = `/desk/${mode}/merchants/${merchant_id}/single-person`
  const late = await support.post(`${desk}/stop`, { subject: request_id }, desk)
  assert.equal(late.status, 409)
  assert.match(late.text, /Trop tard/)
  const nothing = await support.post(`${desk}/stop`, { subject: await shop.held() }, desk)
  assert.match(nothing.text, /n’attendait plus/)
})

test('a stopped approval never takes effect', async () => {
  const { sql, moveClock } = installation.db
  const shop = await newAloneShop(installation)
  await shop.allow()
  const [request_id, key_id] = [await shop.held(), await shop.newKey()]
  await shop.approve(request_id)
  await shop.approveKey(key_id)
  for (const subject_id of [request_id, key_id]) {
    const done = await stopAlone(sql, { ...shop.sender.tenant, subject_id }, actor('ama@example.com'))
    assert.deepEqual(done, { kind: 'stopped' })
  }
  await moveClock(DAY)
  await sweep()
  await moveBack()
  assert.equal(await shop.statusOf(request_id), 'pending_approval')
  assert.deepEqual(await outcomeOf(installation, key_id), { outcome: 'stopped', ended_by: 'ama@example.com' })
})

test('an approval while its request ends is refused, and none is stored', async () => {
  const { sql } = installation.db
  const { aya, allow, held, sender } = await newAloneShop(installation)
  await allow()
  const subject_id = await held()
  let approving: ReturnType<typeof approveRequestAlone> | undefined
  await sql.begin(async (tx) => {
    await tx`
      update payout_requests
         set status = 'expired', decided_by = 'time', decided_at = clock_now()
       where id = ${subject_id}`
    approving = approveRequestAlone(sql, sender.tenant, subject_id, seated(aya.email))
    await untilWaiting(1)
  })
  assert.deepEqual(await approving, { kind: 'refused', code: 'not_waiting' })
  assert.equal(await outcomeOf(installation, subject_id), undefined)
})

test('the permission belongs to the person to whom the staff gave it, and nobody inherits it', async () => {
  const { sql, moveClock } = installation.db
  const shop = await newAloneShop(installation)
  const { merchant_id, aya } = shop
  const [ama, kofi] = [actor('ama@example.com'), actor('kofi@example.com')]
  const openTerms = () =>
    sql`select person from single_person_terms where merchant_id = ${merchant_id} and ended_at is null`
  await proposeSinglePerson(sql, { merchant_id, reason: 'seule' }, ama)
  await sql`update persons set status = 'disabled' where person_id = ${aya.person_id}`
  const koffi = await openMember(installation, 'Koffi Yao', { merchant_id, roles: ['owner'] })
  assert.deepEqual(await confirmSinglePerson(sql, merchant_id, kofi), { kind: 'refused', code: 'another_person' })
  await sweep()
  assert.deepEqual([...(await openTerms())], [], 'a proposal for somebody else ends too')

  await shop.allow()
  assert.deepEqual([...(await openTerms())], [{ person: koffi.email }])
  const id = await shop.held()
  await sql`update api_keys set created_by = ${koffi.email} where key_id = ${shop.sender.key_id}`
  const at = `${shop.base}/approvals/${id}`
  assert.equal((await koffi.confirm(`${at}/approve-alone`, {}, at)).done.location, `${at}?done=approved_alone`)
  // The same person with new factors may be another person with access to the mailbox.
  await sql`update persons set activated_at = clock_now() where person_id = ${koffi.person_id}`
  assert.equal(await mayDecideAlone(sql, merchant_id, koffi.email), 'not_alone')
  await moveClock(DAY)
  await sweep()
  await moveBack()
  assert.deepEqual([...(await openTerms())], [])
  assert.equal((await outcomeOf(installation, id))?.outcome, 'right_lost')
  assert.equal(await shop.statusOf(id), 'pending_approval')
})

test('the database itself checks the person of the permission', async () => {
  const { sql } = installation.db
  const shop = await newAloneShop(installation)
  await shop.allow()
  const { merchant_id, livemode } = shop.sender.tenant
  const id = await shop.held()
  const decides = async (who: string, wait: string) => {
    await sql`
      insert into solo_approvals (merchant_id, livemode, subject_id, approved_by, approved_at, step_up_id, takes_effect_at)
      values (${merchant_id}, ${livemode}, ${id}, ${who}, clock_now() - ${wait}::interval, 'stp_1', clock_now())`
    const [row] = await sql<{ alone: boolean }[]>`
      select decides_alone(${merchant_id}, ${livemode}, ${id}, ${who}) as alone`
    await sql`update solo_approvals set ended_at = clock_now(), ended_by = 'test', outcome = 'decided' where subject_id = ${id} and ended_at is null`
    return row!.alone
  }
  assert.equal(await decides('someone@example.ci', '2 days'), false)
  assert.equal(await decides(shop.aya.email, '3 days'), true)
})

test('an approval that would take effect after its request’s expiry is not offered and is refused, with the date and the next step', async () => {
  const { sql } = installation.db
  const { aya, base, allow, held, sender } = await newAloneShop(installation)
  await allow()
  const id = await held()
  const page = `${base}/approvals/${id}`
  assert.match((await aya.get(page)).text, /approve-alone/)
  await sql`
    update payout_requests
       set created_at = clock_now() - interval '6 days', expires_at = clock_now() + interval '23 hours'
     where id = ${id}`
  const shown = (await aya.get(page)).text
  assert.doesNotMatch(shown, /approve-alone/)
  assert.match(shown, /expire le \d+[^,]*, avant la fin des 24 heures[\s\S]*Demandez l’envoi de nouveau/)
  assert.match(
    (await aya.get(`${page}?lang=en`)).text,
    /expires on \d+[^,]*, before the 24 hours end[\s\S]*Request the payout/,
  )
  const tried = await aya.post(`${page}/approve-alone`, {}, page)
  assert.equal(tried.status, 409)
  assert.match(tried.text, /role="alert"[\s\S]*avant la fin des 24 heures/)

  // If no request waits longer than a day, another request would not help.
  await sql`update payout_requests set created_at = expires_at - interval '1 day' where id = ${id}`
  assert.match((await aya.get(page)).text, /Aucune demande n’attend ici plus longtemps\. Invitez une deuxième personne/)
  const done = await approveRequestAlone(sql, sender.tenant, id, seated(aya.email))
  assert.deepEqual(done, { kind: 'refused', code: 'expires_first' })
  assert.equal(await outcomeOf(installation, id), undefined)
})
