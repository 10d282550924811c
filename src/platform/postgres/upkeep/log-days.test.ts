import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../../tests/harness/database.ts'
import { countWaiting, hold } from '../../../../tests/harness/hold.ts'
import { waitFor } from '../../../../tests/harness/wait-for.ts'
import { openDatabase, type Sql } from '../database.ts'
import { dropOldLogDays, makeLogDays } from './log-days.ts'

/** Workers that drop days at once. */
const WORKERS = 8

/** The days of the request log, such as `20260101`. */
async function daysOf({ sql }: TestDatabase): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`
    select right(inhrelid::regclass::text, 8) as day from pg_inherits where inhparent = 'request_log'::regclass order by 1`
  return rows.map(({ day }) => day)
}

/** Days from today, by the database's clock. */
async function dayIn({ sql }: TestDatabase, days: number): Promise<string> {
  const [row] = await sql<{ day: string }[]>`
    select to_char((clock_now() at time zone 'UTC')::date + ${days}::integer, 'YYYYMMDD') as day`
  return row!.day
}

/** One call in the log, now by the database's clock. */
const insertCall = (sql: Pick<Sql, 'unsafe'>) =>
  sql.unsafe(`
    insert into request_log (merchant_id, livemode, request_id, key_id, method, path, status, duration_ms, requested_at)
    values (1, false, '${randomUUID()}', 'k', 'GET', '/', 200, 1, clock_now())`)

describe('the days of a log', { concurrency: true }, () => {
  test('are made from yesterday to two weeks ahead, by several at once and beside those who write', async () => {
    await using db = await openTestDatabase()
    for (const day of await daysOf(db)) await db.sql.unsafe(`drop table request_log_${day}`)
    await makeLogDays(db.sql, 'request_log')
    await db.sql.unsafe(`drop table request_log_${await dayIn(db, 14)}`)
    await using writer = await hold(db.sql, insertCall)
    await Promise.all([makeLogDays(db.sql, 'request_log'), makeLogDays(db.sql, 'request_log')])
    await writer.letGo()
    const expected = await Promise.all(Array.from({ length: 16 }, (_, at) => dayIn(db, at - 1)))
    assert.deepEqual(await daysOf(db), expected)
  })

  test('are dropped by their age, with all that is in them, and the others stay', async () => {
    await using db = await openTestDatabase()
    await insertCall(db.sql)
    await db.moveClock('31 days')
    await insertCall(db.sql)
    const oldest = await dayIn(db, -30)
    const { dropped, left } = await dropOldLogDays(db.sql, 'request_log', 30)
    assert.deepEqual({ dropped: dropped.length, left }, { dropped: 2, left: [] })
    assert.equal((await daysOf(db))[0], oldest)
    const [row] = await db.sql<{ calls: number }[]>`select count(*)::int as calls from request_log`
    assert.equal(row!.calls, 1)
    assert.deepEqual(await dropOldLogDays(db.sql, 'request_log', 30), { dropped: [], left: [] })
  })

  test('stay while somebody writes, whom nobody keeps waiting for longer than a fifth of a second, and go next time', async () => {
    await using db = await openTestDatabase()
    const maintenance = openDatabase({ url: db.url, connections: 1, name: 'maintenance' })
    await using _maintenance = { [Symbol.asyncDispose]: () => maintenance.end({ timeout: 1 }) }
    await using writer = await hold(db.sql, insertCall)
    await db.moveClock('31 days')
    let dropping: ReturnType<typeof dropOldLogDays> | null = null
    // It waits so shortly that a busy test may not see it, and then begins it anew.
    await waitFor(async () => {
      dropping ??= dropOldLogDays(maintenance, 'request_log', 30).finally(() => {
        dropping = null
      })
      return (await countWaiting(db.sql, { statement: 'drop table' })) > 0
    })
    const seen = dropping!
    await db.sql.begin(async (tx) => {
      // Both days that are past are tried, one after the other.
      await tx`set local lock_timeout = '1s'`
      await insertCall(tx)
    })
    const { dropped, left } = await seen
    assert.deepEqual({ dropped, left: left.length }, { dropped: [], left: 2 })
    await writer.letGo()
    assert.deepEqual(await dropOldLogDays(maintenance, 'request_log', 30), { dropped: left, left: [] })
  })

  test('are dropped once by several workers at once, and none fails', async () => {
    await using db = await openTestDatabase()
    await db.moveClock('40 days')
    const others = openDatabase({ url: db.url, connections: WORKERS, name: 'other workers' })
    await using _others = { [Symbol.asyncDispose]: () => others.end({ timeout: 1 }) }
    const oldest = await dayIn(db, -30)
    const past = (await daysOf(db)).filter((day) => day < oldest)
    assert.ok(past.length > 8)
    await Promise.all(Array.from({ length: WORKERS }, () => dropOldLogDays(others, 'request_log', 30)))
    assert.deepEqual((await dropOldLogDays(db.sql, 'request_log', 30)).left, [])
    assert.deepEqual(
      (await daysOf(db)).filter((day) => past.includes(day)),
      [],
    )
  })
})
