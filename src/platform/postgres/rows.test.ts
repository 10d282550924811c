import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { openDatabase, type Sql } from './database.ts'
import { PostgresError, violatedConstraint } from './failures.ts'
import { CrossShardError, given, insertRows, matching, sameRow } from './rows.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
  await db.sql`
    create table visits (merchant_id bigint, livemode boolean, id text, guests smallint not null default 2, at timestamptz,
                         data jsonb, noted text generated always as ('visit ' || id) stored,
                         constraint visits_pkey primary key (merchant_id, livemode, id))`
})
after(() => db[Symbol.asyncDispose]())
beforeEach(() => db.sql`delete from visits`)

const visit = (id: string, fields: object = {}) => ({ merchant_id: 1, livemode: false, id, ...fields })

async function read(sql: Sql = db.sql) {
  return sql<{ id: string; guests: number; data: unknown }[]>`select id, guests, data from visits order by id`
}

async function withPool(options: { sharded: boolean }, work: (sql: Sql) => Promise<void>): Promise<void> {
  const sql = openDatabase({ url: db.url, connections: 1, name: 'rows', ...options })
  try {
    await work(sql)
  } finally {
    await sql.end()
  }
}

test('fields that are columns are written, in any order, and the other columns take their defaults', async () => {
  await db.sql.begin((tx) => {
    insertRows(tx, 'visits', [])
    insertRows(tx, 'visits', [visit('a', { unknown: 1 }), { unknown: 2, id: 'b', livemode: false, merchant_id: 1 }])
    insertRows(tx, 'visits', [visit('c', { guests: 3, data: { x: 1 } }), visit('d', { data: undefined, guests: 4 })])
    insertRows(tx, 'visits', [visit('e', { guests: undefined, noted: undefined })])
  })
  assert.deepEqual(
    [...(await read())],
    [
      { id: 'a', guests: 2, data: null },
      { id: 'b', guests: 2, data: null },
      { id: 'c', guests: 3, data: { x: 1 } },
      { id: 'd', guests: 4, data: null },
      { id: 'e', guests: 2, data: null },
    ],
  )
})

test('a column that only some rows have is null in the others, or refuses them if it must not be null', async () => {
  await assert.rejects(
    db.sql.begin((tx) => insertRows(tx, 'visits', [visit('a', { guests: 3 }), visit('b')])),
    (error) => error instanceof PostgresError && error.code === '23502',
  )
})

test('a refused row fails its transaction', async () => {
  await assert.rejects(
    db.sql.begin((tx) => insertRows(tx, 'visits', [visit('a'), visit('a')])),
    (error) => violatedConstraint(error) === 'visits_pkey',
  )
  assert.equal((await read()).count, 0)
})

test('a table made after the pool opened is looked up at its first use, and the statements keep their order', async () => {
  await withPool({ sharded: false }, async (sql) => {
    await sql`select 1`
    await db.sql`create table young (id integer primary key, of integer references young)`
    await sql.begin((tx) => {
      insertRows(tx, 'young', [{ id: 1 }])
      tx.send(tx`update young set of = 1`)
      insertRows(tx, 'young', [{ id: 2, of: 1 }])
    })
    assert.deepEqual(
      [...(await sql`select id, of from young order by id`)],
      [
        { id: 1, of: 1 },
        { id: 2, of: 1 },
      ],
    )
    await assert.rejects(
      sql.begin((tx) => insertRows(tx, 'nowhere', [{ id: 1 }])),
      /no table nowhere/,
    )
    assert.equal((await sql`select from young`).count, 2, 'the connection serves the next')
  })
})

for (const sharded of [false, true]) {
  const where = sharded ? 'where merchants are spread over machines' : 'on one machine'
  test(`rows are matched by keys whose other fields stay at home, each once, ${where}`, async () => {
    await db.sql.begin((tx) => insertRows(tx, 'visits', [visit('a'), visit('b'), { ...visit('a'), livemode: true }]))
    await withPool({ sharded }, async (sql) => {
      const keys = [...'aab'].map((visit_id) => ({ merchant_id: 1, livemode: false, visit_id, deep: { not: 1n } }))
      const found = await sql<{ id: string }[]>`
        select v.id from ${matching(sql, 'visits v', keys, { id: 'visit_id' })} order by v.id for update of v`
      assert.deepEqual(
        found.map(({ id }) => id),
        ['a', 'b'],
      )
      assert.equal((await sql`select from ${matching(sql, 'visits v', keys)}`).count, 2, 'all of a tenant')
      assert.equal((await sql`select from ${matching(sql, 'visits v', keys.slice(0, 0))}`).count, 0)
    })
  })

  test(`rows are updated by given ones, in the types of their columns, ${where}`, async () => {
    await db.sql.begin((tx) => insertRows(tx, 'visits', [visit('a'), visit('b')]))
    await withPool({ sharded }, async (sql) => {
      const at = new Date('2026-11-20T08:00:00.001Z')
      const rows = [{ ...visit('a'), guests: 5, at, data: { deep: [1] }, from_guests: 2, more: 1n }]
      const updated = await sql`
        update visits v
           set guests = w.guests, at = w.at, data = w.data
          from ${given(sql, 'visits w', rows, ['merchant_id', 'livemode', 'id', 'guests', 'at', 'data', 'from_guests'])}
         where ${sameRow(sql, 'v', 'w', rows, 'id')} and v.guests = w.from_guests::smallint
        returning v.id, v.guests, v.at, v.data`
      assert.deepEqual([...updated], [{ id: 'a', guests: 5, at, data: { deep: [1] } }])
    })
  })
}

test('one statement takes keys of two merchants only while all merchants are on one machine', async () => {
  const keys = [visit('a'), { ...visit('a'), merchant_id: 2 }]
  await db.sql.begin((tx) => insertRows(tx, 'visits', keys))
  await withPool({ sharded: false }, async (sql) => {
    assert.equal((await sql`select from ${matching(sql, 'visits v', keys, 'id')}`).count, 2)
  })
  await withPool({ sharded: true }, async (sql) => {
    assert.throws(() => matching(sql, 'visits v', keys, 'id'), CrossShardError)
    assert.throws(() => sameRow(sql, 'v', 'w', keys, 'id'), CrossShardError)
  })
})
