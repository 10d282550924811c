import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '../../../tests/harness/database.ts'
import { dropPast } from './drop-past.ts'

test('a walk that is told to stop ends after the stretch it is at, and the next one drops the rest', async () => {
  await using db = await openTestDatabase()
  const { sql } = db
  await sql.unsafe('create table walked (past boolean, filler text)')
  // A page holds a few of them: several stretches.
  await sql.unsafe(`insert into walked select n % 2 = 0, repeat('x', 1800) from generate_series(1, 4000) as n`)
  const stopping = new AbortController()
  setImmediate(() => stopping.abort())
  const stopped = await dropPast(sql, 'walked', sql`r.past`, { stopping: stopping.signal })
  assert.ok(stopped > 0 && stopped < 1_000, `${stopped} rows`)
  assert.equal(await dropPast(sql, 'walked', sql`r.past`), 2_000 - stopped)
  const [left] = await sql<{ rows: number; past: number }[]>`
    select count(*)::int as rows, count(*) filter (where past)::int as past from walked`
  assert.deepEqual({ ...left }, { rows: 2_000, past: 0 })
})
