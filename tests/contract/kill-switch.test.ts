import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { actor } from '../harness/actor.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { resumeByTwo, resumePayouts, stopPayouts } from '../harness/payout-stops.ts'
import { refused } from './commands.ts'
import { checkPayout } from './payout-answers.ts'
import { newSender, payout } from './sender.ts'

// One person stops payouts, two let them go on, and what they did stays.

const AMA = 'ama@example.com'
const KOFI = 'kofi@example.com'

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'audits all books' })
})
after(() => installation[Symbol.asyncDispose]())

const bandama = (...words: string[]) => installation.bandama('payouts', ...words)
const all = { scope: 'all' } as const

type Listed = Record<'scope' | 'value' | 'stopped_by' | 'resume_asked_by' | 'lifted_by' | 'lifted_at', string | null>
const stops = async (...words: string[]) => (await bandama('stops', ...words)).stops as unknown as Listed[]

test("the first person's resume is recorded and payouts stay stopped; a second person lifts the stop, which stays on record", async () => {
  const sender = await newSender(installation)
  await bandama('stop', '--all', '--as', AMA)
  const { id } = checkPayout(await sender.send(payout(100)), 201)
  // The person who stopped may be one of the two.
  const first = await bandama('resume', '--all', '--as', AMA)
  assert.deepEqual([first.waiting, first.stopped_by, first.resume_asked_by], [true, AMA, AMA])
  assert.match(String(first.message), /ama@example.com has asked to resume.*another person/)
  // However the same person is written, there is still one.
  for (const same of [AMA, 'AMA@example.com', `${AMA}\u034f`, `\u3164${AMA}\ufe0f`]) {
    const again = await bandama('resume', '--all', '--as', same)
    assert.deepEqual([again.waiting, again.resume_asked_at], [true, first.resume_asked_at], same)
  }
  const [standing] = await stops()
  assert.deepEqual([standing!.scope, standing!.resume_asked_by, standing!.lifted_by], ['all', AMA, null])
  checkPayout(await sender.read(id), 200, { status: 'created' })

  const second = await bandama('resume', '--all', '--as', KOFI)
  assert.deepEqual([second.waiting, second.resumed, second.lifted_by], [false, { scope: 'all' }, KOFI])
  await sender.untilPayout(id, 'succeeded')
  assert.deepEqual(await stops(), [])
  const [past] = await stops('--history')
  assert.deepEqual([past!.stopped_by, past!.resume_asked_by, past!.lifted_by], [AMA, AMA, KOFI])
  await refused(bandama('resume', '--all', '--as', KOFI), /were not stopped/)
})

test('each scope is lifted on its own', async () => {
  const { sql } = installation.db
  const sender = await newSender(installation)
  const merchant = { scope: 'merchant', merchant_id: sender.tenant.merchant_id } as const
  const operator = { scope: 'operator', operator: 'orange_ci' } as const
  for (const what of [all, merchant, operator]) await stopPayouts(sql, what, actor(AMA))
  const { id } = checkPayout(await sender.send(payout(100)), 201)
  assert.equal((await resumePayouts(sql, all, actor(AMA))).kind, 'waiting')
  // A request to resume all is not one to resume one of the others.
  assert.equal((await resumePayouts(sql, merchant, actor(KOFI))).kind, 'waiting')
  assert.equal((await resumePayouts(sql, all, actor(KOFI))).kind, 'resumed')
  assert.equal((await resumePayouts(sql, merchant, actor(AMA))).kind, 'resumed')
  assert.deepEqual(
    (await stops()).map(({ scope, value }) => [scope, value]),
    [['operator', 'orange_ci']],
  )
  checkPayout(await sender.read(id), 200, { status: 'created' })
  await resumeByTwo(sql, operator)
  await sender.untilPayout(id, 'succeeded')
})

test('payouts that are stopped again need two people anew', async () => {
  const { sql } = installation.db
  await stopPayouts(sql, all, actor(AMA))
  assert.equal((await resumePayouts(sql, all, actor(AMA))).kind, 'waiting')
  await stopPayouts(sql, all, actor(KOFI))
  assert.equal((await stops())[0]!.resume_asked_by, null)
  assert.equal((await resumePayouts(sql, all, actor('issa@example.com'))).kind, 'waiting')
  assert.equal((await resumePayouts(sql, all, actor(KOFI))).kind, 'resumed')
  const acts = await sql<{ act: string; actor: string }[]>`
    select act, actor from audit_log where act like 'payouts.%' and merchant_id = 0 order by at desc limit 5`
  assert.deepEqual(acts.map(({ act, actor }) => `${act} ${actor}`).reverse(), [
    `payouts.stop ${AMA}`,
    `payouts.ask_to_resume ${AMA}`,
    `payouts.stop ${KOFI}`,
    'payouts.ask_to_resume issa@example.com',
    `payouts.resume ${KOFI}`,
  ])
})

test("of concurrent resumes one person's is the first, and one other person's lifts the stop", async () => {
  const { sql } = installation.db
  for (let round = 1; round <= 10; round += 1) {
    await stopPayouts(sql, all, actor(AMA))
    const alone = await Promise.all(Array.from({ length: 4 }, () => resumePayouts(sql, all, actor(AMA))))
    assert.deepEqual([...new Set(alone.map(({ kind }) => kind))], ['waiting'])
    const both = await Promise.all([KOFI, AMA, KOFI, AMA].map((by) => resumePayouts(sql, all, actor(by))))
    assert.equal(both.filter(({ kind }) => kind === 'resumed').length, 1)
  }
})

test('no API key can resume payouts, and the database itself refuses the same person twice', async () => {
  const { sql } = installation.db
  await stopPayouts(sql, all, actor(AMA))
  assert.deepEqual(await resumePayouts(sql, all, actor('key:K1')), { kind: 'not_a_person' })
  const lift = (by: string) => sql`
    update payout_stops set lifted_by = ${by}, lifted_at = clock_now() where lifted_at is null`
  await assert.rejects(lift(KOFI), /payout_stops_complete/, 'nobody has asked')
  await assert.rejects(sql`
    update payout_stops set resume_asked_by = 'key:K1', resume_asked_at = clock_now() where lifted_at is null`)
  assert.equal((await resumePayouts(sql, all, actor(AMA))).kind, 'waiting')
  for (const same of [AMA, 'AMA@Example.com ', `${AMA}\u034f`, `${AMA}\ufe0f`, `\u3164${AMA}`]) {
    await assert.rejects(lift(same), /payout_stops_two_people/, same)
  }
  await assert.rejects(sql`update payout_stops set resume_asked_by = ${KOFI} where lifted_at is null`, /lifted once/)
  await assert.rejects(sql`
    update payout_stops set resume_asked_by = ${KOFI}, lifted_by = ${AMA}, lifted_at = clock_now()
     where lifted_at is null`)
  await assert.rejects(sql`update payout_stops set stopped_by = 'issa' where lifted_at is null`, /lifted once/)
  await assert.rejects(sql`delete from payout_stops`, /append-only/)
  await assert.rejects(sql.unsafe('truncate payout_stops'), /append-only/)
  assert.equal((await resumePayouts(sql, all, actor(KOFI))).kind, 'resumed')
  await assert.rejects(sql`update payout_stops set lifted_by = 'issa' where lifted_by = ${KOFI}`, /lifted once/)
})

test('a send reads only the stops in force, however many have ended', async () => {
  const { sql } = installation.db
  await sql`
    insert into payout_stops (scope, value, stopped_by, stopped_at)
    select 'merchant', n::text, 'ama', clock_now() - interval '1 day' from generate_series(100001, 120000) n`
  await sql`update payout_stops set resume_asked_by = 'ama', resume_asked_at = clock_now() where lifted_at is null`
  await sql`update payout_stops set lifted_by = 'kofi', lifted_at = clock_now() where lifted_at is null`
  await sql.unsafe('analyze payout_stops')
  // The condition of `lockPrepared`.
  const rows = await sql<{ 'QUERY PLAN': string }[]>`
    explain select from instructions i
     where not exists (
       select from payout_stops s
        where s.lifted_at is null
          and (s.scope = 'all'
               or (s.scope = 'operator' and s.value = i.operator)
               or (s.scope = 'merchant' and s.value = i.merchant_id::text)))`
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  assert.match(plan, /payout_stops_in_force/)
  assert.doesNotMatch(plan, /Seq Scan on payout_stops/)
  const sender = await newSender(installation)
  const { id } = checkPayout(await sender.send(payout(100)), 201)
  await sender.untilPayout(id, 'succeeded')
})

test('the books hold', async () => {
  const report = await installation.bandama('audit')
  assert.equal(report.ok, true, JSON.stringify(report))
})
