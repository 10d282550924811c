import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { openDatabase } from './database.ts'
import { PostgresError, violatedConstraint } from './failures.ts'

// What is said to a server behind a pooler, seen on the server itself: each of these pools has one session.

function openPooled(db: TestDatabase, more: { prepare?: boolean } = {}) {
  const sql = openDatabase({ url: db.session_url, connections: 1, name: 'pooled', pooler: 'transaction', ...more })
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) })
}

const held = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
                     current_setting('idle_in_transaction_session_timeout') as idle,
                     current_setting('enable_seqscan') as scans, current_setting('jit') as jit`
const wanted = { statement: '5s', lock: '2s', idle: '10s', scans: 'off', jit: 'off' }

test('behind a pooler each statement and each transaction has what a session has otherwise', async () => {
  await using db = await openTestDatabase()
  await using sql = openPooled(db)
  assert.deepEqual([...(await sql.unsafe(held))], [wanted])
  assert.deepEqual(
    [...(await sql.begin('isolation level repeatable read read only', (tx) => tx.unsafe(held)))],
    [wanted],
  )
  const direct = openDatabase({ url: db.session_url, connections: 1, name: 'direct' })
  assert.deepEqual([...(await direct.unsafe(held))], [wanted])
  await direct.end()
})

test('it leaves nothing in the session, neither settings nor prepared statements', async () => {
  await using db = await openTestDatabase()
  await using sql = openPooled(db)
  await sql`select ${1}::int`
  await sql.begin((tx) => tx`select ${2}::int`)
  const [row] = await sql`
    select (select count(*) from pg_prepared_statements) as prepared,
           (select reset_val from pg_settings where name = 'enable_seqscan') as scans`
  assert.deepEqual(row, { prepared: 0, scans: 'on' })
  await using prepared = openPooled(db, { prepare: true })
  const [found] = await prepared`
    select ${1}::int, (select count(*) from pg_prepared_statements where statement like '%$1::int%') as count`
  assert.equal(found!.count, 1)
})

test('what was prepared for a transaction that failed serves the next', async () => {
  await using db = await openTestDatabase()
  await using sql = openPooled(db, { prepare: true })
  await sql`create table notes (n int constraint notes_once primary key)`
  const write = (first: number, second: number, third: number) =>
    sql.begin((tx) => {
      tx.send(tx`insert into notes values (${first})`)
      tx.send(tx.copy('notes', { n: 'integer' }, [{ n: second }]))
      tx.send(tx`insert into notes select ${third}::int`)
    })
  for (let round = 0; round < 12; round += 3) {
    await write(round, round + 1, round + 2)
    for (const [first, second, third] of [
      [0, 90, 91],
      [92, 1, 93],
      [94, 95, 2],
    ] as const) {
      await assert.rejects(write(first, second, third), (error) => violatedConstraint(error) === 'notes_once')
    }
  }
  assert.equal((await sql`select from notes where n < 12`).count, 12)
  assert.equal((await sql`select from notes`).count, 12)
})

test('behind a pooler a statement alone is refused, counted and written as without one', async () => {
  await using db = await openTestDatabase()
  await using sql = openPooled(db)
  await sql`create table notes (n int constraint notes_once primary key)`
  assert.equal((await sql`insert into notes select generate_series(1, 3)`).count, 3)
  await assert.rejects(
    sql`insert into notes values (${3})`.then(),
    (error) => violatedConstraint(error) === 'notes_once',
  )
  await assert.rejects(
    sql`select ${'x'}::int`.then(),
    (error) => error instanceof PostgresError && error.code === '22P02',
  )
  assert.deepEqual([...(await sql`select n from notes order by n`)], [{ n: 1 }, { n: 2 }, { n: 3 }])
})
