import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { openTestDatabase } from '../../../tests/harness/database.ts'
import { PostgresError, violatedConstraint } from './failures.ts'

const db = await openTestDatabase()
after(() => db[Symbol.asyncDispose]())
await db.sql`
  create table kept (
    at integer primary key, amount bigint, said text, yes boolean, bytes bytea, moment timestamptz, data jsonb,
    noted text not null default 'by itself')`
const columns = ['at', 'amount', 'said', 'yes', 'bytes', 'moment', 'data'] as const

// What PostgreSQL takes as text: no NUL, no half of a surrogate pair.
const text = fc.string({ unit: 'binary' }).map((any) => any.replaceAll('\0', '').toWellFormed())
const awkward = fc.constantFrom('', '\\N', '\\.', 'a\tb', 'a\nb', 'a\r\nb', '\\', '\\\\x41', '\\t', ' ', 'é😀')
const row = fc.record({
  amount: fc.option(fc.maxSafeInteger()),
  said: fc.option(fc.oneof(text, awkward)),
  yes: fc.option(fc.boolean()),
  bytes: fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
  moment: fc.option(fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true })),
  data: fc.option(fc.dictionary(text, fc.oneof(text, awkward, fc.integer()), { noNullPrototype: true })),
})

test('what is copied is read back as it was, whatever it holds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (given) => {
      const rows = given.map((fields, at) => ({ at, ...fields }))
      await db.sql`delete from kept`
      await db.sql.copy('kept', columns, rows)
      const found = await db.sql`select at, amount, said, yes, bytes, moment, data, noted from kept order by at`
      assert.deepEqual(
        found,
        rows.map((fields) => ({ ...fields, noted: 'by itself' })),
      )
    }),
    { numRuns: 60 },
  )
})

test('a copy that is refused fails its transaction with its own reason, and the connection serves the next', async () => {
  const rows = (...numbers: number[]) => numbers.map((at) => ({ at }))
  await db.sql`delete from kept`
  await db.sql.copy('kept', ['at'], rows(1))
  for (let times = 0; times < 5; times += 1) {
    await assert.rejects(
      db.sql.begin((tx) => {
        tx.send(tx.copy('kept', ['at'], rows(2)))
        tx.send(tx.copy('kept', ['at'], rows(3, 1, 4)))
        tx.send(tx.copy('kept', ['at'], rows(5)))
      }),
      (error) => violatedConstraint(error) === 'kept_pkey',
    )
    await assert.rejects(
      db.sql.begin((tx) => {
        tx.send(tx`select 1 / 0`)
        tx.send(tx.copy('kept', ['at'], rows(6)))
      }),
      (error) => error instanceof PostgresError && error.code === '22012',
    )
  }
  await db.sql.begin((tx) => tx.send(tx.copy('kept', ['at'], rows(7))))
  assert.deepEqual(
    (await db.sql`select at from kept order by at`).map(({ at }) => at),
    [1, 7],
  )
})
