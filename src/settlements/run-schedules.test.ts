import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pino from 'pino'
import { createMerchant } from '../../tests/harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { readBalances } from '../ledger/balances.ts'
import { post } from '../ledger/post.ts'
import { createClock } from '../platform/clock.ts'
import { runSchedules } from './run-schedules.ts'
import { readSchedule } from './schedule-store.ts'

// Withdrawals at a fixed hour, on the real database. The jobs run here by hand.

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db[Symbol.asyncDispose]())

const settlementRules = { settlement_min: 5_000, destination_cooling_hours: 24 }
const clock = createClock()
const run = (at = clock) => runSchedules({ sql: db.sql, clock: at, log: pino({ level: 'silent' }), settlementRules })

const IBAN = 'CI93CI0080111301134291200589'
const LONG_AGO = '2026-01-01T00:00:00Z'

/** A merchant with a destination, money and a schedule whose run is due. */
async function newShop({ available = 50_000, keep = 20_000, livemode = false } = {}) {
  const { sql } = db
  const tenant = { merchant_id: await createMerchant(sql, 'Maquis'), livemode }
  const { merchant_id } = tenant
  const [to] = await sql<{ id: string }[]>`
    insert into beneficiaries (merchant_id, livemode, kind, name, iban, last4, designated_at)
    values (${merchant_id}, ${livemode}, 'settlement', 'Boutique', ${IBAN}, ${IBAN.slice(-4)}, ${LONG_AGO})
    returning id`
  if (available > 0)
    await sql.begin((tx) =>
      post(tx, [
        {
          ...{ ...tenant, operation: 'adjustment', subject_id: `adj_${merchant_id}` },
          legs: [
            { account: 'held:bank', amount: -available },
            { account: 'available', amount: available },
          ],
        },
      ]),
    )
  await sql`
    insert into settlement_schedules (merchant_id, livemode, days, at_hour, keep, set_by, set_at, next_at)
    values (${merchant_id}, ${livemode}, '{mon,tue,wed,thu,fri,sat,sun}', 6, ${keep}, 'aya@example.ci', clock_now(),
            clock_now() - interval '1 minute')`
  const settlements = () => sql<{ amount: number; made_by: string; status: string }[]>`
    select amount, made_by, status from settlements where merchant_id = ${merchant_id}`
  const change = (values: { designated_at: string | null }) =>
    sql`update beneficiaries set designated_at = ${values.designated_at} where id = ${to!.id}`
  const schedule = async () => (await readSchedule(sql, tenant))!
  const isDue = () =>
    sql`update settlement_schedules set next_at = clock_now() - interval '1 second' where merchant_id = ${merchant_id}`
  return { tenant, settlements, change, schedule, isDue }
}

test('at its hour it asks once for what is available above the floor, with two workers at once and with a clock that comes back', async () => {
  const { tenant, settlements, schedule } = await newShop()
  await Promise.all([run(), run(), run()])
  await run()
  assert.deepEqual(await settlements(), [{ amount: 30_000, made_by: 'aya@example.ci', status: 'pending_validation' }])
  assert.equal((await readBalances(db.sql, tenant))!.available, 20_000)
  const { next_at, last_outcome, last_settlement_id } = await schedule()
  assert.deepEqual([last_outcome, last_settlement_id !== null], ['asked', true])
  assert.ok(next_at.getTime() > Date.now() && next_at.getUTCHours() === 6)
  const [line] = await db.sql`select act, actor, door from audit_log where subject = ${last_settlement_id}`
  assert.deepEqual(line, { act: 'settlement.request', actor: 'aya@example.ci', door: 'system' })
  // A process whose clock is three days behind: the next run is still after the one that was due.
  const other = await newShop()
  const due = (await other.schedule()).next_at
  const late = { ...clock, now: () => new Date(Date.now() - 3 * 86_400_000) }
  await run(late)
  assert.ok((await other.schedule()).next_at > due)
  await run()
  assert.equal((await other.settlements()).length, 1)
})

test('a worker that dies in between has asked for nothing, and the next one asks once', async () => {
  const { settlements, schedule } = await newShop()
  await db.sql`
    create function die() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$`
  await db.sql`create trigger die before update on settlement_schedules for each row execute function die()`
  await run()
  assert.deepEqual([await settlements(), (await schedule()).last_at], [[], null])
  await db.sql`drop trigger die on settlement_schedules`
  await run()
  assert.equal((await settlements()).length, 1)
})

test('without a destination, while it cools, below the floor or with too little it asks for nothing, says why, and goes on', async () => {
  const shop = await newShop()
  const { settlements, change, schedule, isDue } = shop
  const runs = async (values: { designated_at: string | null }) => {
    await change(values)
    await isDue()
    await run()
    return (await schedule()).last_outcome
  }
  assert.equal(await runs({ designated_at: null }), 'no_destination')
  assert.equal(await runs({ designated_at: new Date(Date.now() - 60_000).toISOString() }), 'cooling')
  assert.deepEqual(await settlements(), [])
  assert.equal(await runs({ designated_at: LONG_AGO }), 'asked')
  assert.equal(await runs({ designated_at: LONG_AGO }), 'too_little', 'the rest stays')
  await db.sql`update merchants set active = false where merchant_id = ${shop.tenant.merchant_id}`
  assert.equal(await runs({ designated_at: LONG_AGO }), 'merchant_inactive')
  assert.equal((await settlements()).length, 1)
  const unchecked = await newShop({ livemode: true })
  await db.sql`update merchants set is_checked = false where merchant_id = ${unchecked.tenant.merchant_id}`
  await run()
  assert.equal((await unchecked.schedule()).last_outcome, 'unchecked', 'a destination that its owner has not proved')
  const nothing = await newShop({ available: 0, keep: 20_000 })
  await run()
  assert.equal((await nothing.schedule()).last_outcome, 'too_little', 'less than nothing is above the floor')
  const little = await newShop({ available: 24_999, keep: 20_000 })
  await run()
  assert.equal((await little.schedule()).last_outcome, 'too_little', 'below the smallest settlement')
})
