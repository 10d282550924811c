import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { audit } from '../../src/app/audit.ts'
import { applyRetention } from '../../src/app/retention.ts'
import { createClock } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { openDatabase, type Sql } from '../../src/platform/postgres/database.ts'
import { dropOldEvents } from '../../src/webhooks/drop-old-events.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait-for.ts'
import { newCollector } from './collector.ts'
import { checkBatch, checkPayout } from './payout-answers.ts'
import { inline, newSender, PATIENCE, payout } from './sender.ts'

// Rows past their retention go, rows that people can still ask about stay, and the books hold after it.

const config = readConfig({ DEMO: 'off' })
const log = createLog('silent', 'test')

let installation: Installation
let receiver: Receiver
/** The same database as a service with SHARDED sees it. */
let sharded: Sql

before(async () => {
  installation = await openInstallation({ own: 'moves the clock' })
  receiver = await startReceiver()
  sharded = openDatabase({ url: installation.db.url, connections: 2, name: 'sharded', sharded: true })
})

after(async () => {
  await sharded.end({ timeout: 1 })
  await receiver[Symbol.asyncDispose]()
  await installation[Symbol.asyncDispose]()
})

const wordsOf = (merchant_id: number) => ['--merchant', String(merchant_id), '--mode', 'test']

let days = 0
/** So many days pass. They never come back, so that every test begins after the one before. */
const later = (more: number) => {
  days += more
  return installation.db.moveClock(`${days} days`)
}

const countOf = async (table: string, merchant_id: number) => {
  const { sql } = installation.db
  const [row] = await sql<{ rows: number }[]>`
    select count(*)::int as rows from ${sql(table)} where merchant_id = ${merchant_id}`
  return row!.rows
}

test('an event of the last month cannot be dropped, and none can be changed', async () => {
  const { db } = installation
  const collector = await newCollector(installation)
  await collector.collect(1_000)
  const { merchant_id } = collector.merchant
  await assert.rejects(db.sql`delete from events where merchant_id = ${merchant_id}`, { code: '23001' })
  await assert.rejects(db.sql`update events set body = '{}' where merchant_id = ${merchant_id}`, { code: '23001' })
})

test('a worker makes the partitions of the days ahead and drops the past ones when it starts', async () => {
  const { db, start } = installation
  const { sql } = db
  await sql`select make_log_days('request_log', clock_now()::date - 40)`
  await sql`
    insert into idempotency_keys (merchant_id, livemode, key, fingerprint, status, body, created_at)
    values (1, true, 'long-forgotten', '', 201, '{}', clock_now() - interval '40 days')`
  await using worker = await start({ args: ['--only', 'worker'] })
  await waitFor(
    async () => {
      const [row] = await sql<{ oldest: string; newest: string; answers: number }[]>`
        select min(inhrelid::regclass::text) as oldest, max(inhrelid::regclass::text) as newest,
               (select count(*)::int from idempotency_keys where key = 'long-forgotten') as answers
          from pg_inherits
         where inhparent = 'request_log'::regclass`
      const dayIn = (days: number) => {
        const day = new Date(createClock().milliseconds() + days * 86_400_000)
        return `request_log_${day.toISOString().slice(0, 10).replaceAll('-', '')}`
      }
      return row!.oldest === dayIn(-30) && row!.newest === dayIn(14) && row!.answers === 0
    },
    { ...PATIENCE, what: 'the maintenance' },
  )
  await worker.stop()
})

for (const way of ['walked', 'by merchant'] as const) {
  const database = () => (way === 'walked' ? installation.db.sql : sharded)

  test(`expired uses are deleted, that of an executable batch stays, and it counts again (${way})`, async () => {
    const { db } = installation
    const sender = await newSender(installation)
    const { merchant_id } = sender.merchant
    for (const _ of [1, 2]) {
      await sender.untilPayout(checkPayout(await sender.send(payout(1_000)), 201).id, 'succeeded')
    }
    const draft = await sender.prepare({ lines: [{ amount: 2_000, beneficiary: inline() }] })
    const batch_id = checkBatch(draft, 201).id
    await later(9)
    // The pointer has not passed them yet, because no decision was made since.
    await applyRetention(database(), config, log)
    assert.equal(await countOf('payout_cap_usage', merchant_id), 3)

    assert.equal((await sender.send(payout(3_000))).status, 201)
    await applyRetention(database(), config, log)
    assert.equal(await countOf('payout_cap_usage', merchant_id), 2, "today's and the draft's")
    assert.equal((await audit(db.sql)).ok, true)

    assert.equal((await sender.execute(batch_id)).status, 200)
    await sender.untilBatch(batch_id, 'termine')
    const [window] = await db.sql<{ used: number }[]>`
      select used from payout_cap_totals where merchant_id = ${merchant_id} and not livemode`
    assert.equal(window!.used, 5_000)
    await later(9)
    assert.equal((await sender.send(payout(500))).status, 201)
    await applyRetention(database(), config, log)
    assert.equal(await countOf('payout_cap_usage', merchant_id), 1)
    const report = await audit(db.sql)
    assert.deepEqual(
      report.checks.filter(({ wrong }) => wrong > 0),
      [],
    )
  })

  test(`stored answers and callbacks are deleted by age, payments never (${way})`, async () => {
    const { db } = installation
    const collector = await newCollector(installation)
    const { merchant_id } = collector.merchant
    const { id } = await collector.collect(1_000)
    await waitFor(
      async () => {
        const [row] = await db.sql<{ kept: boolean }[]>`
          select count(*) > 0 as kept
            from operator_callbacks
            join operator_references using (connector, reference)
           where subject_id = ${id}`
        return row!.kept
      },
      { ...PATIENCE, what: 'the callback' },
    )
    const answers = await countOf('operator_answers', merchant_id)
    await later(29)
    await applyRetention(database(), config, log)
    assert.equal(await countOf('idempotency_keys', merchant_id), 1)
    assert.notEqual((await db.sql`select digest from operator_callbacks`).length, 0)
    await later(62)
    // Two workers at once.
    await Promise.all([1, 2].map(() => applyRetention(database(), config, log)))
    assert.equal(await countOf('idempotency_keys', merchant_id), 0)
    assert.equal((await db.sql`select digest from operator_callbacks`).length, 0, 'of nobody else either')
    assert.equal((await collector.payment(id)).status, 'succeeded')
    assert.ok(answers > 0 && (await countOf('operator_answers', merchant_id)) >= answers)
  })

  test(`events are deleted with their deliveries after their time, except one that waits for its endpoint (${way})`, async () => {
    const { db, bandama } = installation
    const collector = await newCollector(installation)
    const { merchant_id } = collector.merchant
    const of = wordsOf(merchant_id)
    const { endpoint_id } = await bandama('endpoint', 'create', ...of, '--url', receiver.url)
    await collector.collect(1_000)
    await waitFor(
      async () =>
        (await db.sql`select id from deliveries where merchant_id = ${merchant_id} and status <> 'delivered'`)
          .length === 0,
      { ...PATIENCE, what: 'what is delivered' },
    )
    await bandama('endpoint', 'disable', ...of, '--endpoint', String(endpoint_id))
    await collector.collect(2_000)
    const before = await countOf('events', merchant_id)
    await later(364)
    await dropOldEvents(database(), 365)
    assert.equal(await countOf('events', merchant_id), before)
    await later(2)
    // The deletion does not wait for a delivery that is locked; the next run drops its event.
    await db.sql.begin(async (tx) => {
      const [held] = await tx<{ event_id: string }[]>`
        select event_id from deliveries where merchant_id = ${merchant_id} and status = 'delivered' limit 1 for update`
      await dropOldEvents(database(), 365)
      const kept = await tx`select from events where merchant_id = ${merchant_id} and id = ${held!.event_id}`
      assert.equal(kept.length, 1)
    })
    await dropOldEvents(database(), 365)
    const left = await countOf('events', merchant_id)
    assert.ok(left > 0 && left < before, `${left} of ${before}`)
    assert.equal(await countOf('deliveries', merchant_id), left)
  })

  test(`the cleaning skips rows that stay, even if they fill whole pages (${way})`, async () => {
    const { db, bandama } = installation
    const [waits, goes] = [await newCollector(installation), await newCollector(installation)]
    const [staying, going] = [waits.merchant.merchant_id, goes.merchant.merchant_id]
    const { endpoint_id } = await bandama('endpoint', 'create', ...wordsOf(staying), '--url', receiver.url)
    await bandama('endpoint', 'disable', ...wordsOf(staying), '--endpoint', String(endpoint_id))
    for (const amount of [1_000, 2_000, 3_000]) await waits.collect(amount)
    const deliveries = (status: string) => db.sql`
      select id from deliveries where merchant_id = ${staying} and status = ${status}`
    // The first may have been written before the service heard that the endpoint is disabled.
    await waitFor(async () => (await deliveries('pending')).length === 0, { ...PATIENCE, what: 'what is delivered' })
    const held = (await deliveries('held')).length
    assert.ok(held >= 4, `${held} deliveries`)
    // Theirs are the last.
    await goes.collect(4_000)
    await later(366)
    await dropOldEvents(database(), 365, { page: 2 })
    assert.equal(await countOf('events', staying), held)
    assert.equal(await countOf('deliveries', staying), held)
    assert.equal(await countOf('events', going), 0)
  })
}
