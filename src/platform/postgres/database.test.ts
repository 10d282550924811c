import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPool, openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { isConnectionLost, PostgresError } from './failures.ts'

/** A pool whose connections a test may end; `victims` are its backends on the server. */
function openVictim(db: Pick<TestDatabase, 'url'>, connections: number) {
  const sql = openPool({ url: db.url, connections, name: 'victim' })
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) })
}

/** A statement of the pool is being carried out. */
async function untilUnderWay(db: TestDatabase): Promise<void> {
  await waitFor(
    async () =>
      (
        await db.sql`
          select from pg_stat_activity
           where application_name = 'victim' and datname = current_database() and state = 'active'`
      ).length > 0,
    { what: 'a statement to be under way' },
  )
}

test('a statement is refused after its transaction has ended', async () => {
  await using db = await openTestDatabase()
  const tx = await db.sql.begin((open) => ({ open }))
  await assert.rejects(tx.open`select 1`.then(), /transaction of this statement has ended/)
})

test('statements and names can be parts of other statements', async () => {
  await using db = await openTestDatabase()
  const { sql } = db
  await sql`create table notes (n int, "odd ""name" text)`
  await sql`insert into notes (${sql(['n', 'odd "name'])}) values (${1}, ${'one'}), (${2}, ${'two'})`
  const where = (n: number | null) => (n === null ? sql`` : sql`and t.n > ${n}`)
  const find = (n: number | null) => sql`
    select ${sql(['t.n'])} from ${sql('notes')} t where t.n < ${9} ${where(n)} and ${'x'} = 'x' order by n`
  assert.deepEqual([...(await find(null))], [{ n: 1 }, { n: 2 }])
  assert.deepEqual([...(await find(1))], [{ n: 2 }])
  assert.equal((await sql`update notes set n = n + 1`).count, 2)
})

test('a statement whose columns changed their types fails once and is then prepared anew', async () => {
  await using db = await openTestDatabase()
  await using victim = openVictim({ url: db.url }, 1)
  await db.sql`create table notes (n int)`
  await db.sql`insert into notes values (1)`
  const read = async () => [...(await victim`select n from notes`)]
  assert.deepEqual([await read(), await read()], [[{ n: 1 }], [{ n: 1 }]])
  await db.sql`alter table notes alter n type text`
  await assert.rejects(read(), (error) => error instanceof PostgresError && error.code === '0A000')
  assert.deepEqual([await read(), await read()], [[{ n: '1' }], [{ n: '1' }]])
})

test('closing a pool waits for open work, but not past its deadline', async () => {
  await using db = await openTestDatabase()
  const patient = openPool({ url: db.url, connections: 1, name: 'victim' })
  const answered = patient`select pg_sleep(1), 1 as one`.then((rows) => rows[0]!.one)
  await untilUnderWay(db)
  await patient.end({ timeout: 5 })
  assert.equal(await answered, 1)
  await assert.rejects(patient`select 1`.then(), isConnectionLost)

  const hurried = openPool({ url: db.url, connections: 1, name: 'victim' })
  const cut = assert.rejects(hurried`select pg_sleep(4)`.then(), isConnectionLost)
  await untilUnderWay(db)
  const began = performance.now()
  await hurried.end({ timeout: 0.2 })
  await cut
  assert.ok(performance.now() - began < 3_500)
})

test('every connection has its time-outs, a planner that reads by keys, and one core for a statement', async () => {
  await using db = await openTestDatabase()
  const [row] = await db.sql`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
           current_setting('idle_in_transaction_session_timeout') as idle,
           current_setting('enable_seqscan') as scans, current_setting('jit') as jit,
           current_setting('max_parallel_workers_per_gather') as workers`
  assert.deepEqual(row, { statement: '5s', lock: '2s', idle: '10s', scans: 'off', jit: 'off', workers: '0' })
})
