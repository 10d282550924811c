import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createEmptyDatabase } from '../../../../tests/harness/database.ts'
import { countWaiting, hold, untilWaiting } from '../../../../tests/harness/hold.ts'
import type { Sql } from '../database.ts'
import { buildIndexes } from './build-indexes.ts'

const notes = `
  -- Found by their number; with a word in it that ends a statement; but not here.
  create unique index concurrently if not exists notes_by_number on notes (number);
  create index concurrently if not exists notes_by_text
    on notes (text) where text is not null;
`

async function openNotes() {
  const empty = await createEmptyDatabase()
  await empty.open(1)`create table notes (number integer, text text)`
  return empty
}

/** Builds them on a connection of its own. */
async function build(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'builder' })
  await client.connect()
  try {
    await buildIndexes(client, text)
  } finally {
    await client.end()
  }
}

const indexesOf = (sql: Sql) => sql<{ oid: number; name: string; valid: boolean }[]>`
  select indexrelid::int as oid, indexrelid::regclass::text as name, indisvalid as valid
    from pg_index where indrelid = 'notes'::regclass order by 2`

test('an index left invalid by a failed build is built anew, and a valid one stays', async () => {
  await using empty = await openNotes()
  const sql = empty.open()
  await sql`insert into notes (number) values (1), (1)`
  await assert.rejects(build(empty.url, notes), { code: '23505' })
  const left = await indexesOf(sql)
  assert.deepEqual(
    left.map(({ name, valid }) => ({ name, valid })),
    [{ name: 'notes_by_number', valid: false }],
  )
  await sql`delete from notes`
  await build(empty.url, notes)
  const built = await indexesOf(sql)
  assert.deepEqual(
    built.map(({ name, valid }) => ({ name, valid })),
    [
      { name: 'notes_by_number', valid: true },
      { name: 'notes_by_text', valid: true },
    ],
  )
  await build(empty.url, notes)
  assert.deepEqual(await indexesOf(sql), built)
})

test('building an index blocks no writer, even while it waits for one', async () => {
  await using empty = await openNotes()
  const [reader, writer] = [empty.open(), empty.open()]
  await using reading = await hold(reader, (tx) => tx`select number from notes`, 'isolation level repeatable read')
  const building = build(empty.url, notes)
  await untilWaiting(writer, { name: 'builder' })
  await writer`insert into notes (number) values (1), (2)`
  await writer`update notes set number = 3 where number = 2`
  assert.equal(await countWaiting(writer, { name: 'builder' }), 1, 'it still waits')
  await reading.letGo()
  await building
  assert.ok((await indexesOf(writer)).every(({ valid }) => valid))
})

test('a file of concurrent statements may only build indexes', async () => {
  await using empty = await openNotes()
  const sql = empty.open()
  const mixed = `${notes}; create index notes_of_old on notes (text)`
  await assert.rejects(build(empty.url, mixed), /Not an index that is built concurrently: create index notes_of_old/)
  assert.deepEqual(await indexesOf(sql), [])
})
