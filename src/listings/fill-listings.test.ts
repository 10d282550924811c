import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPool, openTestDatabase } from '../../tests/harness/database.ts'
import { createPayments, fillManyPayments, movePayment } from '../../tests/harness/listed-payments.ts'
import { newMerchant } from '../../tests/harness/merchant.ts'
import { waitFor } from '../../tests/harness/wait-for.ts'
import { machineMilliseconds } from '../platform/clock.ts'
import { firstIdAt } from '../values/ids.ts'
import { createFillListings } from './fill-listings.ts'
import { readUnlisted } from './store.ts'

/** The payments of one merchant: several steps, of which the last is not full. */
const MANY = 6_000

test('after two jumps of the clock the list waits for identifiers from before the first', async () => {
  await using db = await openTestDatabase()
  const tenant = { merchant_id: (await newMerchant(db.sql)).merchant_id, livemode: false }
  const look = createFillListings({ sql: db.sql })
  const stopping = new AbortController().signal
  await look(stopping)
  for (const ahead of ['25 hours', '4 days']) {
    await db.moveClock(ahead)
    await look(stopping)
  }
  // Of a process that has heard of neither.
  const [late] = await db.sql.begin((tx) => createPayments(tx, tenant, new Date(), [{}]))
  const passed = await db.sql`select source from listing_progress where before_id > ${late!}`
  assert.deepEqual(passed, [])
})

test('events are read for operations that are listed already, and each operation is listed in its newest state', async () => {
  await using db = await openTestDatabase()
  const tenant = { merchant_id: (await newMerchant(db.sql)).merchant_id, livemode: false }
  const fill = createFillListings({ sql: db.sql, listed_after_ms: 0 })
  const fillAfterNow = async () => {
    const last = machineMilliseconds()
    await waitFor(() => machineMilliseconds() > last, { what: 'the next millisecond' })
    await fill(new AbortController().signal)
  }
  const create = () => db.sql.begin((tx) => createPayments(tx, tenant, new Date(), [{}]))
  const move = (id: string) => movePayment(db.sql, tenant, id, ['pending', 'succeeded'], new Date())
  const [listed] = await create()
  await fillAfterNow()
  const [unlisted] = await create()
  for (const id of [listed!, unlisted!]) await move(id)
  const events = { tenant, from: '', until: firstIdAt('evt', Number.MAX_SAFE_INTEGER), limit: 100 }
  const { keys } = await db.sql.begin((tx) => readUnlisted(tx, 'new events', events))
  assert.deepEqual(
    keys.map(({ id }) => id),
    [listed],
    'the other one is still to be listed, in its state of then',
  )
  await fillAfterNow()
  const rows =
    await db.sql`select id, status from listed_operations where merchant_id = ${tenant.merchant_id} order by id`
  assert.deepEqual(rows, [
    { id: listed, status: 'succeeded' },
    { id: unlisted, status: 'succeeded' },
  ])
})

test('each operation is listed by its key, also with a plan for empty tables', async () => {
  await using db = await openTestDatabase()
  // The planner does not know that the tables grew, and sessions keep the plan of their first statement.
  for (const table of ['payments', 'listed_operations']) {
    await db.sql.unsafe(`alter table ${table} set (autovacuum_enabled = off)`)
  }
  await db.sql.unsafe(`alter database ${new URL(db.url).pathname.slice(1)} set plan_cache_mode = force_generic_plan`)
  const tenant = { merchant_id: (await newMerchant(db.sql)).merchant_id, livemode: false }
  const sql = openPool({ url: db.url, connections: 2, name: 'test of plans' })
  const fill = async () => {
    const last = machineMilliseconds()
    await waitFor(() => machineMilliseconds() > last, { what: 'the next millisecond' })
    await createFillListings({ sql, listed_after_ms: 0 })(new AbortController().signal)
  }
  await sql.begin((tx) => createPayments(tx, tenant, new Date(), [{}]))
  await fill()
  await fillManyPayments(db.sql, tenant, MANY)
  await db.sql`update listing_progress set before_id = ''`
  await fill()
  // A session reports its counts when it ends.
  await sql.end({ timeout: 5 })
  const [listed] = await db.sql<{ count: number }[]>`select count(*)::integer as count from listed_operations`
  assert.equal(listed!.count, MANY + 1)
  const read = await db.sql<{ name: string; rows: number }[]>`
    select indexrelname::text as name, idx_tup_read as rows
      from pg_stat_user_indexes
     where relname in ('payments', 'listed_operations') and idx_tup_read > ${10 * MANY}`
  assert.deepEqual(read, [], 'no index was read more often than once for each of a few looks at each payment')
})
