import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { hold, untilWaiting } from '../../../tests/harness/hold.ts'
import { openDatabase, type Sql } from './database.ts'
import { dropOldLogDays, makeLogDays, withLogDays } from './log-days.ts'

/** A database, with a pool beside that of the test, as the upkeep has one. */
async function openLogs(): Promise<TestDatabase> {
  const db = await openTestDatabase()
  const sql = openDatabase({ url: db.url, connections: 4, name: 'upkeep' })
  return {
    ...db,
    sql,
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 1 })
      await db[Symbol.asyncDispose]()
    },
  }
}

/** The days of the request log that stand in it, such as `20260101`. */
async function daysOf({ sql }: Pick<TestDatabase, 'sql'>): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`
    select right(inhrelid::regclass::text, 8) as day
      from pg_inherits
     where inhparent = 'request_log'::regclass and not inhdetachpending
     order by 1`
  return rows.map(({ day }) => day)
}

/** Days from today, by the database's clock. */
async function dayIn({ sql }: TestDatabase, days: number): Promise<string> {
  const [row] = await sql<{ day: string }[]>`
    select to_char((clock_now() at time zone 'UTC')::date + ${days}::integer, 'YYYYMMDD') as day`
  return row!.day
}

/** One call in the log, so many days ago by the database's clock. */
const insertCall = (sql: Pick<Sql, 'unsafe'>, daysAgo = 0) =>
  sql.unsafe(`
    insert into request_log (merchant_id, livemode, request_id, key_id, method, path, status, duration_ms, requested_at)
    values (1, false, '${randomUUID()}', 'k', 'GET', '/', 200, 1, clock_now() - interval '${daysAgo} days')`)

/** Ten calls, each of which must find its lock within a fifth of a second. */
async function writeWithoutWaiting({ sql }: TestDatabase): Promise<void> {
  for (let at = 0; at < 10; at += 1) {
    await sql.begin(async (tx) => {
      await tx`set local lock_timeout = '200ms'`
      await insertCall(tx)
    })
  }
}

describe('the days of a log', { concurrency: true }, () => {
  test('are made from yesterday to a week ahead, whenever that is, and made once', async () => {
    await using db = await openLogs()
    await db.moveClock('400 days')
    await Promise.all([makeLogDays(db.sql, 'request_log'), makeLogDays(db.sql, 'request_log')])
    await makeLogDays(db.sql, 'request_log')
    const made = (await daysOf(db)).slice(-9)
    assert.deepEqual(made, await Promise.all([-1, 0, 1, 2, 3, 4, 5, 6, 7].map((days) => dayIn(db, days))))
    await insertCall(db.sql)
  })

  test('are made beside those who write', async () => {
    await using db = await openLogs()
    await using writer = await hold(db.sql, insertCall)
    await db.moveClock('3 days')
    await makeLogDays(db.sql, 'request_log')
    assert.equal((await daysOf(db)).at(-1), await dayIn(db, 7))
    await writer.letGo()
  })

  test('are dropped by their age, with all that is in them, and the others stay', async () => {
    await using db = await openLogs()
    await insertCall(db.sql)
    await db.moveClock('31 days')
    await makeLogDays(db.sql, 'request_log')
    await insertCall(db.sql)
    const oldest = await dayIn(db, -30)
    const { dropped, left } = await dropOldLogDays(db.sql, 'request_log', 30)
    assert.deepEqual({ dropped: dropped.length, left }, { dropped: 2, left: [] })
    assert.equal((await daysOf(db))[0], oldest)
    const [row] = await db.sql<{ calls: number }[]>`select count(*)::int as calls from request_log`
    assert.equal(row!.calls, 1)
    assert.deepEqual(await dropOldLogDays(db.sql, 'request_log', 30), { dropped: [], left: [] })
  })

  test('leave while others write, and nobody waits behind it', async () => {
    await using db = await openLogs()
    await using writer = await hold(db.sql, insertCall)
    await db.moveClock('31 days')
    await makeLogDays(db.sql, 'request_log')
    const patient = openDatabase({ url: db.url, connections: 1, name: 'patient' })
    await patient`select set_config(name, '20s', false) from unnest(array['lock_timeout', 'statement_timeout']) as name`
    const dropping = dropOldLogDays(patient, 'request_log', 30)
    await untilWaiting(db.sql, { statement: 'detach partition' })
    await writeWithoutWaiting(db)
    await writer.letGo()
    assert.deepEqual((await dropping).left, [])
    await patient.end()
  })

  test('that were interrupted while they left go with the next call', async () => {
    await using db = await openLogs()
    await using writer = await hold(db.sql, insertCall)
    await db.moveClock('31 days')
    await makeLogDays(db.sql, 'request_log')
    const first = await dropOldLogDays(db.sql, 'request_log', 30)
    assert.equal(first.left.length, 2, 'somebody was there for longer than we wait')
    await writeWithoutWaiting(db)
    await writer.letGo()
    const second = await dropOldLogDays(db.sql, 'request_log', 30)
    assert.deepEqual(second, { dropped: first.left, left: [] })
    const [row] = await db.sql<{ name: string | null }[]>`select to_regclass(${first.left[0]!})::text as name`
    assert.equal(row!.name, null)
  })

  test('that stand apart because a worker died in between are dropped too', async () => {
    await using db = await openLogs()
    const name = `request_log_${await dayIn(db, -1)}`
    await db.sql.unsafe(`alter table request_log detach partition ${name} concurrently`)
    await db.moveClock('31 days')
    assert.ok((await dropOldLogDays(db.sql, 'request_log', 30)).dropped.includes(name))
  })

  test('are dropped once by two workers at once, and neither fails', async () => {
    await using db = await openLogs()
    await db.moveClock('40 days')
    const other = openDatabase({ url: db.url, connections: 2, name: 'other worker' })
    try {
      const reports = await Promise.all([db.sql, other].map((sql) => dropOldLogDays(sql, 'request_log', 30)))
      const left = await dropOldLogDays(db.sql, 'request_log', 30)
      assert.deepEqual(left.left, [])
      assert.equal(new Set([...reports, left].flatMap(({ dropped }) => dropped)).size, 9)
      assert.deepEqual(await daysOf(db), [])
    } finally {
      await other.end({ timeout: 1 })
    }
  })

  test('go at once where a server cannot let them leave, and give up before writers notice', async () => {
    await using db = await openLogs()
    const sharded = openDatabase({ url: db.url, connections: 2, name: 'sharded', sharded: true })
    try {
      await using writer = await hold(db.sql, insertCall)
      await db.moveClock('31 days')
      await makeLogDays(db.sql, 'request_log')
      const { dropped, left } = await dropOldLogDays(sharded, 'request_log', 30)
      assert.deepEqual({ dropped, left: left.length }, { dropped: [], left: 2 })
      await writer.letGo()
      assert.deepEqual((await dropOldLogDays(sharded, 'request_log', 30)).left, [])
    } finally {
      await sharded.end({ timeout: 1 })
    }
  })

  test('are made for a row that comes without one, up to three days late; an older row is refused', async () => {
    await using db = await openLogs()
    await db.moveClock('20 days')
    for (const daysAgo of [0, 3]) {
      await withLogDays(db.sql, 'request_log', () => insertCall(db.sql, daysAgo))
    }
    const write = () => insertCall(db.sql, 5)
    await assert.rejects(withLogDays(db.sql, 'request_log', write), { code: '23514' })
  })
})
