import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import * as payments from '../../src/payments/store.ts'
import { cut } from '../../src/platform/postgres/connection.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { migrate } from '../../src/platform/postgres/migrate.ts'
import { newId } from '../../src/words/ids.ts'
import { createDatabaseBefore } from '../harness/database.ts'
import { countWaiting, hold, untilWaiting } from '../harness/hold.ts'
import { waitFor } from '../harness/wait-for.ts'

// What is large gets other keys while processes of the version before go on writing to it.

const BEFORE = '0030_'

/** A payment is accepted, and its sending begun, each in a transaction, as a process of the version before does it. */
async function pay(sql: Sql): Promise<void> {
  const merchant_id = 1 + Math.floor(Math.random() * 20)
  const id = newId('txn', Date.now())
  const tenant = { merchant_id, livemode: false }
  const key = { ...tenant, payment_id: id }
  const now = new Date()
  const reference = crypto.randomUUID()
  await sql`
    insert into payments (merchant_id, livemode, id, amount, amount_collected, fee_amount, net_amount, currency, operator,
                          merchant_reference, msisdn)
    values (${merchant_id}, false, ${id}, 1000, 1000, 0, 1000, 'XOF', 'orange_ci', ${id}, '+2250700000000')`
  await sql.begin(async (tx) => {
    await payments.lockPayments(tx, [key])
    const move = { from_status: 'created', to_status: 'pending', cause: 'sending_began', failure_code: null } as const
    await payments.movePayments(tx, [{ ...key, ...move }])
    // Written out: today's code knows columns that come later.
    await tx`
      insert into instructions (merchant_id, livemode, subject_id, direction, operator, amount, currency, msisdn, state, reference,
                                attempts, next_check_at, sent_at)
      values (${merchant_id}, false, ${id}, 'collect', 'orange_ci', 1000, 'XOF', '+2250700000000', 'sending', ${reference}, 1,
              ${now}, ${now})`
    await tx`
      insert into sends (merchant_id, livemode, subject_id, attempt, operator, reference)
      values (${merchant_id}, false, ${id}, 1, 'orange_ci', ${reference})`
    await tx`
      insert into simulator_orders (merchant_id, livemode, reference, direction, amount, msisdn_end)
      values (${merchant_id}, false, ${reference}, 'collect', 1000, '0000')`
  })
}

test('keys are exchanged while others write, and none of them is refused', async () => {
  await using old = await createDatabaseBefore(BEFORE)
  const writers = Array.from({ length: 4 }, () => old.open())
  let paid = 0
  let over = false
  const paying = writers.map(async (sql) => {
    while (!over) {
      await pay(sql)
      paid += 1
    }
  })
  await waitFor(async () => paid > 200, { deadline_ms: 20_000, what: 'payments before' })
  const before = paid
  const applied = await migrate(old.session_url)
  const meanwhile = paid - before
  over = true
  await Promise.all(paying)
  assert.equal(applied[0], '0030_keys_by_id_concurrently.sql')
  assert.ok(meanwhile > 0, 'somebody paid meanwhile')
  const [sql] = writers
  const [kept] = await sql!`
    select (select count(*)::int from payments) as payments, (select count(*)::int from payment_moves) as moves,
           (select count(*)::int from sends) as sends,
           (select count(*)::int from pg_constraint where contype = 'f' and not convalidated) as unproven,
           (select count(*)::int from pg_index where not indisvalid) as invalid`
  assert.deepEqual(kept, { payments: paid, moves: paid, sends: paid, unproven: 0, invalid: 0 })
})

test('an index that the server goes on building for a process that was killed is waited for, and kept', async () => {
  await using old = await createDatabaseBefore(BEFORE)
  const [reader, watcher] = [old.open(), old.open()]
  // The build waits for somebody who read before it, so that it is under way for as long as we like.
  await using reading = await hold(reader, (tx) => tx`select id from payments`, 'isolation level repeatable read')
  const killed = new pg.Client({ connectionString: old.session_url, application_name: 'killed' })
  killed.on('error', () => {})
  await killed.connect()
  await killed.query(`select pg_advisory_lock(hashtext('bandama migrations'))`)
  killed
    .query('create unique index concurrently payments_by_id on payments (id, merchant_id, livemode)')
    .catch(() => {})
  await untilWaiting(watcher, { name: 'killed' })
  cut(killed)
  const migrating = migrate(old.session_url)
  const asks = async () =>
    (
      await watcher`
      select pid from pg_stat_activity
       where application_name = 'bandama migrations' and query like '%pg_try_advisory_lock%' and datname = current_database()`
    ).length === 1
  await waitFor(asks, { deadline_ms: 5_000, what: 'who comes next' })
  assert.equal(await countWaiting(watcher, { name: 'killed' }), 1, 'the server does not know yet')
  const [built] = await watcher`
    select indexrelid::int as index, indisvalid as valid from pg_index where indexrelid = 'payments_by_id'::regclass`
  assert.equal(built!.valid, false)
  await reading.letGo()
  await migrating
  const [kept] = await watcher`select 'payments_pkey'::regclass::oid::int as index`
  assert.equal(kept!.index, built!.index)
})
