import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createMerchantSettings } from '../../src/merchants/settings.ts'
import { stopAlone } from '../../src/payouts/alone/approve-alone.ts'
import { carryOutAlone } from '../../src/payouts/alone/carry-out-alone.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { PATIENCE } from '../contract/sender.ts'
import { actor } from '../harness/actor.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import { newAloneShop, outcomeOf } from './alone-shop.ts'
import { openStaffMember } from './staff-member.ts'

// How an approval by one person ends. No worker runs: each test sweeps when it wants to.

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']] })
})
after(() => installation[Symbol.asyncDispose]())
const DAY = '24 hours 1 minute'

async function sweep(): Promise<void> {
  const { sql } = installation.db
  const caps = { payout_cap_operation: 100_000, payout_cap_day: 1_000_000 }
  const settings = createMerchantSettings({ sql })
  await carryOutAlone({ sql, settings, caps, clock: createClock(), log: createLog('silent', 'test') })
}

/** Waits until so many sessions of this database wait for a lock of somebody else. */
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

test('a stop that comes while the approval takes effect says so, and stops nothing', async () => {
  const { sql, moveClock } = installation.db
  const shop = await newAloneShop(installation)
  await shop.allow()
  const [request_id, key_id] = [await shop.held(), await shop.newKey()]
  const ama = actor('ama@example.com')
  const agreed = { [request_id]: shop.approve, [key_id]: shop.approveKey }
  for (const [subject_id, agree] of Object.entries(agreed)) {
    await moveClock('0')
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
    assert.deepEqual(await outcomeOf(installation, subject_id), { outcome: 'carried_out', ended_by: 'system' })
    assert.ok(!(await actsOn(subject_id)).some((act) => act.endsWith('.stop_alone')))
  }
  assert.equal(await shop.statusOf(request_id), 'approved')
  await moveClock('0')

  // A person who presses Stop a second too late reads so, at each of the three doors.
  const { base, aya, merchant_id } = shop
  for (const [path, page] of [
    [`${base}/approvals/${request_id}/stop-alone`, `${base}/approvals/${request_id}`],
    [`${base}/keys/${key_id}/stop-alone`, `${base}/keys`],
  ] as const) {
    const late = await aya.post(path, {}, page)
    assert.equal(late.location, `${page}?done=took_effect`)
    assert.match((await aya.get(late.location!)).text, /Trop tard/)
  }
  const support = await openStaffMember(installation, 'Issa Cissé', ['support'])
  const desk = `/desk/${mode}/merchants/${merchant_id}/single-person`
  const late = await support.post(`${desk}/stop`, { subject: request_id }, desk)
  assert.equal(late.status, 409)
  assert.match(late.text, /Trop tard/)
  const nothing = await support.post(`${desk}/stop`, { subject: await shop.held() }, desk)
  assert.match(nothing.text, /n’attendait plus/)
})

test('an approval that was stopped never takes effect', async () => {
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
  await moveClock('0')
  assert.equal(await shop.statusOf(request_id), 'pending_approval')
  assert.deepEqual(await outcomeOf(installation, key_id), { outcome: 'stopped', ended_by: 'ama@example.com' })
})
