import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemindOfReports, followIncidents } from '../../src/app/incidents/follow-incidents.ts'
import { endIncidentAs, openIncident } from '../../src/app/incidents/open-incident.ts'
import { viewIncident } from '../../src/app/incidents/read-extent.ts'
import { readIncident, readIncidents, readNow } from '../../src/app/incidents/store.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { firstIdAt } from '../../src/values/ids.ts'
import { actor } from '../harness/actor.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { newMerchant } from '../harness/merchant.ts'

// Rules that wake a person open an incident. Its figures come from what the service has recorded, and its report has a clock.

const watched = { notice_url: 'https://watch.example.com', log: createLog('silent', 'test') }
const HOUR = 3_600_000
const DAY = 24 * HOUR

async function follow(sql: Sql, ...rules: string[]): Promise<void> {
  const now = await readNow(sql)
  const firing = rules.map((rule) => ({ rule, since: new Date(now.getTime() - 60_000) }))
  await sql.begin((tx) => followIncidents(tx, firing, now))
}

test('one incident is open at a time, takes the rules that fire meanwhile, and goes on when they fire again soon', async () => {
  await using db = await openTestDatabase()
  await follow(db.sql)
  await follow(db.sql, 'NotReady')
  await follow(db.sql, 'NotReady', 'ServerErrors')
  await follow(db.sql)
  const [ended] = await readIncidents(db.sql, 10)
  assert.deepEqual(ended!.rules, ['NotReady', 'ServerErrors'])
  assert.ok(ended!.ended_at !== null && ended!.began_at < ended!.detected_at)
  await follow(db.sql, 'OldestDue')
  const [again] = await readIncidents(db.sql, 10)
  assert.deepEqual([again!.id, again!.ended_at, again!.rules.length], [ended!.id, null, 3])
  await follow(db.sql)
  await db.sql`update incidents set ended_at = ended_at - interval '61 minutes'`
  await follow(db.sql, 'NotReady')
  assert.equal((await readIncidents(db.sql, 10)).length, 2)
})

/** An order of live mode that was confirmed at a moment. Each has a number of its own. */
async function order(db: TestDatabase, merchant_id: number, at: number, nth: number, amount: number): Promise<void> {
  const moment = new Date(at)
  const msisdn = `+22505${String(nth).padStart(8, '0')}`
  await db.sql`
    insert into instructions (merchant_id, livemode, subject_id, operator, amount, currency, msisdn, direction, simulate, connector,
                              state, reference, created_at, sent_at, concluded_at)
    values (${merchant_id}, true, ${firstIdAt('txn', at + nth)}, 'mtn_ci', ${amount}, 'XOF', ${msisdn}, 'collect', null, 'own',
            'confirmed', gen_random_uuid(), ${moment}, ${moment}, ${moment})`
}

test('an interruption of five hours meets two thresholds, and people are reminded of its report once', async () => {
  await using db = await openTestDatabase()
  const { merchant_id } = await newMerchant(db.sql)
  // Yesterday from eight to one o'clock, 25 hours ago at least.
  const begin = Math.floor((await readNow(db.sql)).getTime() / DAY) * DAY - 2 * DAY + 8 * HOUR
  const [began_at, ended_at] = [new Date(begin), new Date(begin + 5 * HOUR)]
  await db.sql`
    insert into incidents (id, began_at, detected_at, ended_at, rules) values ('inc_1', ${began_at}, ${began_at}, ${ended_at}, '{NotReady}')`
  for (const [weeks, hour, amount] of [1, 2, 3, 4].flatMap(
    (weeks) =>
      [
        [weeks, 1, 3_000],
        [weeks, 12, 7_000],
      ] as const,
  ))
    await order(db, merchant_id, begin - weeks * 7 * DAY + hour * HOUR, weeks, amount)
  await order(db, merchant_id, begin + HOUR, 9, 200)
  // In the first half hour the worker still wrote that the service was well.
  for (let slot = 0; slot < 6; slot += 1) {
    const starts_at = new Date(begin + slot * 300_000)
    await db.sql`insert into status_figures (starts_at, state, figures) values (${starts_at}, 'ok', '{"NotReady": 1}')`
  }
  await db.sql`
    insert into operator_weather (livemode, operator, direction, starts_at, succeeded, failed, failed_otherwise, open, in_doubt,
                                  confirmed_within, counted_at)
    select true, 'mtn_ci', 'collect', ${began_at}::timestamptz + make_interval(mins => 5 * nth), 6, 4, 0, 0, 0, '{}', clock_now()
      from generate_series(0, 2) nth`
  const now = await readNow(db.sql)
  const [incident] = await readIncidents(db.sql, 1)
  const shown = await viewIncident(db.sql, incident!, now)
  assert.deepEqual(shown.minutes_down, { ours: 270, operators: { mtn_ci: 15 } })
  assert.equal(shown.minutes_unknown, 0)
  assert.deepEqual(shown.share, { volume: 0.28, users: 0 })
  assert.deepEqual(shown.meets, ['interruption_over_4_h', 'volume_25'])
  assert.equal(shown.report_due_at, new Date(begin + 72 * HOUR).toISOString())

  const workers = [1, 2].map(() => createRemindOfReports({ sql: db.sql, ...watched }))
  await Promise.all(workers.map((remind) => remind()))
  await Promise.all(workers.map((remind) => remind()))
  const jobs =
    await db.sql`select kind, payload ->> 'name' as name, payload -> 'data' ->> 'meets' as meets from jobs order by kind`
  assert.deepEqual(
    [...jobs],
    [
      { kind: 'address-notice', name: 'incident_report_due', meets: null },
      { kind: 'post-notice', name: null, meets: 'interruption_over_4_h,volume_25' },
    ],
  )
})

test('minutes before the oldest figures are unknown and meet no threshold', async () => {
  await using db = await openTestDatabase()
  const now = await readNow(db.sql)
  const ago = (hours: number) => new Date(now.getTime() - hours * HOUR)
  const shown = async (began_at: Date, ended_at: Date) => {
    const row = {
      id: 'inc_1',
      detected_at: now,
      rules: [],
      opened_by: null,
      title: null,
      security: false,
      told_hours: [],
    }
    return viewIncident(db.sql, { ...row, began_at, ended_at }, now)
  }
  const before = await shown(ago(10), ago(2))
  assert.deepEqual([before.minutes_down.ours, before.minutes_unknown, before.meets], [0, 480, []])
  const oldest = new Date(Math.floor(ago(3).getTime() / 300_000) * 300_000)
  await db.sql`insert into status_figures (starts_at, state, figures) values (${oldest}, 'ok', '{"NotReady": 1}')`
  const long = await shown(new Date(oldest.getTime() - 60 * DAY), new Date(oldest.getTime() + HOUR))
  assert.deepEqual([long.minutes_down.ours, long.minutes_unknown, long.meets], [55, 60 * 24 * 60, []])
})

test('people are reminded of an incident whose extent cannot be read, and of the others', async () => {
  await using db = await openTestDatabase()
  const detected = new Date((await readNow(db.sql)).getTime() - 25 * HOUR)
  // No moment of JavaScript: reading the extent of the first fails.
  await db.sql`
    insert into incidents (id, began_at, detected_at, rules, security, opened_by, title)
    values ('inc_1', '-infinity', ${detected}, '{}', false, 'ama@example.com', 'endless'),
           ('inc_2', ${detected}, ${new Date(detected.getTime() + 1)}, '{}', true, 'ama@example.com', 'stolen laptop')`
  await createRemindOfReports({ sql: db.sql, ...watched })()
  const jobs = await db.sql`
    select payload -> 'data' ->> 'incident_id' as id, payload -> 'data' ->> 'meets' as meets
      from jobs
     where kind = 'post-notice'
     order by id`
  assert.deepEqual(
    [...jobs],
    [
      { id: 'inc_1', meets: 'unknown' },
      { id: 'inc_2', meets: 'security' },
    ],
  )
})

test('a person opens an incident beside that of a rule, a breach is major at once, and only a person ends it', async () => {
  await using db = await openTestDatabase()
  const clock = createClock()
  const opened = { began_at: null, ended_at: null, security: true, title: 'stolen laptop' }
  const id = await openIncident({ sql: db.sql, clock }, opened, actor('ama@example.com'))
  await follow(db.sql, 'NotReady')
  await follow(db.sql)
  const rows = await readIncidents(db.sql, 10)
  assert.deepEqual(rows.map(({ opened_by, ended_at }) => [opened_by, ended_at === null]).sort(), [
    [null, false],
    ['ama@example.com', true],
  ])
  const mine = (await readIncident(db.sql, id))!
  assert.deepEqual((await viewIncident(db.sql, mine, await readNow(db.sql))).meets, ['security'])
  const ofRule = rows.find(({ opened_by }) => opened_by === null)!
  assert.equal(await endIncidentAs(db.sql, ofRule.id, actor('ama@example.com')), false)
  assert.equal(await endIncidentAs(db.sql, id, actor('kofi@example.com')), true)
  const acts = await db.sql`select actor, act from audit_log where subject = ${id} order by at`
  assert.deepEqual(
    [...acts],
    [
      { actor: 'ama@example.com', act: 'incident.open' },
      { actor: 'kofi@example.com', act: 'incident.end' },
    ],
  )
})
