import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { destroyConnection } from '../../src/platform/postgres/servers/connection.ts'
import { migrate } from '../../src/platform/postgres/upkeep/migrate.ts'
import { createDatabaseBefore, example } from '../harness/example-migrations.ts'
import { countWaiting, hold, untilWaiting } from '../harness/hold.ts'
import { waitFor } from '../harness/wait-for.ts'

// A migration replaces the keys of large tables while processes of the previous version go on writing to them.

const BEFORE = '0002_'

/** Accepts an order and moves it, each in a transaction, like a process of the previous version. */
async function order(sql: Sql): Promise<void> {
  const merchant_id = 1 + Math.floor(Math.random() * 20)
  const id = crypto.randomUUID()
  await sql`insert into orders (merchant_id, id) values (${merchant_id}, ${id})`
  await sql.begin(async (tx) => {
    await tx`update orders set moves = moves + 1 where merchant_id = ${merchant_id} and id = ${id}`
    await tx`insert into order_moves (merchant_id, order_id, number) values (${merchant_id}, ${id}, 1)`
  })
}

test('a migration replaces keys under concurrent writes, and no write is refused', async () => {
  await using old = await createDatabaseBefore(BEFORE)
  const writers = Array.from({ length: 4 }, () => old.open())
  let written = 0
  let over = false
  const writing = writers.map(async (sql) => {
    while (!over) {
      await order(sql)
      written += 1
    }
  })
  await waitFor(async () => written > 200, { what: 'orders before' })
  const before = written
  const applied = await migrate(old.url, null, example)
  const meanwhile = written - before
  over = true
  await Promise.all(writing)
  assert.equal(applied[0], '0002_keys_by_id_concurrently.sql')
  assert.ok(meanwhile > 0, 'orders were written meanwhile')
  const [sql] = writers
  const [kept] = await sql!`
    select (select count(*)::int from orders where moves = 1) as orders,
           (select count(*)::int from order_moves) as moves,
           (select count(*)::int from pg_constraint where contype = 'f' and not convalidated) as unproven,
           (select count(*)::int from pg_index where not indisvalid) as invalid`
  assert.deepEqual(kept, { orders: written, moves: written, unproven: 0, invalid: 0 })
})

test('a migration waits for the index that a killed process left the server building, and keeps it', async () => {
  await using old = await createDatabaseBefore(BEFORE)
  const [reader, watcher] = [old.open(), old.open()]
  // The build waits for an earlier reader, so the test decides when it ends.
  await using reading = await hold(reader, (tx) => tx`select id from orders`, 'isolation level repeatable read')
  const killed = new pg.Client({ connectionString: old.url, application_name: 'killed' })
  killed.on('error', () => {})
  await killed.connect()
  await killed.query(`select pg_advisory_lock(hashtext('bandama migrations'))`)
  killed.query('create unique index concurrently orders_by_id on orders (id, merchant_id)').catch(() => {})
  await untilWaiting(watcher, { name: 'killed' })
  destroyConnection(killed)
  const migrating = migrate(old.url, null, example)
  const asks = async () =>
    (
      await watcher`
      select pid from pg_stat_activity
       where application_name = 'bandama migrations' and query like '%pg_try_advisory_lock%' and datname = current_database()`
    ).length === 1
  await waitFor(asks, { what: 'who comes next' })
  assert.equal(await countWaiting(watcher, { name: 'killed' }), 1, 'the server does not know yet')
  const [built] = await watcher`
    select indexrelid::int as index, indisvalid as valid from pg_index where indexrelid = 'orders_by_id'::regclass`
  assert.equal(built!.valid, false)
  await reading.letGo()
  await migrating
  const [kept] = await watcher`select 'orders_pkey'::regclass::oid::int as index`
  assert.equal(kept!.index, built!.index)
})
