import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestDatabase } from '../../../../tests/harness/database.ts'
import fc from '../../../../tests/harness/property.ts'
import { PostgresError, violatedConstraint } from '../failures.ts'

const db = await openTestDatabase()
after(() => db[Symbol.asyncDispose]())
await db.sql`
  create table kept (
    at integer primary key, amount bigint, said text, yes boolean, bytes bytea, moment timestamptz, data jsonb,
    written json, small smallint, whole integer, one uuid, address inet, day date, noted text not null default 'by itself')`
const NOTHING = Object.fromEntries(
  'amount said yes bytes moment data written small whole one address day'.split(' ').map((name) => [name, null]),
)

// Texts that PostgreSQL takes: no NUL, no half of a surrogate pair.
const text = fc.string({ unit: 'binary' }).map((any) => any.replaceAll('\0', '').toWellFormed())
const awkward = fc.constantFrom('', '\\N', '\\.', 'a\tb', 'a\nb', 'a\r\nb', '\\', '\\\\x41', '\\t', ' ', 'é😀')
const row = fc.record({
  amount: fc.option(fc.oneof(fc.maxSafeInteger(), fc.constantFrom(-1, 2 ** 32, -(2 ** 32) - 1))),
  said: fc.option(fc.oneof(text, awkward)),
  yes: fc.option(fc.boolean()),
  bytes: fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
  moment: fc.option(fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true })),
  data: fc.option(fc.dictionary(text, fc.oneof(text, awkward, fc.integer()), { noNullPrototype: true })),
  written: fc.option(fc.dictionary(text, fc.oneof(text, awkward, fc.integer()), { noNullPrototype: true })),
  small: fc.option(fc.integer({ min: -32_768, max: 32_767 })),
  whole: fc.option(fc.integer()),
  one: fc.option(fc.uuid()),
  address: fc.option(fc.oneof(fc.ipV4(), fc.constantFrom('::', '2001:db8::1', 'fe80::a:b:c', '::ffff:192.0.2.10'))),
  day: fc.option(fc.constantFrom('2000-01-01', '1999-12-31', '2026-02-28', '0001-01-01', '9999-12-31')),
})

test('copied rows are read back as they were, with any values', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (given) => {
      const rows = given.map((fields, at) => ({ at, ...fields }))
      await db.sql`delete from kept`
      await db.sql.copy('kept', rows)
      const found = await db.sql`
        select at, amount, said, yes, bytes, moment, data, written, small, whole, one, host(address) as address, day::text, noted
          from kept
         order by at`
      assert.deepEqual(
        found,
        rows.map((fields) => ({ ...fields, noted: 'by itself' })),
      )
    }),
    { numRuns: 60 },
  )
})

test('a value that its column cannot hold is refused before anything is sent', async () => {
  await db.sql`delete from kept`
  for (const wrong of [
    { amount: 2 ** 53 },
    { amount: 0.5 },
    { small: 32_768 },
    { small: 0.5 },
    { whole: -(2 ** 31) - 1 },
    { whole: 1.5 },
    { one: 'no UUID' },
    { one: '00000000-0000-4000-8000-00000000000g' },
    { one: '0000000-00000-4000-8000-000000000000' },
    { moment: new Date(Number.NaN) },
    { moment: '2026-11-20 08:00:00.001+00' },
    { moment: '2026-13-20T08:00:00.001Z' },
    { address: '192.0.2.300' },
    { day: '2026-13-01' },
    { day: '1 May 2026' },
  ]) {
    const rows = [
      { ...NOTHING, at: 1 },
      { ...NOTHING, at: 2, ...wrong },
    ]
    await assert.rejects(async () => db.sql.copy('kept', rows), Error)
    await assert.rejects(db.sql.begin((tx) => tx.send(tx.copy('kept', rows))))
  }
  assert.equal((await db.sql`select from kept`).count, 0)
})

test('a time written as text keeps its microseconds, and JSON written as text keeps its value', async () => {
  await db.sql`delete from kept`
  await db.sql.copy('kept', [
    { ...NOTHING, at: 1, moment: '2026-11-20T08:00:00.001Z', data: '{"a":1}' },
    { ...NOTHING, at: 2, moment: '1969-12-31T23:59:59.999999Z', written: '{"b": "2"}' },
  ])
  assert.deepEqual(
    [...(await db.sql`select at, moment at time zone 'UTC' as moment, data, written::text from kept order by at`)],
    [
      { at: 1, moment: '2026-11-20 08:00:00.001', data: { a: 1 }, written: null },
      { at: 2, moment: '1969-12-31 23:59:59.999999', data: null, written: '{"b": "2"}' },
    ],
  )
})

test('a value that the row before had too is written again, in every form', async () => {
  await db.sql`delete from kept`
  const alike = { ...NOTHING, moment: new Date('2026-11-20T08:00:00.001Z'), address: '192.0.2.1' }
  await assert.rejects(async () => db.sql.copy('kept', [{ ...alike, at: 1, address: '192.0.2.300' }]))
  const text = { ...alike, moment: '2026-11-20T08:00:00.001Z' }
  const other = { ...alike, moment: '2026-11-20T08:00:00.001002Z', address: '192.0.2.10' }
  await db.sql.copy(
    'kept',
    [alike, alike, text, text, other, alike].map((row, at) => ({ ...row, at })),
  )
  const rows = await db.sql<{ moment: string; address: string }[]>`
    select to_char(moment at time zone 'UTC', 'SS.US') as moment, host(address) as address from kept order by at`
  const [same, apart] = ['00.001000 192.0.2.1', '00.001002 192.0.2.10']
  assert.deepEqual(
    rows.map(({ moment, address }) => `${moment} ${address}`),
    [same, same, same, same, apart, same],
  )
})

test("a refused copy fails its transaction with the database's reason, and the connection serves the next one", async () => {
  const rows = (...numbers: number[]) => numbers.map((at) => ({ at }))
  await db.sql`delete from kept`
  await db.sql.copy('kept', rows(1))
  for (let times = 0; times < 5; times += 1) {
    await assert.rejects(
      db.sql.begin((tx) => {
        tx.send(tx.copy('kept', rows(2)))
        tx.send(tx.copy('kept', rows(3, 1, 4)))
        tx.send(tx.copy('kept', rows(5)))
      }),
      (error) => violatedConstraint(error) === 'kept_pkey',
    )
    await assert.rejects(
      db.sql.begin((tx) => {
        tx.send(tx`select 1 / 0`)
        tx.send(tx.copy('kept', rows(6)))
      }),
      (error) => error instanceof PostgresError && error.code === '22012',
    )
  }
  await db.sql.begin((tx) => tx.send(tx.copy('kept', rows(7))))
  assert.deepEqual(
    (await db.sql`select at from kept order by at`).map(({ at }) => at),
    [1, 7],
  )
})
