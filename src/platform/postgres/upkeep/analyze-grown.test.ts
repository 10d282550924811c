import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '../../../../tests/harness/database.ts'
import { waitFor } from '../../../../tests/harness/wait-for.ts'
import { analyzeGrown } from './analyze-grown.ts'

test('a table is analysed once each time that it has grown several times over', async () => {
  await using db = await openTestDatabase()
  const { sql } = db
  // The test leaves autovacuum aside.
  await sql.unsafe('create table grown (id bigint primary key) with (autovacuum_enabled = off)')
  const rowsKnown = async () => {
    const [row] = await sql<
      { rows: number }[]
    >`select reltuples::bigint as rows from pg_class where oid = 'grown'::regclass`
    return row!.rows
  }
  const grow = async (from: number, to: number) => {
    await sql.unsafe(`insert into grown select generate_series(${from}, ${to})`)
    // Counts of changes are published by each session, a moment after they were made.
    await sql.unsafe('select pg_stat_force_next_flush()')
  }

  await grow(1, 400)
  assert.deepEqual(await analyzeGrown(sql), [], 'a few rows are not worth it')
  await grow(401, 1_000)
  await waitFor(async () => (await analyzeGrown(sql)).includes('public.grown'))
  assert.equal(await rowsKnown(), 1_000)
  await grow(1_001, 3_000)
  assert.deepEqual(await analyzeGrown(sql), [], 'three times as large is near enough')
  await grow(3_001, 4_500)
  await waitFor(async () => (await analyzeGrown(sql)).includes('public.grown'))
  assert.equal(await rowsKnown(), 4_500)
})
