import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openPool, openTestDatabase, type TestDatabase } from '../../../../tests/harness/database.ts'
import { waitFor } from '../../../../tests/harness/wait-for.ts'
import type { Db, Sql } from '../database.ts'
import { isConnectionLost, PostgresError, violatedConstraint } from '../failures.ts'
import { takesBatches } from './pipeline-batch.ts'

/** A pool whose connections a test may end. */
function openVictim({ url }: Pick<TestDatabase, 'url'>, connections: number, one_by_one: boolean) {
  const sql = openPool({ url, connections, name: 'victim', one_by_one })
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

async function rowsOf(sql: Sql): Promise<number[]> {
  return (await sql<{ n: number }[]>`select n from notes order by n`).map(({ n }) => n)
}

const full = {
  n: 1,
  amount: 9_007_199_254_740_991,
  said: 'a "quoted" one, {braced}, \\ and é',
  yes: true,
  bytes: Buffer.from([0, 92, 255]),
  moment: new Date('2026-08-25T10:11:12.345Z'),
  data: { a: ['"', '\\', null] },
  written: '{"b":1}',
  one: '01890000-0000-7000-8000-000000000001',
  address: '2001:db8::1',
}

const none = Object.fromEntries(Object.keys(full).map((name) => [name, null]))

for (const one_by_one of [false, true])
  describe(one_by_one ? 'one by one' : 'in batches', () => {
    test('after a lost connection the rest of its transaction is refused, and never written outside it', async () => {
      await using db = await openTestDatabase()
      await using victim = openVictim(db, 2, one_by_one)
      await db.sql`create table notes (n int primary key)`
      const late: unknown[] = []
      const lost = victim.begin(async (tx) => {
        await tx`insert into notes values (1)`
        await endConnections(db)
        // Somebody else's statement makes the pool connect anew.
        await waitFor(() =>
          victim`select 1`.then(
            () => true,
            () => false,
          ),
        )
        await tx`insert into notes values (2)`.catch((error) => late.push(error))
      })
      await assert.rejects(lost, isConnectionLost)
      assert.equal(late.length, 1)
      assert.ok(isConnectionLost(late[0]))
      assert.deepEqual(await rowsOf(db.sql), [])
    })

    test('connections that end again and again lose no acknowledged transaction and leave none half written', {
      timeout: 60_000,
    }, async (t) => {
      await using db = await openTestDatabase()
      await using victim = openVictim(db, 4, one_by_one)
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
          await Promise.all([
            tx`insert into halves values (${id}, 2)`,
            tx`select count(*) from halves where id = ${id}`,
          ])
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
      await waitFor(() => acknowledged.length > before + 100, { what: 'the pool to work again' })
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

    test('a transaction is rolled back if its code throws, or ignores a failed statement', async () => {
      await using db = await openTestDatabase()
      await using victim = openVictim(db, 1, one_by_one)
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

    test("a refused statement states the database's reason, and its connection serves on", async () => {
      await using db = await openTestDatabase()
      await using victim = openVictim(db, 1, one_by_one)
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

    test('a statement refused at its commit is an error, outside a transaction and inside one', async () => {
      await using db = await openTestDatabase()
      await using victim = openVictim(db, 2, one_by_one)
      await db.sql`create table notes (n int constraint notes_once unique deferrable initially deferred)`
      await db.sql`insert into notes values (1)`
      const isTaken = (error: unknown) => violatedConstraint(error) === 'notes_once'
      await assert.rejects(victim`insert into notes values (1)`.then(), isTaken)
      await assert.rejects(
        victim.begin((tx) => tx`insert into notes values (1)`),
        isTaken,
      )
      assert.deepEqual(await rowsOf(db.sql), [1])
    })

    test('a transaction keeps its connection if its code throws while a statement fails', async () => {
      await using db = await openTestDatabase()
      await using victim = openVictim(db, 1, one_by_one)
      const pid = async () => (await victim<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]!.pid
      const before = await pid()
      const failing = victim.begin((tx) => {
        tx.send(tx`select 1 / ${0}::int`)
        throw new Error('enough')
      })
      await assert.rejects(failing, { message: 'enough' })
      assert.equal(await pid(), before)
    })

    test('values keep their types, and francs are exact or refused', async () => {
      await using db = await openTestDatabase()
      await using victim = openVictim(db, 1, one_by_one)
      const at = new Date('2026-08-25T10:11:12.345Z')
      const texts = ['plain', 'a "quoted", one', 'back\\slash', '{braces}', '']
      const [row] = await victim`
    select ${9_007_199_254_740_991}::bigint as francs, ${at}::timestamptz as at, ${Buffer.from([0, 255])}::bytea as bytes,
           ${texts}::text[] as texts, ${[1, null, 3]}::int[] as numbers, ${true}::boolean as yes, ${null}::text as none,
           ${[9_007_199_254_740_991]}::bigint[] as sums, ${victim.json({ a: [1, 'é'] })}::jsonb as json,
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
      await assert.rejects(victim`select 9007199254740993::bigint as francs`.then(), /no exact number/)
      await assert.rejects(victim`select ${Number.NaN}`.then(), /no value/)
      const rows = await victim`
    select n, at from json_to_recordset(${victim.json([{ n: 1, at }, { n: 2 }])}) as r(n int, at timestamptz)`
      assert.deepEqual(
        [...rows],
        [
          { n: 1, at },
          { n: 2, at: null },
        ],
      )
    })

    test('of statements sent together the error is that of the one that failed, not of those refused after it', async () => {
      await using db = await openTestDatabase()
      await using victim = openVictim(db, 1, one_by_one)
      const failing = victim.begin((tx) => {
        const first = tx`select 1 / ${0}::int`.then()
        const behind = tx`select 1`.then()
        // A caller that awaits both may hear of the second before the first.
        return Promise.all([behind, first.catch((error) => behind.catch(() => Promise.reject(error)))])
      })
      await assert.rejects(failing, (error) => error instanceof PostgresError && error.code === '22012')
      const unseen = victim.begin((tx) => {
        tx.send(tx`select 1 / ${0}::int`)
        tx.send(tx`select 1`)
      })
      await assert.rejects(unseen, (error) => error instanceof PostgresError && error.code === '22012')
      // Neither of a statement that is there twice is ever prepared.
      const twice = victim.begin(async (tx) => {
        tx.send(tx`select 1 / ${0}::int`)
        tx.send(tx`select ${1}::int as again`)
        await tx`select ${2}::int as again`
      })
      await assert.rejects(twice, (error) => error instanceof PostgresError && error.code === '22012')
    })

    test("rows are copied, and a refused copy fails its transaction with the database's reason", async () => {
      await using db = await openTestDatabase()
      await using victim = openVictim(db, 1, one_by_one)
      await db.sql`
      create table kept (n integer primary key, amount bigint, said text, yes boolean, bytes bytea, moment timestamptz,
        data jsonb, written json, one uuid, address inet, noted text not null default 'by itself')`
      await victim.copy('kept', [full, { ...none, n: 2 }])
      const found = await victim`
      select n, amount, said, yes, bytes, moment, data, written, one, host(address) as address, noted from kept order by n`
      const noted = 'by itself'
      assert.deepEqual(
        [...found],
        [
          { ...full, written: { b: 1 }, noted },
          { ...none, n: 2, noted },
        ],
      )
      const copy = (db: Db, ...numbers: number[]) =>
        db.copy(
          'kept',
          numbers.map((n) => ({ n })),
        )
      const refused = victim.begin((tx) => {
        tx.send(copy(tx, 3))
        tx.send(copy(tx, 4, 1))
        tx.send(copy(tx, 5))
      })
      await assert.rejects(refused, (error) => violatedConstraint(error) === 'kept_pkey')
      await assert.rejects(async () => copy(victim, 2 ** 31), RangeError)
      await victim.begin((tx) => tx.send(copy(tx, 6)))
      assert.deepEqual(
        (await victim`select n from kept order by n`).map(({ n }) => n),
        [1, 2, 6],
      )
    })

    test('texts of several statements run in their order, before the statements that follow', async () => {
      await using db = await openTestDatabase()
      await using victim = openVictim(db, 1, one_by_one)
      const last = await victim.begin((tx) => {
        tx.send(tx.unsafe('create table notes (n int); insert into notes values (1)'))
        tx.send(tx`insert into notes values (${2})`)
        tx.send(tx.unsafe('update notes set n = n * 10; update notes set n = n + 1'))
        return tx`select array_agg(n order by n) as kept from notes`
      })
      assert.deepEqual([...last], [{ kept: [11, 21] }])
    })
  })

test('a driver that cannot send batches is recognised', () => {
  assert.equal(takesBatches(pg), true)
  class Renamed {}
  assert.equal(takesBatches({ Query: pg.Query, Connection: Renamed }), false)
  assert.equal(takesBatches({ Query: Renamed, Connection: pg.Connection }), false)
  assert.equal(takesBatches({ Query: undefined, Connection: undefined }), false)
})
