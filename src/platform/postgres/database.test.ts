import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPool, openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { records, type Sql } from './database.ts'
import { isConnectionLost, PostgresError, violatedConstraint } from './failures.ts'

/** A pool whose connections a test may end; `victims` are its backends on the server. */
function openVictim(db: Pick<TestDatabase, 'url'>, connections: number) {
  const sql = openPool({ url: db.url, connections, name: 'victim' })
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) })
}

/** Ends all connections of the pool, as a server that restarts does; returns how many there were. */
async function endConnections(db: TestDatabase): Promise<number> {
  const ended = await db.sql`
    select pg_terminate_backend(pid)
      from pg_stat_activity
     where application_name = 'victim' and datname = current_database()`
  return ended.count
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
    { deadline_ms: 5_000, what: 'a statement to be under way' },
  )
}

async function rowsOf(sql: Sql): Promise<number[]> {
  return (await sql<{ n: number }[]>`select n from notes order by n`).map(({ n }) => n)
}

test('after a lost connection the rest of its transaction is refused, and never written outside of it', async () => {
  await using db = await openTestDatabase()
  await using victim = openVictim(db, 2)
  await db.sql`create table notes (n int primary key)`
  const late: unknown[] = []
  const lost = victim.begin(async (tx) => {
    await tx`insert into notes values (1)`
    await endConnections(db)
    // Somebody else's statement makes the pool connect anew.
    await waitFor(
      () =>
        victim`select 1`.then(
          () => true,
          () => false,
        ),
      { deadline_ms: 5_000 },
    )
    await tx`insert into notes values (2)`.catch((error) => late.push(error))
  })
  await assert.rejects(lost, isConnectionLost)
  assert.equal(late.length, 1)
  assert.ok(isConnectionLost(late[0]))
  assert.deepEqual(await rowsOf(db.sql), [])
})

test('connections ended again and again in the middle of everything lose nothing acknowledged and halve nothing', {
  timeout: 60_000,
}, async (t) => {
  await using db = await openTestDatabase()
  await using victim = openVictim(db, 4)
  await db.sql`create table halves (id int, half int, primary key (id, half))`
  const acknowledged: number[] = []
  const slow: number[] = []
  let failed = 0
  let ids = 0
  let stopped = false
  const write = (id: number) =>
    victim.begin(async (tx) => {
      await tx`insert into halves values (${id}, 1)`
      if (id % 3 === 0) await sleep(1)
      await Promise.all([tx`insert into halves values (${id}, 2)`, tx`select count(*) from halves where id = ${id}`])
    })
  const work = async () => {
    while (!stopped) {
      const id = ids++
      const began = performance.now()
      try {
        await (id % 5 === 0 ? victim`insert into halves values (${id}, 1), (${id}, 2)` : write(id))
        acknowledged.push(id)
      } catch (error) {
        assert.ok(isConnectionLost(error), String(error))
        failed += 1
      }
      if (performance.now() - began > 5_000) slow.push(id)
    }
  }
  const working = Array.from({ length: 16 }, work)
  let ended = 0
  for (let round = 0; round < 40 || ended <= 40 || failed <= 20; round += 1) {
    await sleep(20 + (round % 7) * 5)
    ended += await endConnections(db)
  }
  const before = acknowledged.length
  await waitFor(() => acknowledged.length > before + 100, { deadline_ms: 10_000, what: 'the pool to work again' })
  stopped = true
  await Promise.all(working)
  const rows = await db.sql<{ id: number; halves: number }[]>`
    select id, count(*) as halves from halves group by id`
  assert.deepEqual([...rows.filter(({ halves }) => halves !== 2)], [])
  const written = new Set(rows.map(({ id }) => id))
  assert.deepEqual(
    acknowledged.filter((id) => !written.has(id)),
    [],
  )
  assert.deepEqual(slow, [])
  t.diagnostic(`${acknowledged.length} acknowledged, ${failed} failed, ${ended} connections ended`)
})

test('a transaction is rolled back when its work throws, and when it overlooks that a statement failed', async () => {
  await using db = await openTestDatabase()
  await using victim = openVictim(db, 1)
  await db.sql`create table notes (n int constraint notes_once primary key)`
  const thrown = victim.begin(async (tx) => {
    await tx`insert into notes values (1)`
    throw new Error('changed my mind')
  })
  await assert.rejects(thrown, /changed my mind/)
  const overlooked = victim.begin(async (tx) => {
    await tx`insert into notes values (2)`
    await tx`insert into notes values (2)`.catch(() => {})
  })
  await assert.rejects(overlooked, (error) => violatedConstraint(error) === 'notes_once')
  // A statement that first met a failed transaction, and several of them on their way together.
  const together = victim.begin((tx) =>
    Promise.all([1, 1, 3].map((n) => tx`insert into notes values (${n})`).concat(tx`select n + 1 from notes`)),
  )
  await assert.rejects(together, (error) => violatedConstraint(error) === 'notes_once')
  assert.deepEqual(await rowsOf(victim), [])
  assert.equal((await victim`select n + 1 from notes`).count, 0)
  await victim.begin((tx) => tx`insert into notes values (${4})`)
  assert.deepEqual(await rowsOf(victim), [4])
})

test('a statement that comes after its transaction ended is refused', async () => {
  await using db = await openTestDatabase()
  const tx = await db.sql.begin((open) => ({ open }))
  await assert.rejects(tx.open`select 1`.then(), /transaction of this statement has ended/)
})

test('values arrive as what they are, and francs are exact or refused', async () => {
  await using db = await openTestDatabase()
  const at = new Date('2026-08-25T10:11:12.345Z')
  const texts = ['plain', 'a "quoted", one', 'back\\slash', '{braces}', '']
  const [row] = await db.sql`
    select ${9_007_199_254_740_991}::bigint as francs, ${at}::timestamptz as at, ${Buffer.from([0, 255])}::bytea as bytes,
           ${texts}::text[] as texts, ${[1, null, 3]}::int[] as numbers, ${true}::boolean as yes, ${null}::text as none,
           ${[9_007_199_254_740_991]}::bigint[] as sums, ${db.sql.json({ a: [1, 'é'] })}::jsonb as json,
           array['a', 'b']::name[] as names, 'text ' || ${"it's"} as text`
  assert.deepEqual(row, {
    francs: 9_007_199_254_740_991,
    at,
    bytes: Buffer.from([0, 255]),
    texts,
    numbers: [1, null, 3],
    yes: true,
    none: null,
    sums: [9_007_199_254_740_991],
    json: { a: [1, 'é'] },
    names: ['a', 'b'],
    text: "text it's",
  })
  await assert.rejects(db.sql`select 9007199254740993::bigint as francs`.then(), /no exact number/)
  assert.throws(() => db.sql`select ${Number.NaN}`.then(), /no value/)
  const rows = await db.sql`
    select n, at from json_to_recordset(${records(db.sql, [{ n: 1, at }, { n: 2 }])}) as r(n int, at timestamptz)`
  assert.deepEqual(
    [...rows],
    [
      { n: 1, at },
      { n: 2, at: null },
    ],
  )
})

test('statements and names stand in the text of others', async () => {
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

test('a statement that the database refuses says why, and its connection goes on', async () => {
  await using db = await openTestDatabase()
  await using victim = openVictim(db, 1)
  const refused = async (statement: PromiseLike<unknown>) => {
    const error = await Promise.resolve(statement).then(
      () => null,
      (reason: unknown) => reason,
    )
    assert.ok(error instanceof PostgresError && !isConnectionLost(error), String(error))
    return error.code
  }
  const [before] = await victim<{ pid: number }[]>`select pg_backend_pid() as pid`
  assert.equal(await refused(victim`select from nowhere`), '42P01')
  assert.equal(await refused(victim`select ${'x'}::int`), '22P02')
  assert.equal(await refused(victim`select ${'a\0b'}::text`), '22021')
  await victim`set statement_timeout = '200ms'`
  assert.equal(await refused(victim`select pg_sleep(9)`), '57014')
  const [after] = await victim<{ pid: number }[]>`select pg_backend_pid() as pid`
  assert.equal(after!.pid, before!.pid)
})

test('a statement alone that is refused as it is committed is refused, and so is a transaction', async () => {
  await using db = await openTestDatabase()
  await db.sql`create table notes (n int constraint notes_once unique deferrable initially deferred)`
  await db.sql`insert into notes values (1)`
  const isTaken = (error: unknown) => violatedConstraint(error) === 'notes_once'
  await assert.rejects(db.sql`insert into notes values (1)`.then(), isTaken)
  await assert.rejects(
    db.sql.begin((tx) => tx`insert into notes values (1)`),
    isTaken,
  )
  assert.deepEqual(await rowsOf(db.sql), [1])
})

test('a transaction whose work throws beside a statement that fails keeps its connection', async () => {
  await using db = await openTestDatabase()
  await using victim = openVictim({ url: db.url }, 1)
  const pid = async () => (await victim<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]!.pid
  const before = await pid()
  const failing = victim.begin((tx) => {
    tx.send(tx`select 1 / ${0}::int`)
    throw new Error('enough')
  })
  await assert.rejects(failing, { message: 'enough' })
  assert.equal(await pid(), before)
})

test('a statement whose columns are of other types now is refused once and prepared anew', async () => {
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

test('the end of a pool waits for what is under way, but not longer than it was told', async () => {
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
  assert.ok(performance.now() - began < 2_000)
})

test('of statements on their way together, the one that failed is told, and not those refused for its sake', async () => {
  await using db = await openTestDatabase()
  const failing = db.sql.begin((tx) => {
    const first = tx`select 1 / ${0}::int`.then()
    const behind = tx`select 1`.then()
    // A caller that awaits both may hear of the second before the first.
    return Promise.all([behind, first.catch((error) => behind.catch(() => Promise.reject(error)))])
  })
  await assert.rejects(failing, (error) => error instanceof PostgresError && error.code === '22012')
  const unseen = db.sql.begin((tx) => {
    tx.send(tx`select 1 / ${0}::int`)
    tx.send(tx`select 1`)
  })
  await assert.rejects(unseen, (error) => error instanceof PostgresError && error.code === '22012')
  // Neither of a statement that is there twice is ever prepared.
  const twice = db.sql.begin(async (tx) => {
    tx.send(tx`select 1 / ${0}::int`)
    tx.send(tx`select ${1}::int as again`)
    await tx`select ${2}::int as again`
  })
  await assert.rejects(twice, (error) => error instanceof PostgresError && error.code === '22012')
})

test('every connection has its time-outs, and a planner that reads by keys', async () => {
  await using db = await openTestDatabase()
  const [row] = await db.sql`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
           current_setting('idle_in_transaction_session_timeout') as idle,
           current_setting('enable_seqscan') as scans, current_setting('jit') as jit`
  assert.deepEqual(row, { statement: '5s', lock: '2s', idle: '10s', scans: 'off', jit: 'off' })
})
